/**
 * Deltas of another server as words that stay as they are: a word is complete once another follows it, or at once where
 * the server sends whole words. Times are estimated: they only say that a word was spoken before it arrived.
 *
 *   deltas   "the ol" "d hou" "se"     words   the · old · house (at the end)
 */
import type { Word } from "../../engine/protocol/recognition.ts";

/** `untilSeconds`: how much of the audio was sent. `confidence`: 0 to 1. */
export type Arrival = { untilSeconds: number; confidence: number };

export class LiveWords {
  readonly #wholeWords: boolean;
  /** Of a word that may go on. */
  #held = "";
  #text = "";
  #count = 0;
  #lastSeconds = 0;

  constructor(wholeWords: boolean) {
    this.#wholeWords = wholeWords;
  }

  /** How much text was received, in characters. */
  get length(): number {
    return this.#text.length + this.#held.length;
  }

  add(delta: string, arrival: Arrival): Word[] {
    this.#held += delta;
    const end = this.#wholeWords ? this.#held.length : lastSpace(this.#held);
    return this.#take(Math.max(0, end), arrival);
  }

  /** The rest, by the transcript of all: what was sent before is not taken back, whatever the transcript says. */
  finish(transcript: string, arrival: Arrival): Word[] {
    if (transcript.startsWith(this.#text)) this.#held = transcript.slice(this.#text.length);
    else this.#held = ` ${transcript.trim().split(/\s+/).slice(this.#count).join(" ")}`;
    return this.#take(this.#held.length, arrival);
  }

  #take(end: number, { untilSeconds, confidence }: Arrival): Word[] {
    const taken = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    const texts = taken.split(/\s+/).filter((text) => text !== "");
    const isGlued = this.#text !== "" && !/^\s/.test(taken) && !/\s$/.test(this.#text);
    this.#text += this.#text === "" ? taken.trimStart() : taken;
    if (texts.length === 0) return [];
    this.#count += texts.length;
    const from = this.#lastSeconds;
    const each = Math.max(0, untilSeconds - from) / texts.length;
    this.#lastSeconds = Math.max(from, untilSeconds);
    return texts.map((text, index) => ({
      text,
      start: from + index * each,
      end: from + (index + 1) * each,
      confidence,
      ...(index === 0 && isGlued ? { glued: true } : {}),
    }));
  }
}

const lastSpace = (text: string): number => text.search(/\s\S*$/);
