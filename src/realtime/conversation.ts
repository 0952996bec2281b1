/**
 * The utterances of a session: their words, their order of commits, and the last hundred for retrieval.
 *
 *   begin ──words …──> commit ──words …──> outcome ──once every earlier one has its own──> sent
 */
import type { Word } from "../engine/protocol/recognition.ts";
import { Refusal } from "../errors.ts";
import { joined } from "../transcription/transcript.ts";
import * as events from "./events.ts";
import type { Outbox } from "./outbox.ts";

const KEPT = 100;

/** How transcripts are sent: as beta events, with log probabilities, in which language. */
type TranscriptStyle = {
  beta: boolean;
  logprobs: boolean;
  language: string;
  errorFields: (refusal: Refusal) => events.ErrorFields;
};

export type Utterance = events.Item & {
  /** Its start in the session's audio, and its committed length. */
  fromSeconds: number;
  seconds: number;
  words: Word[];
  /** Words not sent yet, because the utterance was not announced to the client; null once it was. */
  held: Word[] | null;
  outcome: "completed" | Refusal | null;
};

export class Conversation {
  readonly #name: string;
  readonly #out: Outbox;
  readonly #kept = new Map<string, Utterance>();
  readonly #waiting: Utterance[] = [];
  #begun = 0;
  #lastId: string | null = null;
  #failedSeconds = 0;
  style: TranscriptStyle;

  constructor(name: string, out: Outbox, style: TranscriptStyle) {
    this.#name = name;
    this.#out = out;
    this.style = style;
  }

  /** `announced`: the client knows of it, and its words are sent as they arrive. */
  begin(fromSeconds: number, announced: boolean): Utterance {
    const id = `item_${this.#name}_${++this.#begun}`;
    const held = announced ? null : [];
    return {
      id,
      previousId: null,
      transcript: null,
      fromSeconds,
      seconds: 0,
      words: [],
      held,
      outcome: null,
    };
  }

  commit(utterance: Utterance, untilSeconds: number): void {
    utterance.seconds = untilSeconds - utterance.fromSeconds;
    utterance.previousId = this.#lastId;
    this.#lastId = utterance.id;
    this.#waiting.push(utterance);
    this.#kept.set(utterance.id, utterance);
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    for (const event of events.committed(utterance, this.style.beta)) this.#out.send(event);
    const held = utterance.held ?? [];
    utterance.held = null;
    this.#delta(utterance, held);
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
    if (utterance.held === null) this.#delta(utterance, words);
    else utterance.held.push(...words);
  }

  #delta({ id, words }: Utterance, added: Word[]): void {
    if (added.length === 0) return;
    const isFirst = words.length === added.length || added[0]?.glued;
    const text = isFirst ? joined(added) : ` ${joined(added)}`;
    this.#out.send(events.delta(id, text, this.style.logprobs ? added : null));
  }

  /** Sends every outcome whose predecessors have been sent. */
  sendConcluded(): void {
    while (this.#waiting[0]?.outcome) {
      const utterance = this.#waiting.shift()!;
      const { id, words, seconds, outcome } = utterance;
      if (outcome instanceof Refusal) this.#failedSeconds += undeliveredSeconds(utterance);
      const { language, logprobs } = this.style;
      const transcript = joined(words);
      utterance.transcript = transcript;
      if (outcome instanceof Refusal) this.#out.send(events.failed(id, this.style.errorFields(outcome)));
      else
        this.#out.send(
          events.completed(id, { transcript, seconds, language, words: logprobs ? words : null }),
        );
    }
  }

  /** Seconds that are not billed: after the last word of utterances that failed and, before the end, of those that still may. */
  unpaidSeconds(open: Utterance[], isOver: boolean): number {
    return [...this.#waiting, ...open]
      .filter(({ outcome }) => outcome instanceof Refusal || (!isOver && outcome === null))
      .reduce((sum, utterance) => sum + undeliveredSeconds(utterance), this.#failedSeconds);
  }

  find(id: string): Utterance {
    const item = this.#kept.get(id);
    if (item) return item;
    const message = `There is no item ${id.slice(0, 100)}; the last ${KEPT} are kept.`;
    throw new Refusal("item_not_found", message, { param: "item_id" });
  }

  delete(id: string): void {
    this.#kept.delete(this.find(id).id);
  }
}

/** After its last word. */
const undeliveredSeconds = ({ words, seconds }: Utterance): number =>
  Math.max(0, seconds - Math.max(0, ...words.slice(-1).map(({ end }) => end)));
