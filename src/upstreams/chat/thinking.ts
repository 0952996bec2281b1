/**
 * Drops what a language model thinks from the text of its answer, which comes in pieces that are cut anywhere.
 *
 *   <think>plan</think>Done.      plan</think>Done.      <|channel|>analysis<|message|>plan<|channel|>final<|message|>Done.
 *
 * Some templates give the first mark to the model, so that an answer begins within its thinking and has the last mark alone:
 * where that may be, the beginning is held back until it is known.
 */

const OPEN =
  /<(?:think|thinking|thought|reasoning|reflection)>|\[THINK\]|◁think▷|<\|channel\|>(?:analysis|commentary)(?:<\|message\|>)?/i;
const CLOSE =
  /<\/(?:think|thinking|thought|reasoning|reflection)\s?>|\[\/THINK\]|◁\/think▷|<\|channel\|>final(?:<\|message\|>)?/i;
/** Signs of a model that stand for no text. */
const SIGN = /<\|[a-z_]{1,30}\|>/gi;
/** A mark, or its beginning, at the end of what has come. */
const UNFINISHED = /(?:<[^<>\s]{0,60}|<\|[^>]{0,60}|\[\/?[A-Z]{0,6}|◁[^▷]{0,8})$/;
const HELD_CHARACTERS = 200;

export class ThinkingFilter {
  #pending = "";
  #isThinking = false;
  /** Whether the beginning may be thinking whose first mark is missing. */
  #mayLead: boolean;
  #hasText = false;

  constructor(mayLead: boolean) {
    this.#mayLead = mayLead;
  }

  /** The text of the answer that is certain. */
  push(piece: string): string {
    this.#pending += piece;
    return this.#trimmed(this.#take());
  }

  #take(): string {
    let text = "";
    for (;;) {
      const mark = (this.#isThinking ? CLOSE : this.#next()).exec(this.#pending);
      if (!mark) break;
      const isEnd = CLOSE.test(mark[0]);
      if (!this.#isThinking && !isEnd) text += this.#pending.slice(0, mark.index);
      this.#pending = this.#pending.slice(mark.index + mark[0].length);
      this.#isThinking = !isEnd;
      this.#mayLead = false;
    }
    if (this.#isThinking) {
      this.#pending = this.#pending.slice(-80); // no mark is longer
      return text;
    }
    if (this.#mayLead && this.#pending.length < HELD_CHARACTERS) return text;
    this.#mayLead = false;
    const unfinished = UNFINISHED.exec(this.#pending);
    const end = unfinished ? unfinished.index : this.#pending.length;
    text += this.#pending.slice(0, end).replace(SIGN, "");
    this.#pending = this.#pending.slice(end);
    return text;
  }

  /** A first mark, or a last one where the first may be missing. */
  #next(): RegExp {
    return this.#mayLead || !this.#hasText ? EITHER : OPEN;
  }

  /** What is left, at the end of the answer. */
  finish(): string {
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

const EITHER = new RegExp(`${OPEN.source}|${CLOSE.source}`, "i");
