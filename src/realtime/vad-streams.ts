/**
 * VAD streams: batches live audio of many sessions, a few milliseconds at a time, onto a few worker threads.
 *
 *   feed ──> waiting ──a tick, at least 10 ms after the last──> the worker thread ──> results, in order
 *
 * Each worker runs one task at a time, with everything that arrived since the last: the busier it is, the larger its
 * batches. A stream stays on its worker, which holds its state; a worker that fails fails all its streams.
 */

import { bytesPerSecond, type LiveFormat } from "../engine/protocol/live-format.ts";
import type { Silence, VadResult, VadTask } from "../engine/protocol/vad.ts";
import type { Runner } from "../engine/runner.ts";
import { TransientSet } from "../transient.ts";

const TICK_MS = 10;
const STEP_SECONDS = 1; // per stream and tick: a flood must not delay other streams

export type VadStream = {
  /** Transfers the bytes' buffer. */
  feed(bytes: Uint8Array, detect: boolean): void;
  /** Seconds of audio fed and not processed yet. */
  behindSeconds(): number;
  close(): void;
};

/** `silence` is asked when audio is sent, and holds until its result. */
type Listener = {
  silence(): Silence | null;
  result(result: VadResult): void;
  failed(cause: unknown): void;
};

export type VadStreams = AsyncDisposable & { open(format: LiveFormat, listener: Listener): VadStream };

export function openVadStreams(openThread: () => Runner, threadCount: number): VadStreams {
  const threads: VadThread[] = [];
  let opened = 0;
  return {
    open(format, listener) {
      const id = opened++;
      const index = id % threadCount;
      if (threads[index]?.isBroken) void threads[index][Symbol.asyncDispose]();
      if (!threads[index] || threads[index].isBroken) threads[index] = new VadThread(openThread());
      return threads[index].open(id, format, listener);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()));
    },
  };
}

type Chunk = { bytes: Uint8Array; detect: boolean };
type Stream = {
  id: number;
  listener: Listener;
  waiting: Chunk[];
  waitingBytes: number;
  stepBytes: number;
  isClosed: boolean;
};

class VadThread {
  readonly #runner: Runner;
  readonly #streams = new TransientSet<Stream>();
  /** Those with waiting audio: a tick looks at no others, however many are silent. */
  #fed: Stream[] = [];
  #opening: VadTask["open"] = [];
  #closing: number[] = [];
  #timer: Timer | null = null;
  #tickedAt = 0;
  #busy = false;
  /** The thread failed, and its streams' state is lost. */
  isBroken = false;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  open(id: number, format: LiveFormat, listener: Listener): VadStream {
    const second = bytesPerSecond(format);
    const stepBytes = second * STEP_SECONDS;
    const stream: Stream = { id, listener, waiting: [], waitingBytes: 0, stepBytes, isClosed: false };
    this.#streams.add(stream);
    this.#opening.push({ id, format });
    return {
      feed: (bytes, detect) => {
        if (bytes.length === 0) return;
        stream.waiting.push({ bytes, detect });
        stream.waitingBytes += bytes.length;
        if (stream.waiting.length === 1) this.#fed.push(stream);
        this.#schedule();
      },
      behindSeconds: () => stream.waitingBytes / second,
      close: () => {
        if (!this.#streams.delete(stream)) return;
        stream.isClosed = true;
        this.#fed = this.#fed.filter((other) => other !== stream);
        this.#closing.push(id);
        this.#schedule();
      },
    };
  }

  #schedule(): void {
    if (this.#busy || this.#timer || this.isBroken) return;
    const waitMs = Math.max(0, this.#tickedAt + TICK_MS - performance.now());
    this.#timer = setTimeout(() => void this.#tick(), waitMs);
  }

  async #tick(): Promise<void> {
    this.#timer = null;
    this.#busy = true;
    this.#tickedAt = performance.now();
    try {
      const streams = this.#fed;
      await this.#run(this.#nextTask(), streams);
    } catch (cause) {
      this.#break(cause);
    }
    this.#busy = false;
    if (this.#fed.length > 0 || this.#closing.length > 0) this.#schedule();
  }

  #nextTask(): VadTask {
    const feed = this.#fed.map((stream) => {
      const { id } = stream;
      const { bytes, detect } = take(stream);
      const silence = detect ? stream.listener.silence() : null;
      return silence ? { id, bytes, detect, silence } : { id, bytes, detect };
    });
    this.#fed = this.#fed.filter(({ waiting }) => waiting.length > 0);
    const task: VadTask = { kind: "voice-activity", open: this.#opening, feed, close: this.#closing };
    [this.#opening, this.#closing] = [[], []];
    return task;
  }

  /** `streams`: that it feeds, in its order. */
  async #run(task: VadTask, streams: readonly Stream[]): Promise<void> {
    const results = await this.#runner.run(task);
    for (const [index, result] of results.entries()) {
      const stream = streams[index]!;
      if (stream.isClosed) continue;
      stream.waitingBytes -= task.feed[index]!.bytes.length;
      stream.listener.result(result);
    }
  }

  #break(cause: unknown): void {
    this.isBroken = true;
    const listeners = [...this.#streams].map(({ listener }) => listener);
    this.#streams.clear();
    this.#fed = [];
    for (const listener of listeners) listener.failed(cause);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.isBroken = true;
    await this.#runner[Symbol.asyncDispose]();
  }
}

/** Takes up to one step of waiting audio; chunks of a step agree on whether to detect speech. */
function take({ waiting, stepBytes }: Stream): Chunk {
  const { detect } = waiting[0]!;
  const taken: Uint8Array[] = [];
  let sizeBytes = 0;
  while (sizeBytes < stepBytes && waiting[0]?.detect === detect) {
    const { bytes } = waiting[0];
    const part = bytes.subarray(0, stepBytes - sizeBytes);
    if (part.length === bytes.length) waiting.shift();
    else waiting[0] = { bytes: bytes.subarray(part.length), detect };
    taken.push(part);
    sizeBytes += part.length;
  }
  return { bytes: joined(taken, sizeBytes), detect };
}

/** In a buffer of its own: with a part of one, all of it would be sent to the thread. */
function joined(parts: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first!.buffer.byteLength === sizeBytes) return first!;
  return new Uint8Array(Buffer.concat(parts));
}
