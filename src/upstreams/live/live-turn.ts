/**
 * One turn of live speech at a server that transcribes while it listens: its audio goes out as it comes, its words come
 * back as they are certain. Each turn has a connection of its own.
 *
 *   place ──> connected ──settings──> audio … ──finish──> commit ──> completed
 *     │ none: busy       │ late, refused, lost or silent: the turn has failed; its caller decides what then
 *
 * Audio that comes before the connection waits. After `settled`, nothing is called any more.
 */
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import { Resampler } from "../../audio/resample/resample.ts";
import { checkCharacters, checkEvents, jsonBytesMax } from "../../engine/answers/transcript-bounds.ts";
import type { Word } from "../../engine/protocol/recognition.ts";
import type { Refusal } from "../../errors.ts";
import { answerMsMax, timeoutsOf } from "../dialects/preset.ts";
import type { UpstreamConnection } from "../dialects/upstream-connection.ts";
import { failureFrom, readable, refusalOf, UpstreamFailure } from "../transport/failure.ts";
import type { Lease } from "../transport/server-pool.ts";
import { openSocket, type UpstreamSocket } from "../transport/socket.ts";
import { LiveWords } from "./live-words.ts";
import { append, COMMIT, sessionUpdate, type TurnEvent, type TurnRequest, turnEvent } from "./turn-events.ts";

/** What the turns of one upstream share. Its pool has places for turns. */
export type LiveConnection = UpstreamConnection & {
  /** Resolves once there are servers. */
  ready: Promise<void>;
};

export type TurnOptions = TurnRequest & {
  words(words: Word[]): void;
  /** The backlog became shorter. */
  progressed(): void;
  settled(outcome: "completed" | Refusal): void;
};

export type LiveTurn = {
  /** 16 kHz. */
  push(samples: Float32Array): void;
  /** Of no effect: the server finds pauses itself. */
  pause(): void;
  finish(): void;
  drop(): void;
  /** Seconds pushed and not yet sent. */
  behindSeconds(): number;
};

const CONNECT_MS = 5000;
const LEAST_SECONDS = 0.12; // less is refused as empty: silence is added
const WATCH_MS = 500;
const BACKLOG_BYTES = 64 * 1024; // of a connection that takes no more for now

/** `model`: the server's own name of it. The preset has `realtime`. */
export function openLiveTurn(connection: LiveConnection, model: string, options: TurnOptions): LiveTurn {
  return new Turn(connection, model, options);
}

class Turn implements LiveTurn {
  readonly #connection: LiveConnection;
  readonly #options: TurnOptions;
  readonly #words: LiveWords;
  readonly #resampler: Resampler | null;
  readonly #rate: number;
  readonly #begunMs = performance.now();
  readonly #timer: Timer;
  #lease: Lease | null = null;
  #socket: UpstreamSocket | null = null;
  #waiting: Float32Array[] = [];
  #sentSamples = 0;
  readonly #received = { events: 0, bytes: 0 };
  #isFinished = false;
  #isCommitted = false;
  /** Until when the server must do what it does next. */
  #dueMs: number;
  /** Until when the turn must be over, once it is committed. */
  #latestMs = Number.POSITIVE_INFINITY;
  /** When the connection had last taken everything. */
  #takenMs = this.#begunMs;
  readonly #timeoutMs: number;
  /** After how long the server had confirmed its settings; null: it has not. */
  #readyMs: number | null = null;
  #isOver = false;

  constructor(connection: LiveConnection, model: string, options: TurnOptions) {
    const { rate, whole_words } = connection.preset.realtime!;
    this.#connection = connection;
    this.#options = options;
    this.#rate = rate;
    this.#timeoutMs = timeoutsOf(connection.preset).betweenBytesMs;
    this.#words = new LiveWords(whole_words);
    this.#resampler = rate === ASR_SAMPLE_RATE ? null : new Resampler(ASR_SAMPLE_RATE, rate);
    this.#dueMs = this.#begunMs + CONNECT_MS;
    this.#timer = setInterval(() => this.#watch(), WATCH_MS);
    void connection.ready.then(() => this.#begin(model));
  }

  #begin(model: string): void {
    if (this.#isOver) return;
    const { pool, preset, headers } = this.#connection;
    try {
      this.#lease = pool.takeNow();
      if (this.#lease === null) throw new UpstreamFailure("busy", "no server has a place for a live turn");
      const { realtime, transcription } = preset;
      const update = sessionUpdate(
        this.#options,
        { realtime: realtime!, transcription: transcription! },
        model,
      );
      const asked = { path: `${realtime!.path}?intent=transcription`, headers: readable(headers) };
      this.#socket = openSocket(this.#lease.server.address, asked, {
        opened: () => this.#opened(update),
        received: (data) => this.#receive(data),
        closed: (reason) => this.#fail(new UpstreamFailure("unreachable", reason)),
      });
    } catch (error) {
      this.#fail(error as UpstreamFailure);
    }
  }

  #opened(update: string): void {
    this.#socket!.send(update);
    this.#flush();
  }

  push(samples: Float32Array): void {
    if (this.#isOver) return;
    this.#waiting.push(this.#resampler ? this.#resampler.push(samples) : samples);
    this.#flush();
  }

  pause(): void {}

  finish(): void {
    if (this.#isOver) return;
    this.#isFinished = true;
    if (this.#resampler) this.#waiting.push(this.#resampler.finish());
    this.#flush();
  }

  /** Sends what waits, as far as the connection takes it. */
  #flush(): void {
    const socket = this.#socket;
    if (!socket?.isOpen || this.#isOver) return;
    while (this.#waiting.length > 0 && socket.bufferedBytes() < BACKLOG_BYTES)
      this.#send(this.#waiting.shift()!);
    if (this.#waiting.length > 0) return;
    this.#takenMs = performance.now();
    if (!this.#isFinished || this.#isCommitted) return;
    this.#isCommitted = true;
    const lacking = Math.ceil(LEAST_SECONDS * this.#rate) - this.#sentSamples;
    if (lacking > 0) this.#send(new Float32Array(lacking));
    socket.send(COMMIT);
    const seconds = this.#sentSamples / this.#rate;
    this.#latestMs = performance.now() + answerMsMax(this.#connection.preset, seconds);
    this.#expectMore();
  }

  /** More text is due within the time between two parts of an answer, and all of it within the time of the whole. */
  #expectMore(): void {
    this.#dueMs = Math.min(this.#latestMs, performance.now() + this.#timeoutMs);
  }

  #send(samples: Float32Array): void {
    if (samples.length === 0) return;
    this.#sentSamples += samples.length;
    this.#socket!.send(append(samples));
  }

  #receive(data: unknown): void {
    if (this.#isOver) return;
    const text = String(data);
    const seconds = this.#sentSamples / this.#rate;
    this.#received.events++;
    this.#received.bytes += text.length;
    try {
      checkEvents(this.#received, seconds);
      const event = turnEvent(text, jsonBytesMax(seconds));
      if (event) this.#handle(event);
    } catch (error) {
      this.#fail(failureFrom(error) as UpstreamFailure);
    }
    if (!this.#isOver) this.#options.progressed();
  }

  #handle(event: TurnEvent): void {
    if (event.is === "failed") throw event.failure;
    if (event.is === "ready") {
      this.#readyMs ??= performance.now() - this.#begunMs;
      return;
    }
    const untilSeconds = this.#sentSamples / this.#rate;
    const arrival = { untilSeconds, confidence: event.confidence };
    if (event.is === "delta") {
      checkCharacters(this.#words.length + event.text.length, untilSeconds);
      if (this.#isCommitted && event.text.trim() !== "") this.#expectMore();
      this.#tell(this.#words.add(event.text, arrival));
      return;
    }
    if (!this.#isCommitted) throw new UpstreamFailure("faulty", "the server ended a turn that goes on");
    checkCharacters(event.transcript.length, untilSeconds);
    this.#tell(this.#words.finish(event.transcript, arrival));
    this.#lease?.succeeded(this.#readyMs ?? performance.now() - this.#begunMs);
    this.#end();
    this.#options.settled("completed");
  }

  #tell(words: Word[]): void {
    if (words.length > 0) this.#options.words(words);
  }

  /** A server that takes no audio is left, and one that says nothing new: before the first word, and once it has all audio. */
  #watch(): void {
    this.#flush();
    this.#options.progressed();
    const nowMs = performance.now();
    if (this.#readyMs === null && nowMs > this.#dueMs) this.#late("no session");
    else if (this.#isCommitted && nowMs > this.#dueMs) this.#late("no end of a turn");
    else if (nowMs > this.#takenMs + this.#timeoutMs) this.#late("no audio taken");
  }

  #late(what: string): void {
    this.#fail(new UpstreamFailure("late", `${what} in time`));
  }

  drop(): void {
    if (!this.#isOver) this.#end();
  }

  behindSeconds(): number {
    const samples = this.#waiting.reduce((sum, { length }) => sum + length, 0);
    return samples / this.#rate;
  }

  #fail(error: UpstreamFailure): void {
    if (this.#isOver) return;
    const lease = this.#lease;
    lease?.failed(error);
    if (lease) this.#connection.failed(error, lease.server.address.key);
    this.#socket?.terminate();
    this.#end();
    this.#options.settled(refusalOf(error, "recognition"));
  }

  #end(): void {
    this.#isOver = true;
    this.#waiting = [];
    clearInterval(this.#timer);
    this.#socket?.close();
    this.#lease?.release();
  }
}
