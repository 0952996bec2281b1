/**
 * What failures in a row make of another server, or of an engine of another node. Without a clock: times are passed in.
 *
 *   up ──5 failures in a row──> out for 30 s, 60 s … 300 s ──> trial: one request ──> up, or out again
 */
export type Standing = {
  failuresInARow: number;
  outages: number;
  outUntilMs: number;
  isTrial: boolean;
};

const FAILURES_MAX = 5;
const OUT_MS = 30_000;
const OUTAGES_MAX = 10;
const FORGOTTEN_MS = 300_000; // after so long, an outage is the first again

export const unblemished = (): Standing => ({
  failuresInARow: 0,
  outages: 0,
  outUntilMs: 0,
  isTrial: false,
});

export const isOut = ({ outUntilMs }: Standing, nowMs: number): boolean => outUntilMs > nowMs;

/** Whether it ended a trial. */
export function noteWork(standing: Standing): boolean {
  const wasTrial = standing.isTrial;
  standing.failuresInARow = 0;
  standing.isTrial = false;
  return wasTrial;
}

/** Whether it is out now. */
export function noteFault(standing: Standing, nowMs: number): boolean {
  if (++standing.failuresInARow < FAILURES_MAX && !standing.isTrial) return false;
  putOut(standing, nowMs);
  return true;
}

export function putOut(standing: Standing, nowMs: number): void {
  if (isOut(standing, nowMs)) return;
  const isLater = nowMs - standing.outUntilMs > FORGOTTEN_MS;
  standing.outages = isLater ? 1 : Math.min(OUTAGES_MAX, standing.outages + 1);
  standing.outUntilMs = nowMs + OUT_MS * standing.outages;
  standing.failuresInARow = 0;
  standing.isTrial = true;
}
