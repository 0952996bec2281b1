/** One turn of a caller: how far it was told to the client, and whether it may be over. */

import type { Word } from "../../engine/protocol/recognition.ts";
import { joined } from "../../transcription/transcript.ts";
import type { Utterance } from "../front.ts";
import type { Heard } from "../stages.ts";

/** An answer to what was said, or to silence. `note`: for its model. */
export type Owed = { note: string | null; heard: Heard | null };

const GUESSES_MAX = 3; // of what may be answered, in one turn
const GUESSED_MS = 10_000; // a caller who has spoken longer is likely to go on

export class CallerTurn {
  readonly utterance: Utterance;
  /** It was not told yet, and began there, in samples at 16 kHz; null: it was. */
  heldFrom: number | null = null;
  stoppedAt: number | null = null;
  isCommitted = false;
  isByClient = false;
  /** For how long the caller had been silent; null: the caller spoke. */
  idleSeconds: number | null = null;
  /** An answer ended because of it. */
  hasInterrupted = false;
  spokenMs = 0;
  /** When the last of its speech was heard. */
  endedMs: number;
  #isQuiet = false;
  #guess: string | null = null;
  #guesses = 0;

  constructor(utterance: Utterance, nowMs: number) {
    this.utterance = utterance;
    this.endedMs = nowMs;
  }

  /** It goes on, with speech or silence. Returns whether that is speech. */
  goesOn(spokenMs: number, nowMs: number): boolean {
    this.#isQuiet = spokenMs <= this.spokenMs;
    this.spokenMs = Math.max(spokenMs, this.spokenMs);
    if (this.#isQuiet) return false;
    this.#guess = null;
    this.endedMs = nowMs;
    return true;
  }

  /** What it is owed, where it is answered now that it is transcribed. */
  owed(nowMs: number): Owed {
    const { idleSeconds, endedMs } = this;
    if (idleSeconds === null) return { note: null, heard: { endedMs, transcriptMs: nowMs } };
    return { note: `(The caller has been silent for ${Math.round(idleSeconds)} seconds.)`, heard: null };
  }

  /** What may be answered already, if these words beside those that are final are all of it; null: nothing that is new. */
  guess(tentative: readonly Word[]): string | null {
    const transcript = joined([...this.utterance.words, ...tentative]);
    if (transcript === "" || transcript === this.#guess) return null;
    if (!this.#isQuiet || this.#guesses === GUESSES_MAX || this.spokenMs > GUESSED_MS) return null;
    this.#guesses++;
    this.#guess = transcript;
    return transcript;
  }
}
