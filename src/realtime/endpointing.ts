/**
 * Detects where speech begins and ends, from one probability per window. Pure; in samples at 16 kHz.
 *
 *   probability  ▁▁▁▅▇▇▆▇▂▁▁▁▁▁▁▁▁▁▁▁
 *   quiet since          ↑
 *   events          started  paused waiting stopped
 *
 * Silence counts from the first window below the threshold, less the detector's known delay; only a window above it
 * resets the count. A turn ends when the silence is long enough and the window well below the threshold, or after
 * `forceMs` in between. The answer of a turn detector takes the place of the silence's length: a finished turn ends
 * after a short one, an unfinished one waits for `forceMs`.
 */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";

export type TurnRules = {
  threshold: number;
  silenceMs: number;
  /** The longest silence or murmur within a turn; null: neither a murmur nor a turn detector ends or prolongs one. */
  forceMs: number | null;
  /** Silence after which an idle event is sent; null: never. */
  idleMs: number | null;
};

/** `quietFrom`: the start of the current silence, or null during speech. */
export type Turn = {
  speaking: boolean;
  quietFrom: number | null;
  /** How often the current silence was reported. */
  pauses: number;
  /** What the turn detector last found of the current silence. */
  finished?: boolean;
};

/** `paused`: the turn may be complete; `waiting`: the silence has lasted twice as long as at the event before. */
export type TurnEvent = "started" | "paused" | "waiting" | "stopped" | "idle";

type Window = { probability: number; start: number; end: number; lateSamples: number };

/** The probability below which a turn may end: well below the threshold, or half of a low one. */
const quietBelow = (threshold: number) => Math.max(threshold - 0.15, threshold / 2);

const PAUSE_MS = 160; // a breath
const FINISHED_MS = 300; // shorter gaps are heard within fluent speech, also where a turn could end

export const SPEAKING: Turn = { speaking: true, quietFrom: null, pauses: 0 };

export const silentSince = (sample: number): Turn => ({ speaking: false, quietFrom: sample, pauses: 0 });

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
    if (isSpeech) return { turn: SPEAKING, event: "started" };
    if (rules.idleMs !== null && quietMs >= rules.idleMs) return { turn: silentSince(end), event: "idle" };
    return { turn, event: null };
  }
  if (isSpeech) return { turn: SPEAKING, event: null };
  const detected = rules.forceMs === null ? undefined : turn.finished;
  const enough = detected === undefined ? nearestMs >= rules.silenceMs : detected && quietMs >= FINISHED_MS;
  const over = enough && probability < quietBelow(rules.threshold);
  if (over || (rules.forceMs !== null && quietMs >= rules.forceMs))
    return { turn: silentSince(end), event: "stopped" };
  if (quietMs < PAUSE_MS * 2 ** turn.pauses) return { turn: { ...turn, quietFrom }, event: null };
  const event = turn.pauses === 0 ? "paused" : "waiting";
  return { turn: { ...turn, quietFrom, pauses: turn.pauses + 1 }, event };
}

const toMs = (samples: number) => (samples * 1000) / ASR_SAMPLE_RATE;
