/**
 * Brings a session together with its ear and the recogniser: carries out its effects, and brings it what they hear.
 *
 *   client's audio ──> ear ──heard──> session ──push──> recogniser ──words──> session ──> client
 *
 * It knows how far behind it all is, so that who feeds it can wait.
 */
import { join } from "../audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Word } from "../engine/protocol/recognition.ts";
import { Fault, toFault } from "../errors.ts";
import type { LiveOptions, LiveRecognizer, LiveStream } from "../transcription/live.ts";
import type { ServerEvent } from "./events.ts";
import type { Effect } from "./outbox.ts";
import type { Session } from "./session.ts";
import type { VadStream, VadStreams } from "./vad-streams.ts";

type Client = {
  organization: string;
  request: string;
  send(event: ServerEvent): void;
  /** Something of ours failed: for the log. */
  failed(fault: Fault): void;
  hangUp(code: number, reason: string): void;
};

/** Who hears what is said from now on, and what they are told of it. */
export type Recognizer = Pick<LiveOptions, "engine" | "language" | "prompt">;

/** How likely it is that who said this has finished; null: nobody can tell. */
export type TurnDetector = (samples: Float32Array) => Promise<number> | null;

type RunnerDeps = {
  session: Session;
  vadStreams: VadStreams;
  recognizer: LiveRecognizer;
  turnDetector: TurnDetector;
  client: Client;
};

const AHEAD_MOST_SECONDS = 30;
const JUDGED = 8 * ASR_SAMPLE_RATE; // samples: what a judge hears
const FINISHED = 0.5;

export class SessionRunner {
  readonly #parts: RunnerDeps;
  readonly #streams = new Map<string, LiveStream>();
  #vadStream: VadStream | null = null;
  #waiting: (() => void)[] = [];
  #closed = false;
  /** The end of what is being said, for who judges whether it is all. */
  #recent = new Float32Array(0) as Float32Array;
  recognizer: Recognizer;

  constructor(parts: RunnerDeps, recognizer: Recognizer) {
    this.#parts = parts;
    this.recognizer = recognizer;
  }

  perform(effects: Effect[]): void {
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: Effect): void {
    if (this.#closed) return;
    if (effect.do === "send") this.#parts.client.send(effect.event);
    else if (effect.do === "hangUp") this.#parts.client.hangUp(effect.code, effect.reason);
    else if (effect.do === "listen") {
      this.#vadStream?.close();
      this.#vadStream = this.#openVadStream(effect.format);
    } else if (effect.do === "open") {
      this.#recent = new Float32Array(0);
      this.#streams.set(effect.itemId, this.#openStream(effect.itemId, effect.spoken));
    } else if (effect.do === "judge") {
      this.#turnDetector(effect.itemId);
    } else {
      const stream = this.#streams.get(effect.itemId);
      if (effect.do === "push") {
        stream?.push(effect.samples);
        this.#remember(effect.samples);
      } else if (effect.do === "pause") stream?.pause();
      else if (effect.do === "finish") stream?.finish(effect.paused);
      else {
        stream?.drop();
        this.#streams.delete(effect.itemId);
      }
    }
  }

  #openVadStream(format: Parameters<VadStreams["open"]>[0]): VadStream {
    const { vadStreams, session } = this.#parts;
    return vadStreams.open(format, {
      heard: (heard) => this.#progress(() => session.heard(heard)),
      failed: (cause) => this.#progress(() => this.#endNow(engineGone(cause))),
    });
  }

  #openStream(itemId: string, spoken: boolean): LiveStream {
    const { recognizer, session, client } = this.#parts;
    return recognizer.open({
      organization: client.organization,
      request: client.request,
      ...this.recognizer,
      spoken,
      heard: () => this.#progress(() => []),
      words: (words: Word[]) => this.#progress(() => session.words(itemId, words)),
      settled: (outcome) => {
        this.#streams.delete(itemId);
        if (outcome !== "completed") client.failed(outcome);
        this.#progress(() => session.settle(itemId, outcome));
      },
    });
  }

  #remember(samples: Float32Array): void {
    if (this.#parts.session.settings.turnDetection?.type !== "semantic_vad") return;
    this.#recent = join(this.#recent, samples).slice(-JUDGED);
  }

  /** Where nobody can tell, or fails to, the silence does. */
  #turnDetector(itemId: string): void {
    const judged = this.#parts.turnDetector(this.#recent.slice());
    judged?.then(
      (likely) => likely > FINISHED && this.#progress(() => this.#parts.session.finished(itemId)),
      () => {},
    );
  }

  #progress(step: () => Effect[]): void {
    if (this.#closed) return;
    try {
      this.perform(step());
    } catch (cause) {
      this.perform(this.#endNow(toFault(cause)));
    }
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #endNow(fault: Fault): Effect[] {
    this.#parts.client.failed(fault);
    return this.#parts.session.endNow(fault);
  }

  /** Takes the bytes' buffer away. */
  feed(bytes: Uint8Array): void {
    this.#parts.session.append(bytes.length);
    this.#vadStream?.feed(bytes, this.#parts.session.settings.turnDetection !== null);
  }

  /** Of what was fed: nobody knows yet what is in it. */
  unheardSeconds(): number {
    return this.#vadStream?.behindSeconds() ?? 0;
  }

  /** Until everything fed was heard: what comes next in the client's order may be done. */
  drained(): Promise<void> {
    return this.#until(() => this.unheardSeconds() === 0);
  }

  /** Until what was fed and neither heard nor transcribed is little enough to take more. */
  room(): Promise<void> {
    return this.#until(() => this.#behindSeconds() < AHEAD_MOST_SECONDS);
  }

  #behindSeconds(): number {
    return [...this.#streams.values()].reduce(
      (sum, stream) => sum + stream.behindSeconds(),
      this.unheardSeconds(),
    );
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!this.#closed && !this.#parts.session.isEnding && !isSo())
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#vadStream?.close();
    for (const stream of this.#streams.values()) stream.drop();
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

const engineGone = (cause: unknown) =>
  new Fault("inference_unavailable", "The engine of this session failed. Connect again.", { cause });
