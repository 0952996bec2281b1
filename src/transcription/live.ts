/**
 * Live recognition with engines that keep no state: the audio that is not final yet is recognized again and again. Words
 * that were sent are never changed. (`streaming-recognition.ts` does the same with engines that keep state.)
 *
 *   pushed    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
 *   window    ├──run 1──┤
 *             ├──run 2───────┤       words that two runs agree on are sent, and later leave the window
 *                  ├──run 3──────┤   from 12 s on, everything before a quiet place leaves it
 *
 * A run starts when there is enough new audio, at every pause, which may end the utterance, and at the end. So the last
 * words of a turn are usually known before the silence that ends it is over.
 */
import { firstPiece } from "../audio/energy-vad.ts";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Claim } from "../engine/claim.ts";
import type { Word } from "../engine/protocol/recognition.ts";
import type { Engine } from "../engine/registry.ts";
import type { Refusal } from "../errors.ts";
import { type Agreement, agree, conclude, NOTHING_YET } from "./agreement.ts";
import { recognitionFault, recognize } from "./recognize.ts";

/** One utterance. After `settled`, no further callback is called. */
export type LiveOptions = {
  /** The engine that recognizes it, and the callbacks for its results. */
  engine: string;
  language: string | null;
  /** Where it is detected: one of these; absent: one of any. */
  languages?: readonly string[];
  prompt: string;
  /** Words to prefer. */
  keywords?: readonly string[];
  organization: string;
  request: string;
  /** Whether speech is known to be going on, and partial results are wanted. */
  spoken: boolean;
  words(words: Word[]): void;
  /** The backlog became shorter. */
  progressed(): void;
  settled(outcome: "completed" | Refusal): void;
};

export type LiveStream = {
  /** 16 kHz. */
  push(samples: Float32Array): void;
  /** The speaker paused. */
  pause(): void;
  /** The utterance is complete; `paused`: without speech since the last pause. */
  finish(paused: boolean): void;
  drop(): void;
  /** Seconds pushed and not yet recognized. */
  behindSeconds(): number;
};

export type LiveRecognizer = { open(listener: LiveOptions): LiveStream };

const FIRST_SECONDS = 0.8;
const STEP_SECONDS = 1;
const WINDOW = 12 * ASR_SAMPLE_RATE;
// Confirmed words leave the window, except for three seconds; the last two give the next words their context. This is
// half the work of recognizing whole utterances again, without more errors (25 % against 26 % of 13 recordings).
const TRIM_FROM = 3 * ASR_SAMPLE_RATE;
const CONTEXT = 2 * ASR_SAMPLE_RATE;

export function openRepeatedRecognition(engine: (name: string) => Engine): LiveRecognizer {
  return { open: (listener) => new Rehearing(engine(listener.engine), listener) };
}

class Rehearing implements LiveStream {
  readonly #engine: Engine;
  readonly #listener: LiveOptions;
  readonly #left = new AbortController();
  readonly #window: Window = new Window();
  #agreement: Agreement = NOTHING_YET;
  /** Positions in the utterance: the end of what was recognized, and of the last attempt. */
  #recognized = 0;
  #asked = 0;
  #pausedAt: number | null = null;
  #busy = false;
  #tookSeconds = 0;
  #finishing = false;

  constructor(engine: Engine, listener: LiveOptions) {
    this.#engine = engine;
    this.#listener = listener;
  }

  push(samples: Float32Array): void {
    this.#window.push(samples);
    this.#advance();
  }

  pause(): void {
    this.#pausedAt = this.#window.end;
    this.#advance();
  }

  finish(paused: boolean): void {
    this.#finishing = true;
    if (!paused) this.#pausedAt = null;
    this.#advance();
  }

  drop(): void {
    this.#left.abort();
    this.#recognized = this.#window.end;
  }

  behindSeconds(): number {
    return Math.max(0, this.#window.end - this.#recognized) / ASR_SAMPLE_RATE;
  }

  #advance(): void {
    if (this.#busy || this.#left.signal.aborted) return;
    const { start, end } = this.#window;
    const fresh = end - this.#asked;
    if (end - start > WINDOW) void this.#recognize(this.#window.firstPiece(), "realtime");
    else if (this.#finishing && this.#recognized >= (this.#pausedAt ?? end)) this.#settle("completed");
    else if (this.#finishing) void this.#recognize(end, "realtime");
    else if (this.#pausedAt !== null && this.#asked < this.#pausedAt) void this.#recognizeAgain("realtime");
    else if (this.#listener.spoken && fresh >= this.#step()) void this.#recognizeAgain("streaming");
  }

  /** Less often for slower engines. */
  #step(): number {
    return (
      ASR_SAMPLE_RATE * Math.max(this.#recognized === 0 ? FIRST_SECONDS : STEP_SECONDS, 2 * this.#tookSeconds)
    );
  }

  /** Final: everything up to there is sent, and leaves the window. */
  #recognize(until: number, urgency: Claim["urgency"]): Promise<void> {
    return this.#during(
      async () => {
        const words = await this.#listen(until, urgency);
        this.#tell(conclude(this.#agreement, words));
        this.#window.dropBefore(until);
      },
      (fault) => this.#settle(fault),
    );
  }

  /** Preliminary: after a failure, the next run tries again. */
  #recognizeAgain(urgency: Claim["urgency"]): Promise<void> {
    return this.#during(
      async () => {
        const begunMs = performance.now();
        const words = await this.#listen(this.#window.end, urgency);
        this.#tookSeconds = (performance.now() - begunMs) / 1000;
        this.#tell(agree(this.#agreement, words));
        this.#trim();
      },
      () => {},
    );
  }

  #trim(): void {
    const { start, end } = this.#window;
    if (end - start < TRIM_FROM) return;
    const ends = this.#agreement.confirmed.map((word) => Math.round(word.end * ASR_SAMPLE_RATE));
    const place = ends.findLast((each) => each <= end - CONTEXT);
    if (place !== undefined && place > start) this.#window.dropBefore(place);
  }

  async #during(work: () => Promise<void>, failed: (fault: Refusal) => void): Promise<void> {
    this.#busy = true;
    try {
      await work();
    } catch (cause) {
      if (this.#left.signal.aborted) return;
      failed(recognitionFault(cause));
    } finally {
      this.#busy = false;
    }
    this.#advance();
    this.#listener.progressed();
  }

  async #listen(until: number, urgency: Claim["urgency"]): Promise<Word[]> {
    this.#asked = this.#window.end;
    const { organization, request, spoken, language, languages = [], prompt, keywords = [] } = this.#listener;
    const samples = this.#window.until(until);
    const offset = this.#window.start / ASR_SAMPLE_RATE;
    const claim = { urgency, organization, request, signal: this.#left.signal };
    const spans = spoken ? [{ start: 0, end: samples.length }] : null;
    const segments = await Array.fromAsync(
      recognize(this.#engine, {
        samples,
        spans,
        language,
        languages,
        prompt,
        keywords,
        mustPrefer: true,
        claim,
      }),
    );
    this.#recognized = Math.max(this.#recognized, until);
    return segments
      .flatMap(({ words }) => words)
      .map((word) => ({ ...word, start: word.start + offset, end: word.end + offset }));
  }

  #tell(next: Agreement): void {
    const words = next.confirmed.slice(this.#agreement.confirmed.length);
    this.#agreement = next;
    if (words.length > 0 && !this.#left.signal.aborted) this.#listener.words(words);
  }

  #settle(outcome: "completed" | Refusal): void {
    if (outcome === "completed") this.#tell(conclude(this.#agreement, this.#agreement.tentative));
    this.drop();
    this.#listener.settled(outcome);
  }
}

/** The part of an utterance that is not final, by positions in the utterance. */
class Window {
  #parts: Float32Array[] = [];
  start = 0;
  end = 0;

  push(samples: Float32Array): void {
    this.#parts.push(samples);
    this.end += samples.length;
  }

  /** A copy. */
  until(place: number): Float32Array {
    return this.#whole().slice(0, place - this.start);
  }

  dropBefore(place: number): void {
    this.#parts = [this.#whole().slice(place - this.start)];
    this.start = place;
  }

  /** The end of the first part that can become final. */
  firstPiece(): number {
    return this.start + firstPiece(this.#whole().subarray(0, WINDOW), ASR_SAMPLE_RATE);
  }

  #whole(): Float32Array {
    const whole = new Float32Array(this.end - this.start);
    let offset = 0;
    for (const part of this.#parts) {
      whole.set(part, offset);
      offset += part.length;
    }
    this.#parts = [whole];
    return whole;
  }
}
