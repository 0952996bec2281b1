/** Builds a text piece by piece, with the place of each in the caller's text. */
import type { Traced } from "../../engine/protocol/plan.ts";

/** The private signs that stand for pronunciations, and for marked values; in a caller's text they mean nothing. */
const SIGNS = /[\uE000-\uE2FF]/g;
const FIRST_SIGN = 0xe000;
const FIRST_VALUE = 0xe100;

/** The sign of a pronunciation by its number, below 256. */
export const signOf = (index: number): string => String.fromCharCode(FIRST_SIGN + index);

/** The sign of a marked value by its number, below 512. */
export const valueSignOf = (index: number): string => String.fromCharCode(FIRST_VALUE + index);

/** The number of a marked value by its sign. */
export const valueIndexOf = (sign: string): number => sign.charCodeAt(0) - FIRST_VALUE;

const withoutSigns = (text: string): string => text.replace(SIGNS, " ");

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
