/**
 * Lets all voices of this server's engines speak equally loud: each task gets one gain, which its voice alone decides. So
 * no segment and no answer is louder than another by what it says.
 */
import type { SynthesisTask } from "../engine/protocol/synthesis.ts";
import { type Runner, withKind } from "../engine/runner.ts";

/**
 * Speech lies 14 to 24 LU below its highest peaks, as the voices were measured, most of it 17 to 20. So at this target most
 * peaks stay below -1 dBFS by the gain alone, and the limiter bends few samples. At -23 LUFS it would bend next to none, and
 * all voices would be quieter than they were; at -16 it would be heard in those with the highest peaks. @internal
 */
export const TARGET_LUFS = -20;

/** What a wrong figure may do. */
const GAIN_MAX = 4;

/** How loud voices are without a gain, in LUFS: by the engine's name of a voice, and of all others; null: unknown. */
export type Levels = { voices: Readonly<Record<string, number>>; others: number | null };

type Manner = Pick<SynthesisTask, "speaker" | "blend" | "style">;

/** 1 where the level is unknown. A recorded voice stays as loud as its recording. @internal */
export function gainFor({ speaker, blend, style }: Manner, levels: Levels): number {
  if (style) return 1;
  const parts = blend ?? [{ speaker, weight: 1 }];
  let lufs = 0;
  for (const part of parts) {
    const level = Object.hasOwn(levels.voices, part.speaker) ? levels.voices[part.speaker]! : levels.others;
    if (level === null) return 1;
    lufs += part.weight * level;
  }
  return Math.min(GAIN_MAX, 10 ** ((TARGET_LUFS - lufs) / 20));
}

/** Tasks that have a gain keep it. */
export const withLoudness = (runner: Runner, levels: Levels): Runner =>
  withKind(runner, "synthesis", (task, ...rest) =>
    runner.run({ ...task, gain: task.gain ?? gainFor(task, levels) }, ...rest),
  );
