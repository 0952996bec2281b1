/**
 * Where somebody begins and stops to speak, from one probability a window. Pure, and in samples of 16 kHz.
 *
 *   probability  ▁▁▁▅▇▇▆▇▂▁▁▁▁▁▁▁▁▁▁▁
 *   quiet since          ↑
 *   events          started  paused    stopped
 *
 * Quiet counts from the first window under the threshold, and from as much before it as the detector is known to be
 * late; only a window over it interrupts the count. A turn ends where the count is full and the window well under, and
 * `forceMs` ends it where a murmur goes on for that long.
 */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";

export type TurnRules = {
  threshold: number;
  silenceMs: number;
  forceMs: number | null;
  /** Without speech for so long, the turn is over before it began; null: never. */
  idleMs: number | null;
};

/** `quietFrom`: where it got quiet in a turn, or since when nobody spoke; null while somebody does. */
export type Turn = {
  speaking: boolean;
  quietFrom: number | null;
  paused: boolean;
  /** Whoever understands what is said says that it is all: the next quiet window ends the turn. */
  finished?: boolean;
};

export type TurnEvent = "started" | "paused" | "stopped" | "idle";

type Window = { probability: number; start: number; end: number; lateSamples: number };

/** What ends a turn: well under the threshold, and under half of a low one. */
const quietBelow = (threshold: number) => Math.max(threshold - 0.15, threshold / 2);

const PAUSE_MS = 160; // a breath: what was said may be all

export const silentSince = (sample: number): Turn => ({ speaking: false, quietFrom: sample, paused: false });

/** What the next window makes of a turn. */
export function nextTurn(
  turn: Turn,
  rules: TurnRules,
  { probability, start, end, lateSamples }: Window,
): { turn: Turn; event: TurnEvent | null } {
  const loud = probability >= rules.threshold;
  const quietFrom = turn.quietFrom ?? start - lateSamples;
  const quietMs = toMs(end - quietFrom);
  const nearestMs = quietMs + toMs(end - start) / 2; // a silence ends at the window nearest to its length
  if (!turn.speaking) {
    if (loud) return { turn: { speaking: true, quietFrom: null, paused: false }, event: "started" };
    if (rules.idleMs !== null && quietMs >= rules.idleMs) return { turn: silentSince(end), event: "idle" };
    return { turn, event: null };
  }
  if (loud) return { turn: { speaking: true, quietFrom: null, paused: false }, event: null };
  const enough = turn.finished || nearestMs >= rules.silenceMs;
  const over = enough && probability < quietBelow(rules.threshold);
  if (over || (rules.forceMs !== null && quietMs >= rules.forceMs))
    return { turn: silentSince(end), event: "stopped" };
  const pauses = !turn.paused && quietMs >= PAUSE_MS;
  return {
    turn: { ...turn, quietFrom, paused: turn.paused || pauses },
    event: pauses ? "paused" : null,
  };
}

const toMs = (samples: number) => (samples * 1000) / ASR_SAMPLE_RATE;
