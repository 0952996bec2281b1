/**
 * A span window by window: where a window's last segment is incomplete, another begins there.
 *
 *   span      ▅▇▆▅▇▅▁▅▇▆▇▅▁▁
 *   window 1  [────────────]   segments up to here │
 *   window 2                                       [────]   unless that rest is short, or has no sound
 *
 * In a window of less than a second the model writes what was not said. What it wrote of such a rest in the window before
 * is kept, as is what it wrote of any rest when the budget of the span is spent.
 */
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { type Stretch, soundIn } from "../sounding-words.ts";
import type { Budget } from "./budget.ts";
import type { WindowSegment, WindowText } from "./segments.ts";

const REST_MIN_SECONDS = 1;
const SOUND_MIN_SECONDS = 0.1;

/** `decode`: what is said in the rest of the span; null: nothing, nor behind it. `from`: where a window begins, in seconds. */
export async function* windowsOf<Result>(
  { samples, budget }: { samples: Float32Array; budget: Budget },
  decode: (rest: Float32Array, from: number) => Promise<(WindowText & { result: Result }) | null>,
): AsyncGenerator<{ from: number; segments: WindowSegment[]; result: Result }> {
  let sound: Stretch[] | null = null; // most spans are one window, and need none
  let from = 0;
  while (true) {
    const rest = samples.subarray(Math.round(from * ASR_SAMPLE_RATE));
    const decoded = await decode(rest, from);
    if (decoded === null) return;
    const { segments, nextStart, incomplete, result } = decoded;
    if (nextStart !== null) sound ??= soundIn(samples, 0);
    const isOver = nextStart === null || secondsBehind(sound!, from + nextStart) < SOUND_MIN_SECONDS;
    const isShort = !isOver && rest.length / ASR_SAMPLE_RATE - nextStart < REST_MIN_SECONDS;
    const isLast = isOver || isShort || budget.left <= 0;
    yield { from, segments: isLast && !isOver && incomplete ? [...segments, incomplete] : segments, result };
    if (isLast) return;
    from += nextStart;
  }
}

const secondsBehind = (sound: readonly Stretch[], from: number): number =>
  sound.reduce((sum, { start, end }) => sum + Math.max(0, end - Math.max(start, from)), 0);
