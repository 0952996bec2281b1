/**
 * Detects where speech begins and ends, from one probability per window. Pure; in samples at 16 kHz.
 *
 *   probability  ▁▁▁▅▇▇▆▇▂▁▁▁▁▁▁▁▁▁▁▁
 *   quiet since          ↑
 *   events          started  paused    stopped
 *
 * Silence counts from the first window below the threshold, less the detector's known delay; only a window above it
 * resets the count. A turn ends when the silence is long enough and the window well below the threshold, or after
 * `forceMs` in between.
 */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";

export type TurnRules = {
  threshold: number;
  silenceMs: number;
  forceMs: number | null;
  /** Silence after which an idle event is sent; null: never. */
  idleMs: number | null;
};

/** `quietFrom`: the start of the current silence, or null during speech. */
export type Turn = {
  speaking: boolean;
  quietFrom: number | null;
  paused: boolean;
  /** The turn detector has found the turn complete: the next quiet window ends it. */
  finished?: boolean;
};

export type TurnEvent = "started" | "paused" | "stopped" | "idle";

type Window = { probability: number; start: number; end: number; lateSamples: number };

/** The probability below which a turn may end: well below the threshold, or half of a low one. */
const quietBelow = (threshold: number) => Math.max(threshold - 0.15, threshold / 2);

const PAUSE_MS = 160; // a breath: the turn may be complete

export const silentSince = (sample: number): Turn => ({ speaking: false, quietFrom: sample, paused: false });

/** The turn after the next window. */
export function nextTurn(
  turn: Turn,
  rules: TurnRules,
  { probability, start, end, lateSamples }: Window,
): { turn: Turn; event: TurnEvent | null } {
  const isSpeech = probability >= rules.threshold;
  const quietFrom = turn.quietFrom ?? start - lateSamples;
  const quietMs = toMs(end - quietFrom);
  const nearestMs = quietMs + toMs(end - start) / 2; // a silence ends at the window nearest to its length
  if (!turn.speaking) {
    if (isSpeech) return { turn: { speaking: true, quietFrom: null, paused: false }, event: "started" };
    if (rules.idleMs !== null && quietMs >= rules.idleMs) return { turn: silentSince(end), event: "idle" };
    return { turn, event: null };
  }
  if (isSpeech) return { turn: { speaking: true, quietFrom: null, paused: false }, event: null };
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
