/**
 * Drops what a language model thinks from the text of its answer, which comes in pieces that are cut anywhere.
 *
 *   <think>plan</think>Done.      plan</think>Done.      <|channel|>analysis<|message|>plan<|channel|>final<|message|>Done.
 *
 * Some templates give the first mark to the model, so that an answer begins within its thinking and has the last mark alone:
 * where that may be, the beginning is held back until it is known. What one answer shows holds for the next ones.
 */

/** Whether answers begin within their thinking. `unknown`: a part of the beginning is held back. */
export type Leading = "yes" | "no" | "unknown";

/** The first group is a mark that ends it. */
const MARK =
  /(<\/(?:think|thinking|thought|reasoning|reflection)\s?>|\[\/THINK\]|◁\/think▷|<\|channel\|>final(?:<\|message\|>)?)|<(?:think|thinking|thought|reasoning|reflection)>|\[THINK\]|◁think▷|<\|channel\|>(?:analysis|commentary)(?:<\|message\|>)?/gi;
/** Signs of a model that stand for no text. */
const SIGN = /<\|[a-z_]{1,30}\|>/gi;
/** A mark, or its beginning, at the end of what has come. */
const UNFINISHED =
  /(?:<(?:\/?[a-z]{0,12}\s?|\|[a-z_]{0,30}\|?)|<\|channel\|>[a-z]{0,12}|\[\/?[A-Z]{0,6}|◁[^▷]{0,8})$/i;
const MARK_CHARACTERS = 80; // no mark, or its beginning, is longer
const HELD_CHARACTERS = { yes: 16 * 1024, no: 0, unknown: 200 } as const;

export class ThinkingFilter {
  #pending = "";
  #isThinking = false;
  /** How much of the beginning is held back, in case it is thinking whose first mark is missing. */
  #held: number;
  #hasText = false;
  #leads: Leading = "unknown";

  constructor(leading: Leading) {
    this.#held = HELD_CHARACTERS[leading];
  }

  /** What this answer shows, as far as it has come. */
  get leads(): Leading {
    return this.#leads;
  }

  /** The text of the answer that is certain. */
  push(piece: string): string {
    this.#pending += piece;
    return this.#trimmed(this.#take());
  }

  #take(): string {
    let text = "";
    let at = 0; // of what is pending, up to here it is text or dropped
    for (const { 0: mark, 1: end, index } of this.#pending.matchAll(MARK)) {
      if (end && this.#leads === "unknown" && !this.#isThinking) this.#leads = "yes";
      const isLeading = this.#held > 0 || !this.#hasText; // the first mark may be missing
      if (!end && this.#leads === "unknown") this.#leads = "no";
      if (this.#isThinking ? !end : end && !isLeading) continue;
      if (!this.#isThinking && !end) text += this.#pending.slice(at, index);
      at = index + mark.length;
      this.#isThinking = !end;
      this.#held = 0;
    }
    this.#pending = this.#pending.slice(at);
    if (this.#isThinking) {
      this.#pending = this.#pending.slice(-MARK_CHARACTERS);
      return text;
    }
    if (this.#pending.length < this.#held) return text;
    this.#held = 0;
    const from = Math.max(0, this.#pending.length - MARK_CHARACTERS);
    const unfinished = UNFINISHED.exec(this.#pending.slice(from));
    const end = unfinished ? from + unfinished.index : this.#pending.length;
    text += this.#pending.slice(0, end).replace(SIGN, "");
    this.#pending = this.#pending.slice(end);
    return text;
  }

  /** What is left, at the end of the answer. `isWhole`: the model has ended it. */
  finish(isWhole: boolean): string {
    if (isWhole && this.#leads === "unknown") this.#leads = "no";
    const rest = this.#isThinking ? "" : this.#pending.replace(SIGN, "");
    this.#pending = "";
    return this.#trimmed(rest);
  }

  /** Thinking leaves empty lines before the answer. */
  #trimmed(text: string): string {
    const trimmed = this.#hasText ? text : text.trimStart();
    this.#hasText ||= trimmed !== "";
    return trimmed;
  }
}
