/**
 * Fits tasks to a synthesis engine: to what it can do, and to the loudness of the server's other voices. What it cannot do at all
 * is refused before it synthesizes anything; what it would read wrongly is written in another way, and the words of its result
 * are placed in the caller's text again.
 *
 *   task ──refused?──> signs as letters ──> without tags ──> phonemes ──> engine
 *   words <─────────── in the text with signs <── in the text with tags <───┘
 */

import { type Ability, EMBEDDED_FAMILIES, FAMILY_NAMES, familyOf } from "../engine/families/families.ts";
import { EVERY_PRONUNCIATION } from "../engine/protocol/signs.ts";
import {
  isTimed,
  type SynthesisResult,
  type SynthesisTask,
  type TextContext,
} from "../engine/protocol/synthesis.ts";
import { type Runner, withKind } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";
import type { ReadPhonemes } from "./phonemes.ts";
import { edited, plainTrace, spanOf } from "./text/origins.ts";

export type SpeechAbilities = {
  /** Of the engine, for callers; what follows a colon describes it. */
  name: string;
  does: readonly Ability[];
  /** For an engine that reads nothing else; null: it reads letters. */
  phonemes: ReadPhonemes | null;
};

/** A runner of a synthesis engine, given only what the engine can do, as it reads it. */
export function fitted(runner: Runner, abilities: SpeechAbilities): Runner {
  const { name, does, phonemes } = abilities;
  const synthesizing = withKind(runner, "synthesis", async (asked, ...rest) => {
    const { task, placed } = fitTask(asked, abilities);
    const read = phonemes ? { phonemes: task.phonemes ?? (await phonemes(task)) } : {};
    return placed(await runner.run({ ...task, ...read }, ...rest));
  });
  if (does.includes("cloning")) return synthesizing;
  return withKind(synthesizing, "voice-encoding", async () => {
    throw uncloned(name);
  });
}

/** `placed`: where the words of the task's result stand in the text that was asked for. */
type Fitted = { task: SynthesisTask; placed(result: SynthesisResult): SynthesisResult };

/** Throws a refusal of what the engine cannot do. @internal */
export function fitTask(asked: SynthesisTask, abilities: SpeechAbilities): Fitted {
  const { name, does, phonemes } = abilities;
  if (asked.style && !does.includes("cloning")) throw uncloned(name);
  if (asked.words && !does.includes("word_times")) throw untimed(name);
  const spelled = phonemes ? asIs(asked) : withLetters(asked);
  const plain = does.includes("expression_tags") ? asIs(spelled.task) : withoutTags(spelled.task);
  return { task: plain.task, placed: (result) => spelled.placed(plain.placed(result)) };
}

const asIs = (task: SynthesisTask): Fitted => ({ task, placed: (result) => result });

/** Letters in place of the signs of pronunciations. */
function withLetters(task: SynthesisTask): Fitted {
  const { pronounced, ...plain } = task;
  if (!pronounced) return asIs(task);
  const edits = [...plain.text.matchAll(EVERY_PRONUNCIATION)].map(({ 0: sign, index }) => ({
    from: index,
    to: index + 1,
    by: pronounced[sign]?.text ?? " ",
  }));
  const { text, origins } = edited(plainTrace(plain.text), edits);
  return {
    task: { ...plain, text },
    placed: placing((word) => spanOf(origins, { ...word, length: text.length })),
  };
}

const TAGS = /\s{0,9}<(?:laugh|breath|sigh)>/g;

export const dropTags = (text: string): string => text.replace(TAGS, "").trim();

const untagged = ({ before, after }: TextContext): TextContext => ({
  before: before.replace(TAGS, ""),
  after: after.replace(TAGS, ""),
});

/** Without expression tags, which an engine that cannot speak them would read as words. */
function withoutTags(task: SynthesisTask): Fitted {
  const { text, context } = task;
  const plain = dropTags(text);
  const around = context && { context: untagged(context) };
  const fitted = { ...task, text: plain, ...around };
  if (plain === text) return asIs(fitted);
  const places = placesIn(text, plain);
  return {
    task: fitted,
    placed: placing(({ from, to }) => ({ from: places[from]!, to: places[to - 1]! + 1 })),
  };
}

/** Where each code unit of the text without tags stands in the one with them. */
function placesIn(text: string, plain: string): number[] {
  const tags = [...text.matchAll(TAGS)].map(({ 0: tag, index }) => ({ index, length: tag.length }));
  const kept = Array.from({ length: text.length }, (_, at) => at).filter(
    (at) => !tags.some(({ index, length }) => at >= index && at < index + length),
  );
  const trimmed = kept.findIndex((at) => !/\s/.test(text[at]!));
  return kept.slice(trimmed, trimmed + plain.length);
}

type Span = { from: number; to: number };

/** Every word of a result, moved. */
const placing =
  (place: (word: Span) => Span) =>
  (result: SynthesisResult): SynthesisResult =>
    isTimed(result)
      ? { ...result, words: result.words.map((word) => ({ ...word, ...place(word) })) }
      : result;

/** What follows a colon describes the engine. */
const shortName = (title: string): string => title.split(":")[0]!;

const uncloned = (name: string) =>
  new Refusal(
    "voice_cloning_not_supported",
    `${shortName(name)} speaks with its own voices only. A voice of your own needs an engine that can encode it, such as Pocket TTS.`,
    { param: "voice" },
  );

/** `name`: of the engine, where it is known. */
export const untimed = (name = "The engine of this voice") =>
  new Refusal(
    "word_times_not_supported",
    `${name} does not tell when words are heard. Leave out return_timing, or use a voice of ${timedFamilies()}.`,
    { param: "return_timing" },
  );

/** In words: those that tell word times. */
function timedFamilies(): string {
  const names = [...FAMILY_NAMES.map(familyOf), ...Object.values(EMBEDDED_FAMILIES)].flatMap((family) =>
    family.task === "synthesis" && family.does.includes("word_times") ? shortName(family.title) : [],
  );
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

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

/**
 * Lets all voices speak equally loud: each task gets one gain, which its voice alone decides. So no segment and no answer is
 * louder than another by what it says.
 *
 * Tasks that have a gain keep it.
 */
export const withLoudness = (runner: Runner, levels: Levels): Runner =>
  withKind(runner, "synthesis", (task, ...rest) =>
    runner.run({ ...task, gain: task.gain ?? gainFor(task, levels) }, ...rest),
  );
