/**
 * What a caller's text asks for besides words: silence, and how parts of it are read.
 *
 *   Hello. [pause 300ms] World.            text  silence  text
 *   <speak>Hello. <break time="300ms"/> World.</speak>
 *
 * A text that begins with <speak> is SSML; marks of pauses are read in any other. Parts keep their places in the text.
 */
import type { ScriptPart, TextPart, Traced } from "../../engine/protocol/plan.ts";
import { EVERY_SIGN } from "../../engine/protocol/signs.ts";
import { invalidInput, type Refusal } from "../../errors.ts";
import type { Value } from "../text/values/value.ts";

/** How a part of a text is pronounced, in IPA; `text` is for engines that read letters. */
export type Pronounced = { text: string; ipa: string };

/** A part of a text that is marked as a date or the like. `language`: the only one in which it may be read. */
export type MarkedValue = Value & { language: string | null };

/**
 * `pronounced`: what the signs of pronunciations in the parts stand for, in order; `values` those of values, until `withValues`
 * reads them. `visible` is the text with spaces in place of its marks, as long as the text.
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

/** In a caller's text they mean nothing. */
const withoutSigns = (text: string): string => text.replace(EVERY_SIGN, " ");

/** Builds a text piece by piece, with the place of each in the caller's text. */
export class TracedBuilder {
  readonly #pieces: string[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  /** A part of the caller's text as it stands there. */
  copy(text: string, from: number, to: number): void {
    this.#pieces.push(withoutSigns(text.slice(from, to)));
    for (let at = from; at < to; at++) {
      this.#from.push(at);
      this.#to.push(at + 1);
    }
  }

  /** What the caller has read for a part of the text. */
  replace(text: string, from: number, to: number): void {
    this.place(withoutSigns(text), from, to);
  }

  /** As `replace`, of a text that may have signs. */
  place(text: string, from: number, to: number): void {
    this.#pieces.push(text);
    for (let at = 0; at < text.length; at++) {
      this.#from.push(from);
      this.#to.push(to);
    }
  }

  /** What stands for nothing of the caller's text. */
  insert(text: string, at: number): void {
    this.replace(text, at, at);
  }

  append({ text, origins }: Traced): void {
    this.#pieces.push(text);
    for (let at = 0; at < text.length; at++) {
      this.#from.push(origins.from[at]!);
      this.#to.push(origins.to[at]!);
    }
  }

  traced(): Traced {
    const origins = { from: Int32Array.from(this.#from), to: Int32Array.from(this.#to) };
    return { text: this.#pieces.join(""), origins };
  }
}
