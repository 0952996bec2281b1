/** What fronts of dialects have in common: utterances in their order, their words in the session's time. */
import type { Word } from "../../engine/protocol/recognition.ts";
import type { Refusal } from "../../errors.ts";
import type { Front, Utterance } from "../../realtime/front.ts";
import type { Settings } from "../../realtime/settings.ts";

/**
 * Final words that were not told yet, and what was heard beyond them. Times are seconds of the session. `isComplete`: its
 * last words follow at once.
 */
export type Pending = { id: string; from: number; words: Word[]; tentative: Word[]; isComplete: boolean };

/** `changed` is told of the oldest utterance; later ones wait for its end. */
export abstract class LiveFront implements Front {
  /** Utterances that are not concluded, the oldest first. */
  protected readonly pending: Pending[] = [];
  #speaking = false;

  protected abstract changed(pending: Pending): void;
  /** `outcome`: as the utterance has it. */
  protected abstract ended(pending: Pending, utterance: Utterance): void;
  abstract refused(refusal: Refusal, eventId: string | null): void;

  readonly interim = (utterance: Utterance, words: Word[]): void => {
    const pending = this.#of(utterance);
    pending.tentative = placed(words, pending.from);
    this.#tell(pending);
  };

  /** Whether speech is going on, or what was said is still being transcribed. */
  get isListening(): boolean {
    return this.#speaking || this.pending.length > 0;
  }

  speechStarted(utterance: Utterance, _at: number): void {
    this.#speaking = true;
    this.#of(utterance);
  }

  speechStopped(_utterance?: Utterance): void {
    this.#speaking = false;
  }

  paused(utterance: Utterance, tentative: Word[]): void {
    const pending = this.#of(utterance);
    this.guessed(pending, placed(tentative, pending.from));
  }

  /** The speaker pauses: the words that would be final then, beyond those that are. */
  protected guessed(_pending: Pending, _tentative: Word[]): void {}

  speaking(utterance: Utterance, _spokenMs: number, _quietMs: number): void {
    this.#of(utterance);
  }

  committed(utterance: Utterance): void {
    this.#speaking = false;
    this.#of(utterance).isComplete = true;
  }

  words(utterance: Utterance, added: Word[]): void {
    const pending = this.#of(utterance);
    pending.words.push(...placed(added, pending.from));
    pending.tentative = pending.tentative.slice(added.length);
    this.#tell(pending);
  }

  concluded(utterance: Utterance): void {
    const pending = this.#of(utterance);
    pending.tentative = [];
    this.#forget(utterance);
    this.ended(pending, utterance);
  }

  dropped(utterance: Utterance): void {
    this.#speaking = false;
    this.#forget(utterance);
  }

  created(): void {}
  updated(_settings: Settings, _language: string): void {}
  idle(): void {}
  cleared(): void {}
  ending(): void {}
  isBusy = (): boolean => false;
  isAudible = (): boolean => false;

  #tell(pending: Pending): void {
    const isLast = pending.isComplete && pending.tentative.length === 0; // its end follows at once
    if (this.pending[0] === pending && !isLast) this.changed(pending);
  }

  #of({ id, fromSeconds }: Utterance): Pending {
    const known = this.pending.find((each) => each.id === id);
    if (known) return known;
    const pending = { id, from: fromSeconds, words: [], tentative: [], isComplete: false };
    this.pending.push(pending);
    return pending;
  }

  #forget({ id }: Utterance): void {
    const index = this.pending.findIndex((each) => each.id === id);
    if (index >= 0) this.pending.splice(index, 1);
  }
}

const placed = (words: readonly Word[], from: number): Word[] =>
  words.map((word) => ({ ...word, start: word.start + from, end: word.end + from }));
