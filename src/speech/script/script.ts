/**
 * What a caller's text asks for besides words: silence, and how parts of it are read.
 *
 *   Hello. [pause 300ms] World.            text  silence  text
 *   <speak>Hello. <break time="300ms"/> World.</speak>
 *
 * A text that begins with <speak> is SSML; marks of pauses are read in any other. Parts keep their places in the text.
 */
import type { ScriptPart, TextPart, Traced } from "../../engine/protocol/plan.ts";
import { invalidInput, type Refusal } from "../../errors.ts";
import type { Value } from "../text/values/value.ts";
import { TracedBuilder } from "./traced-builder.ts";

/** How a part of a text is pronounced, in IPA; `text` is for engines that read letters. */
export type Pronounced = { text: string; ipa: string };

/** A part of a text that is marked as a date or the like. `language`: the only one in which it may be read. */
export type MarkedValue = Value & { language: string | null };

/**
 * `pronounced`: what the private signs in the parts stand for, in order from U+E000; `values` those from U+E100, until
 * `withValues` reads them. `visible` is the text with spaces in place of its marks, as long as the text.
 */
export type Script = {
  parts: ScriptPart[];
  pronounced: Pronounced[];
  values: MarkedValue[];
  visible: string;
};

const SILENCE_MAX = { ms: 10_000, totalMs: 60_000, count: 200 };

export const isText = (part: ScriptPart): part is TextPart => "text" in part;

/** A part of the text as it stands there. */
export function sliceOf(text: string, from: number, to: number): Traced {
  const built = new TracedBuilder();
  built.copy(text, from, to);
  return built.traced();
}

/** Throws where the silence is longer than one request may have. */
export function checkSilence(parts: readonly ScriptPart[]): void {
  const silences = parts.flatMap((part) => (isText(part) ? [] : part.silenceMs));
  const totalMs = silences.reduce((sum, ms) => sum + ms, 0);
  if (silences.length > SILENCE_MAX.count)
    throw wrongInput(`has ${silences.length} pauses; at most ${SILENCE_MAX.count} are allowed`);
  if (silences.some((ms) => ms > SILENCE_MAX.ms))
    throw wrongInput(`has a pause of more than ${SILENCE_MAX.ms / 1000} seconds`);
  if (totalMs > SILENCE_MAX.totalMs)
    throw wrongInput(`has pauses of more than ${SILENCE_MAX.totalMs / 1000} seconds together`);
}

export const wrongInput = (message: string): Refusal =>
  invalidInput([{ field: "input", code: "malformed", message }]);
