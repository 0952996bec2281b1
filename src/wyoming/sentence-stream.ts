/**
 * Sentences from text that arrives in pieces of any size, such as the tokens of a language model. Pure.
 *
 * A sentence is complete when another begins or its line ends, so that "3." waits for what may be "3.50". SSML is whole at its
 * end only.
 */
import { isSsml } from "../speech/script/read-script.ts";
import { splitSentences } from "../speech/text/sentences.ts";

/** Where text without an end is divided, in code units, so that it can be spoken at all. */
const LONGEST = 1000;
/** Only such a character can complete a sentence; anything else is not worth splitting again. */
const BOUNDARY = /[.!?…。！？\n"'”’»)\]]/;

export class SentenceStream {
  readonly #language: string;
  #pending = "";
  #mayEnd = false;

  /** `language`: a primary subtag, such as "en". */
  constructor(language: string) {
    this.#language = language;
  }

  /** The sentences that this piece completes. */
  push(piece: string): string[] {
    const sentences: string[] = [];
    for (let offset = 0; offset < piece.length; offset += LONGEST)
      sentences.push(...this.#add(piece.slice(offset, offset + LONGEST)));
    return sentences;
  }

  #add(piece: string): string[] {
    this.#pending += piece;
    if (isSsml(this.#pending)) return [];
    const isLong = this.#pending.length > LONGEST;
    this.#mayEnd ||= BOUNDARY.test(piece);
    if (!this.#mayEnd && !isLong) return [];
    const lines = this.#pending.split("\n");
    const open = splitSentences(lines.pop()!, this.#language);
    this.#pending = open.pop() ?? "";
    const complete = [...lines.flatMap((line) => splitSentences(line, this.#language)), ...open];
    if (this.#pending.length > LONGEST) complete.push(this.#cut());
    this.#mayEnd = BOUNDARY.test(this.#pending);
    return complete.filter(isSpeakable);
  }

  /** Up to the last space. */
  #cut(): string {
    const space = this.#pending.lastIndexOf(" ", LONGEST);
    const end = space > 0 ? space : LONGEST;
    const part = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    return part;
  }

  /** What is left, at the end of the text. */
  finish(): string[] {
    const rest = isSsml(this.#pending) ? [this.#pending] : splitSentences(this.#pending, this.#language);
    this.#pending = "";
    return rest.filter(isSpeakable);
  }
}

/** Emoji and marks alone are not spoken. */
const isSpeakable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
