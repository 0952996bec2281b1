/**
 * When the characters of a context are heard, told with its sound. Clients add up the times of the messages, so each message
 * counts from the end of the one before it.
 */
import type { SpokenPart } from "../../../metered/streamed-speech.ts";
import type { WordTime } from "../../../speech/words/timeline.ts";
import { type Aligned, Alignment } from "./alignment.ts";

type MessageAlignment = { chars: string[]; charStartTimesMs: number[]; charDurationsMs: number[] };

export class ContextAlignment {
  #segment: Alignment | null = null;
  /** Words that are told with the sound to come. */
  #first: readonly WordTime[] = [];
  /** Of the context's sound, in seconds: what was sent, where the segment began, and what was told of. */
  #sent = 0;
  #begun = 0;
  #told = 0;

  /** What a message with this part tells; null: nothing. */
  add(part: SpokenPart): MessageAlignment | null {
    if (part.is === "over") return null;
    if (part.is === "began") {
      this.#segment = part.isTimed ? new Alignment(part.text) : null;
      this.#begun = this.#sent;
      this.#first = part.heard;
      return null;
    }
    const words = this.#segment?.take([...this.#first, ...part.heard]) ?? null;
    this.#first = [];
    if (part.is === "sound") this.#sent += part.ms / 1000;
    const rest = part.is === "ended" ? (this.#segment?.finish(this.#sent - this.#begun) ?? null) : null;
    return this.#messageOf([words, rest].filter((each) => each !== null));
  }

  #messageOf(parts: Aligned[]): MessageAlignment | null {
    if (parts.length === 0) return null;
    const from = this.#told - this.#begun;
    const starts = parts.flatMap((part) => part.starts);
    const ends = parts.flatMap((part) => part.ends);
    this.#told = this.#begun + ends.at(-1)!;
    return {
      chars: parts.flatMap((part) => part.characters),
      charStartTimesMs: starts.map((start) => Math.round(1000 * (start - from))),
      charDurationsMs: starts.map((start, index) => Math.round(1000 * (ends[index]! - start))),
    };
  }
}
