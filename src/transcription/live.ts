/**
 * Live recognition with engines that keep no state: the audio that is not final yet is recognized again and again. Words
 * that were sent are never changed. (`streaming-recognition.ts` does the same with engines that keep state.)
 *
 *   pushed    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
 *   window    ├──run 1──┤
 *             ├──run 2───────┤       words that two runs agree on are sent, and later leave the window
 *                  ├──run 3──────┤   from 12 s on, all but the last words of a run are final
 *
 * A window begins at a confirmed word, at least two seconds before the first word that is not: a model that hears a sentence
 * from its middle leaves out words, or invents some.
 *
 * A run starts when there is enough new audio, at every pause, which may end the utterance, and at the end. So the last
 * words of a turn are usually known before the silence that ends it is over.
 */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Precedence, Word } from "../engine/protocol/recognition.ts";
import type { Engine } from "../engine/registry.ts";
import type { Claim } from "../engine/runner.ts";
import type { Refusal } from "../errors.ts";
import { type Agreement, accept, agree, conclude, NOTHING_YET } from "./agreement.ts";
import { LiveWindow } from "./live-window.ts";
import { recognitionFault, recognize } from "./recognize.ts";

/** The engine that a session used last, for as long as it is loaded after its package was removed. */
export type KeptEngine = { current: { name: string; engine: Engine; isStreaming: boolean } | null };

/** One utterance. After `settled`, no further callback is called. */
export type LiveOptions = {
  /** The engine that recognizes it, and the callbacks for its results. */
  engine: string;
  /** Of the session that the utterance is of; absent: of none. */
  kept?: KeptEngine;
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
  /** The speaker pauses: the words that would be final if nothing followed, beyond those that are. */
  guess?(tentative: Word[]): void;
  /** What was heard last beyond the words that are final, and may still change; absent: it is not wanted. */
  interim?(words: Word[]): void;
  /** The backlog became shorter. */
  progressed(): void;
  settled(outcome: "completed" | Refusal): void;
};

export type EngineOf = Pick<LiveOptions, "engine" | "kept">;

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

// Seconds of new audio for the first run, for the next ones before any word is confirmed, and for all later ones.
const FIRST_SECONDS = 0.6;
const SOON_SECONDS = 0.3;
const STEP_SECONDS = 0.5;
const QUIET_SECONDS = 0.8; // after a pause, which is longer than most silences that end a turn
const EDGE_SECONDS = 1; // at the end of a part, where its words are not final
const WINDOW = 12 * ASR_SAMPLE_RATE;
const TRIM_FROM = 6 * ASR_SAMPLE_RATE;
// What is kept before the end of the last confirmed word, so that the words after it are heard as in a sentence.
const CONTEXT_SECONDS = 2;
const CONTEXT_MAX_SECONDS = 6;
const WORD_SECONDS = 1; // few words take longer

/** `now` is a clock in milliseconds. */
export function openRepeatedRecognition(
  engine: (of: EngineOf) => Engine,
  now = () => performance.now(),
): LiveRecognizer {
  return { open: (listener) => new RepeatedStream(engine(listener), listener, now) };
}

class RepeatedStream implements LiveStream {
  readonly #engine: Engine;
  readonly #listener: LiveOptions;
  readonly #now: () => number;
  readonly #window = new LiveWindow();
  #agreement: Agreement = NOTHING_YET;
  /** Positions in the utterance: the end of what was recognized, and of the last attempt. */
  #recognized = 0;
  #asked = 0;
  #pausedAt: number | null = null;
  /** Of the run that goes on; null: none does. */
  #run: AbortController | null = null;
  #isPreliminary = false;
  #tookSeconds = 0;
  #finishing = false;
  #isOver = false;

  constructor(engine: Engine, listener: LiveOptions, now: () => number) {
    this.#engine = engine;
    this.#listener = listener;
    this.#now = now;
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
    this.#isOver = true;
    this.#run?.abort();
    this.#recognized = this.#window.end;
  }

  behindSeconds(): number {
    return Math.max(0, this.#window.end - this.#recognized) / ASR_SAMPLE_RATE;
  }

  #advance(): void {
    if (this.#isOver) return;
    const { start, end } = this.#window;
    const done = this.#recognized >= (this.#pausedAt ?? end);
    if (this.#finishing && done) this.#settle("completed");
    else if (this.#run) this.#makeWay(this.#run);
    else if (end - start > WINDOW) void this.#recognizePart();
    else if (this.#finishing) void this.#recognizeRest();
    else if (this.#pausedAt !== null && this.#asked < this.#pausedAt) void this.#recognizeAgain("final");
    else if (this.#listener.spoken && end - this.#asked >= this.#step())
      void this.#recognizeAgain(this.#agreement.confirmed.length === 0 ? "first" : "later");
  }

  /** A run whose words something later needs again is given up when that can begin: the final words do not wait for it. */
  #makeWay(run: AbortController): void {
    const needed = this.#pausedAt ?? (this.#finishing ? this.#window.end : 0);
    if (this.#isPreliminary && this.#asked < needed) run.abort();
  }

  /** Less often for slower engines; until there are words, as often as the engine can. */
  #step(): number {
    const isFirst = this.#agreement.confirmed.length === 0;
    const least = this.#recognized === 0 ? FIRST_SECONDS : isFirst ? SOON_SECONDS : STEP_SECONDS;
    if (this.#asked === this.#pausedAt) return ASR_SAMPLE_RATE * QUIET_SECONDS;
    return ASR_SAMPLE_RATE * Math.max(least, (isFirst ? 1 : 2) * this.#tookSeconds);
  }

  /** The first part of a window that has become too long: its words are final, except for the last ones. */
  #recognizePart(): Promise<void> {
    return this.#during(
      async () => {
        const { from, end, words } = await this.#listen(this.#window.start + WINDOW, "final");
        const until = end - EDGE_SECONDS;
        this.#tell(accept(this.#agreement, words, { from, until }));
        const [next] = this.#agreement.tentative;
        this.#dropBefore(this.#wordAt(Math.min(until, next?.start ?? until) - CONTEXT_SECONDS));
        this.#trim();
      },
      (fault) => this.#settle(fault),
    );
  }

  /** All that is left of a complete utterance: every word is final. */
  #recognizeRest(): Promise<void> {
    return this.#during(
      async () => {
        const { from, words } = await this.#listen(this.#window.end, "final");
        this.#tell(accept(this.#agreement, words, { from, until: Number.POSITIVE_INFINITY }));
      },
      (fault) => this.#settle(fault),
    );
  }

  /** Preliminary: after a failure, the next run tries again. */
  #recognizeAgain(precedence: Precedence): Promise<void> {
    return this.#during(
      async () => {
        this.#isPreliminary = true;
        const begunMs = this.#now();
        const { from, end, words } = await this.#listen(this.#window.end, precedence);
        this.#tookSeconds = (this.#now() - begunMs) / 1000;
        this.#tell(agree(this.#agreement, words, { from, until: end }));
        const isOfPause = precedence === "final" && !this.#finishing && !this.#isOver;
        if (isOfPause) this.#listener.guess?.(this.#agreement.tentative);
        if (!this.#isOver) this.#listener.interim?.(this.#agreement.tentative);
        if (this.#window.end - this.#window.start >= TRIM_FROM) this.#trim();
      },
      () => {},
    );
  }

  /** The window begins at a confirmed word, after the longest pause that leaves enough before the next word. */
  #trim(): void {
    const { confirmed } = this.#agreement;
    const end = confirmed.at(-1)?.end ?? 0;
    let [place, longest] = [0, -1];
    for (const [index, { start }] of confirmed.entries()) {
      if (start > end - CONTEXT_SECONDS) break;
      const pause = start - (confirmed[index - 1]?.end ?? start);
      if (start < end - CONTEXT_MAX_SECONDS || pause < longest) continue;
      [place, longest] = [start, pause];
    }
    this.#dropBefore(place);
  }

  /** Where the confirmed word begins that is heard at a time; the time itself in a pause. Ends may be those of last tokens. */
  #wordAt(seconds: number): number {
    const last = this.#agreement.confirmed.findLast(({ start }) => start < seconds);
    return last && seconds - last.start < WORD_SECONDS ? last.start : seconds;
  }

  #dropBefore(seconds: number): void {
    const place = Math.round(seconds * ASR_SAMPLE_RATE);
    if (place > this.#window.start) this.#window.dropBefore(place);
  }

  async #during(work: () => Promise<void>, failed: (fault: Refusal) => void): Promise<void> {
    this.#run = new AbortController();
    try {
      await work();
    } catch (cause) {
      if (this.#isOver) return;
      failed(recognitionFault(cause));
    } finally {
      this.#run = null;
      this.#isPreliminary = false;
    }
    this.#advance();
    if (!this.#isOver) this.#listener.progressed();
  }

  async #listen(until: number, precedence: Precedence): Promise<Result> {
    this.#asked = until;
    const { organization, request, spoken, language, languages = [], prompt, keywords = [] } = this.#listener;
    const samples = this.#window.until(until);
    const from = this.#window.start / ASR_SAMPLE_RATE;
    const urgency: Claim["urgency"] = precedence === "final" ? "realtime" : "streaming";
    const claim = { urgency, organization, request, signal: this.#run!.signal };
    const spans = spoken ? [{ start: 0, end: samples.length }] : null;
    const known = { language, languages, prompt, keywords, mustPrefer: true };
    const recording = { samples, spans, ...known, precedence, claim };
    const segments = await Array.fromAsync(recognize(this.#engine, recording));
    this.#recognized = Math.max(this.#recognized, until);
    const words = segments
      .flatMap((segment) => segment.words)
      .map((word) => ({ ...word, start: word.start + from, end: word.end + from }));
    return { from, end: until / ASR_SAMPLE_RATE, words };
  }

  #tell(next: Agreement): void {
    const words = next.confirmed.slice(this.#agreement.confirmed.length);
    this.#agreement = next;
    if (words.length > 0 && !this.#isOver) this.#listener.words(words);
  }

  #settle(outcome: "completed" | Refusal): void {
    if (outcome === "completed") this.#tell(conclude(this.#agreement));
    this.drop();
    this.#listener.settled(outcome);
  }
}

/** Where the audio of a run begins and ends, and its words, in seconds of the utterance. */
type Result = { from: number; end: number; words: Word[] };
