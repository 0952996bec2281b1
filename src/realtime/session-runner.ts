/**
 * Performs the effects of a session, and feeds it what the VAD and the recognizer return.
 *
 *   client's audio ──> VAD stream ──> session ──push──> recognizer ──words──> session ──> client
 *
 * It knows how far processing is behind, so that its caller can wait.
 */
import { join } from "../audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Word } from "../engine/protocol/recognition.ts";
import { Refusal, toRefusal } from "../errors.ts";
import type { KeptEngine, LiveOptions, LiveRecognizer, LiveStream } from "../transcription/live.ts";
import type { DialogueEffect } from "./dialogue-effects.ts";
import type { ServerEvent } from "./events.ts";
import type { Effect } from "./outbox.ts";
import type { Session } from "./session.ts";
import { isSemantic } from "./settings.ts";
import type { VadStream, VadStreams } from "./vad-streams.ts";

export type Client = {
  organization: string;
  request: string;
  send(event: ServerEvent): void;
  /** An internal failure, for the log. */
  failed(refusal: Refusal): void;
  hangUp(refusal: Refusal | null): void;
};

/** The recognizer of the utterances from now on, with its options. */
export type Recognizer = Pick<LiveOptions, "engine" | "language" | "languages" | "prompt" | "keywords">;

/** `detect`: the probability that the speaker has finished; null where no detector is installed. */
export type TurnDetector = { warm(): void; detect(samples: Float32Array): Promise<number> | null };

/** What performs the effects of a conversation. */
type Answerer = { perform(effect: DialogueEffect): void; close(): void };

/** `waited`: the median of its utterances until now, from the end of each to its final text. */
export type Timing = { now(): number; waited(medianMs: number): void };

type RunnerDeps = {
  session: Session;
  vadStreams: VadStreams;
  recognizer: LiveRecognizer;
  turnDetector: TurnDetector;
  client: Client;
  timing?: Timing;
};

const AHEAD_MAX_SECONDS = 30;
const TURN_SAMPLES = 8 * ASR_SAMPLE_RATE; // what a turn detector reads

export class SessionRunner {
  readonly #deps: RunnerDeps;
  readonly #streams = new Map<string, LiveStream>();
  #vadStream: VadStream | null = null;
  #waiting: (() => void)[] = [];
  #closed = false;
  /** The last seconds of the open utterance, for the turn detector. */
  #recent = new Float32Array(0) as Float32Array;
  #detecting = false;
  /** Audio that items brought, on its way to the recognizer. */
  readonly #brought = new Set<VadStream>();
  /** When utterances ended whose final text is awaited, and how long was waited for those before them, ascending. */
  readonly #ended = new Map<string, number>();
  readonly #waits: number[] = [];
  readonly #kept: KeptEngine = { current: null };
  recognizer: Recognizer;
  /** Of a conversation; null: the session only transcribes. */
  answerer: Answerer | null = null;

  constructor(deps: RunnerDeps, recognizer: Recognizer) {
    this.#deps = deps;
    this.recognizer = recognizer;
  }

  perform(effects: Effect[]): void {
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: Effect): void {
    if (this.#closed) return;
    const { client } = this.#deps;
    switch (effect.do) {
      case "send":
        client.send(effect.event);
        break;
      case "hangUp":
        client.hangUp(effect.refusal);
        break;
      case "listen":
        this.#vadStream?.close();
        this.#vadStream = this.#openVadStream(effect.format);
        break;
      case "open":
        this.#recent = new Float32Array(0);
        this.#streams.set(effect.itemId, this.#openStream(effect.itemId, effect.spoken));
        break;
      case "push":
        this.#streams.get(effect.itemId)?.push(effect.samples);
        this.#remember(effect.samples);
        break;
      case "pause":
        this.#streams.get(effect.itemId)?.pause();
        break;
      case "finish":
        if (this.#deps.timing) this.#ended.set(effect.itemId, this.#deps.timing.now());
        this.#streams.get(effect.itemId)?.finish(effect.paused);
        break;
      case "drop":
        this.#streams.get(effect.itemId)?.drop();
        this.#streams.delete(effect.itemId);
        break;
      case "expectTurns":
        this.#deps.turnDetector.warm();
        break;
      case "detectTurn":
        this.#detectTurn(effect.itemId, effect.quietFrom);
        break;
      default:
        this.answerer?.perform(effect);
    }
  }

  #openVadStream(format: Parameters<VadStreams["open"]>[0]): VadStream {
    const { vadStreams, session } = this.#deps;
    return vadStreams.open(format, {
      silence: () => session.silence(),
      result: (result) => this.#progress(() => session.addVadResult(result)),
      failed: (cause) => this.#progress(() => this.#endNow(engineFailed(cause))),
    });
  }

  #openStream(itemId: string, spoken: boolean): LiveStream {
    const { recognizer, session, client } = this.#deps;
    return recognizer.open({
      organization: client.organization,
      request: client.request,
      ...this.recognizer,
      kept: this.#kept,
      spoken,
      progressed: () => this.#progress(() => []),
      words: (words: Word[]) => this.#progress(() => session.words(itemId, words)),
      guess: (tentative: Word[]) => this.#progress(() => session.guess(itemId, tentative)),
      ...(session.tellsInterim && {
        interim: (words: Word[]) => this.#progress(() => session.interim(itemId, words)),
      }),
      settled: (outcome) => {
        this.#streams.delete(itemId);
        if (outcome === "completed") this.#waited(itemId);
        this.#ended.delete(itemId);
        if (outcome !== "completed") client.failed(outcome);
        this.#progress(() => session.conclude(itemId, outcome));
      },
    });
  }

  #waited(itemId: string): void {
    const { timing } = this.#deps;
    const ended = this.#ended.get(itemId);
    if (!timing || ended === undefined) return;
    const wait = timing.now() - ended;
    const longer = this.#waits.findIndex((each) => each > wait);
    this.#waits.splice(longer < 0 ? this.#waits.length : longer, 0, wait);
    timing.waited(this.#waits[(this.#waits.length - 1) >> 1]!);
  }

  #remember(samples: Float32Array): void {
    if (!isSemantic(this.#deps.session.settings)) return;
    this.#recent = join(this.#recent, samples).slice(-TURN_SAMPLES);
  }

  /**
   * Without a turn detector, or where it fails, the length of the silence decides. It is not asked again before it has
   * answered: a busy one would only fall behind.
   */
  #detectTurn(itemId: string, quietFrom: number): void {
    if (this.#detecting) return;
    const { turnDetector, session } = this.#deps;
    const detected = turnDetector.detect(this.#recent.slice());
    this.#detecting = detected !== null;
    detected
      ?.finally(() => {
        this.#detecting = false;
      })
      .then(
        (probability) => this.#progress(() => session.turnDetected(itemId, quietFrom, probability)),
        () => {},
      );
  }

  #progress(step: () => Effect[]): void {
    if (this.#closed) return;
    try {
      this.perform(step());
    } catch (cause) {
      this.perform(this.#endNow(toRefusal(cause)));
    }
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** A step of what is told from elsewhere, and all that follows from it. */
  step(step: () => void): void {
    this.#progress(() => {
      step();
      return this.#deps.session.advance();
    });
  }

  #endNow(refusal: Refusal): Effect[] {
    this.#deps.client.failed(refusal);
    return this.#deps.session.endNow(refusal);
  }

  /** Transfers the bytes' buffer. */
  feed(bytes: Uint8Array): void {
    this.#deps.session.append(bytes.length);
    this.#vadStream?.feed(bytes, this.#deps.session.settings.turnDetection !== null);
  }

  /** Transcribes the audio that an item brought, so many seconds in the session's format. Transfers the bytes' buffers. */
  hear(itemId: string, seconds: number, pieces: readonly Uint8Array[]): void {
    const { vadStreams, session } = this.#deps;
    this.perform(session.hear(itemId, seconds));
    const stream = this.#openStream(itemId, false);
    this.#streams.set(itemId, stream);
    const brought = vadStreams.open(session.settings.format, {
      silence: () => null,
      result: ({ samples }) =>
        this.#progress(() => {
          stream.push(samples);
          if (brought.behindSeconds() > 0) return [];
          brought.close();
          this.#brought.delete(brought);
          stream.finish(false);
          return [];
        }),
      failed: (cause) => this.#progress(() => this.#endNow(engineFailed(cause))),
    });
    this.#brought.add(brought);
    for (const piece of pieces) brought.feed(piece, false);
  }

  /** Audio that was fed and has not been through the VAD yet. */
  pendingSeconds(): number {
    let seconds = this.#vadStream?.behindSeconds() ?? 0;
    for (const brought of this.#brought) seconds += brought.behindSeconds();
    return seconds;
  }

  /** Resolves once the VAD has processed everything: the client's next event may be handled. */
  drained(): Promise<void> {
    return this.#until(() => this.pendingSeconds() === 0);
  }

  /** Resolves once little enough audio is unprocessed to accept more; undefined: it is now. */
  room(): Promise<void> | undefined {
    return this.#hasRoom() ? undefined : this.#until(() => this.#hasRoom());
  }

  #hasRoom(): boolean {
    return this.behindSeconds() < AHEAD_MAX_SECONDS;
  }

  /** Audio that was fed and has not been through the VAD and the recognizer yet. */
  behindSeconds(): number {
    let seconds = this.pendingSeconds();
    for (const stream of this.#streams.values()) seconds += stream.behindSeconds();
    return seconds;
  }

  async #until(isMet: () => boolean): Promise<void> {
    while (!this.#closed && !this.#deps.session.isEnding && !isMet())
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.answerer?.close();
    this.#vadStream?.close();
    for (const brought of this.#brought) brought.close();
    for (const stream of this.#streams.values()) stream.drop();
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

const engineFailed = (cause: unknown) =>
  new Refusal("inference_unavailable", "The engine of this session failed. Connect again.", { cause });
