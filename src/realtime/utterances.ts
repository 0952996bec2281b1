/**
 * The utterances of a session: their words, and their order of commits.
 *
 *   begin ──words …──> commit ──words …──> outcome ──once every earlier one has its own──> concluded
 */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Word } from "../engine/protocol/recognition.ts";
import { Refusal } from "../errors.ts";
import type { Front, Utterance } from "./front.ts";

export class Utterances {
  readonly #front: Front;
  readonly #waiting: Utterance[] = [];
  #failedSeconds = 0;

  constructor(front: Front) {
    this.#front = front;
  }

  /** `announced`: the client knows of it, and its words are told as they arrive. */
  begin(id: string, fromSeconds: number, announced: boolean): Utterance {
    const held = announced ? null : [];
    return { id, fromSeconds, seconds: 0, words: [], held, outcome: null };
  }

  commit(utterance: Utterance, untilSeconds: number): void {
    utterance.seconds = untilSeconds - utterance.fromSeconds;
    this.#waiting.push(utterance);
    this.#front.committed(utterance);
    const held = utterance.held ?? [];
    utterance.held = null;
    if (held.length > 0) this.#front.words(utterance, held);
  }

  /** The client's idle timeout has passed without speech: an empty utterance. Positions are in samples at 16 kHz. */
  idle(id: string, from: number, to: number): void {
    const utterance = this.begin(id, from / ASR_SAMPLE_RATE, true);
    this.#front.idle(utterance, from, to);
    utterance.outcome = "completed";
    this.commit(utterance, to / ASR_SAMPLE_RATE);
    this.tellConcluded();
  }

  /** Whether anything committed is still being transcribed. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  waitingFor(id: string): Utterance | null {
    return this.#waiting.find((utterance) => utterance.id === id) ?? null;
  }

  /** Appends final words to an utterance. */
  add(utterance: Utterance, words: Word[]): void {
    utterance.words = [...utterance.words, ...words];
    if (utterance.held !== null) utterance.held.push(...words);
    else if (words.length > 0) this.#front.words(utterance, words);
  }

  conclude(utterance: Utterance, outcome: Utterance["outcome"]): void {
    utterance.outcome = outcome;
    this.tellConcluded();
  }

  /** Tells every outcome whose predecessors have been told. */
  tellConcluded(): void {
    while (this.#waiting[0]?.outcome) {
      const utterance = this.#waiting.shift()!;
      if (utterance.outcome instanceof Refusal) this.#failedSeconds += undeliveredSeconds(utterance);
      this.#front.concluded(utterance);
    }
  }

  /** Seconds that are not billed: after the last word of utterances that failed and, before the end, of those that still may. */
  unpaidSeconds(open: Utterance[], isOver: boolean): number {
    return [...this.#waiting, ...open]
      .filter(({ outcome }) => outcome instanceof Refusal || (!isOver && outcome === null))
      .reduce((sum, utterance) => sum + undeliveredSeconds(utterance), this.#failedSeconds);
  }
}

/** After its last word. */
const undeliveredSeconds = ({ words, seconds }: Utterance): number =>
  Math.max(0, seconds - Math.max(0, ...words.slice(-1).map(({ end }) => end)));
