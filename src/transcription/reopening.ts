/**
 * Live recognition that survives the loss of an engine: the open utterance is recognized once more, from its beginning.
 *
 *   first engine    pushed ▒▒▒▒▒▒▒▒  words: the old ✗ lost
 *   another         replayed ▒▒▒▒▒▒▒▒ pushed ▒▒▒  words: (the old) house …
 *
 * What was sent is not sent again and never taken back: where the other engine hears something else in its place, the
 * utterance fails as it would without. Utterances longer than `KEPT_SECONDS` are not kept, and fail too; nor are those for
 * which all others leave no memory.
 */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Word } from "../engine/protocol/recognition.ts";
import type { Refusal } from "../errors.ts";
import type { LiveOptions, LiveRecognizer, LiveStream } from "./live.ts";

const KEPT_SECONDS = 30; // 2 MB
const ALL_SECONDS = 4096; // of all utterances: 256 MiB

/** Of an engine, not of what was asked. */
const LOST: readonly string[] = ["transcription_failed", "inference_unavailable", "service_unavailable"];

/** `next` recognizes what `first` has lost. */
export function withReopening(first: LiveRecognizer, next: LiveRecognizer = first): LiveRecognizer {
  const all = { samples: 0 };
  return { open: (listener) => new Reopening(listener, { first, next, all }) };
}

/** `all`: what is kept of all utterances. */
type Recognizers = { first: LiveRecognizer; next: LiveRecognizer; all: { samples: number } };

class Reopening implements LiveStream {
  readonly #listener: LiveOptions;
  readonly #next: LiveRecognizer;
  readonly #all: Recognizers["all"];
  #stream: LiveStream;
  /** Null: too much, or it is of no more use. */
  #kept: Float32Array[] | null = [];
  #keptSamples = 0;
  #paused = false;
  /** As `finish` was told; null: it was not yet. */
  #finished: boolean | null = null;
  /** Texts of the words that were sent, and how many of them the current stream repeated. */
  readonly #sent: string[] = [];
  #repeated = 0;
  #isOver = false;

  constructor(listener: LiveOptions, { first, next, all }: Recognizers) {
    this.#listener = listener;
    this.#next = next;
    this.#all = all;
    this.#stream = first.open({
      ...listener,
      words: (words) => this.#send(words),
      settled: (outcome) => (this.#isReplayable(outcome) ? this.#reopen(outcome) : this.#settle(outcome)),
    });
  }

  push(samples: Float32Array): void {
    this.#paused = false;
    this.#keep(samples);
    this.#stream.push(samples);
  }

  #keep(samples: Float32Array): void {
    if (this.#kept === null) return;
    this.#kept.push(samples);
    this.#keptSamples += samples.length;
    this.#all.samples += samples.length;
    const isTooMuch = this.#all.samples > ALL_SECONDS * ASR_SAMPLE_RATE;
    if (isTooMuch || this.#keptSamples > KEPT_SECONDS * ASR_SAMPLE_RATE) this.#release();
  }

  /** What was kept, which is not any more. */
  #release(): Float32Array[] {
    const kept = this.#kept ?? [];
    if (this.#kept) this.#all.samples -= this.#keptSamples;
    this.#kept = null;
    return kept;
  }

  pause(): void {
    this.#paused = true;
    this.#stream.pause();
  }

  finish(paused: boolean): void {
    this.#finished = paused;
    this.#stream.finish(paused);
  }

  drop(): void {
    this.#isOver = true;
    this.#release();
    this.#stream.drop();
  }

  behindSeconds(): number {
    return this.#stream.behindSeconds();
  }

  #isReplayable(outcome: "completed" | Refusal): outcome is Refusal {
    return outcome !== "completed" && this.#kept !== null && LOST.includes(outcome.code);
  }

  #send(words: Word[]): void {
    if (this.#isOver) return;
    this.#sent.push(...words.map(({ text }) => text));
    this.#listener.words(words);
  }

  #reopen(reason: Refusal): void {
    const kept = this.#release();
    const { interim } = this.#listener;
    this.#stream = this.#next.open({
      ...this.#listener,
      ...(interim && { interim: (words) => this.#repeated >= this.#sent.length && interim(words) }),
      words: (words) => this.#compare(words, reason),
      settled: (outcome) =>
        this.#settle(outcome === "completed" && this.#repeated < this.#sent.length ? reason : outcome),
    });
    for (const samples of kept) this.#stream.push(samples);
    if (this.#paused) this.#stream.pause();
    if (this.#finished !== null) this.#stream.finish(this.#finished);
  }

  /** Words that were sent before must be the same again. */
  #compare(words: Word[], reason: Refusal): void {
    const known = words.slice(0, Math.max(0, this.#sent.length - this.#repeated));
    const isSame = known.every(({ text }, index) => text === this.#sent[this.#repeated + index]);
    if (!isSame) {
      this.#settle(reason);
      return;
    }
    this.#repeated += known.length;
    const fresh = words.slice(known.length);
    if (fresh.length === 0) return;
    this.#send(fresh);
    this.#repeated = this.#sent.length;
  }

  #settle(outcome: "completed" | Refusal): void {
    if (this.#isOver) return;
    this.drop();
    this.#listener.settled(outcome);
  }
}
