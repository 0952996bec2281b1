/**
 * Live recognition with engines that keep state: each sample is processed once, many streams share a run, and words are
 * sent as soon as they are complete.
 *
 *   push ──┐
 *   push ──┼──> waiting ──one task at a time, with everything that arrived since the last──> words, stream by stream
 *   finish ┘
 *
 * The engine holds the state of a stream: when an engine fails, all of its streams fail. Later ones get another.
 */

import { joinAll } from "../audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { StreamingResult, StreamingTask } from "../engine/protocol/streaming-recognition.ts";
import type { Engine } from "../engine/registry.ts";
import { soleClaim } from "../engine/runner.ts";
import { TransientMap } from "../transient.ts";
import type { EngineOf, LiveOptions, LiveRecognizer, LiveStream } from "./live.ts";
import { recognitionFault } from "./recognize.ts";

const STEP = ASR_SAMPLE_RATE; // of one stream in one run, so that a flood does not delay other streams

export function openStreamingRecognition(engine: (of: EngineOf) => Engine): LiveRecognizer {
  const threads = new Map<string, RecognitionThread>();
  let lastId = 0;
  const nextId = () => ++lastId; // threads may share an engine
  return {
    open(listener) {
      const known = threads.get(listener.engine);
      // an unused or replaced one is requested again: a newer version may be installed
      const thread = known && !known.isOver ? known : new RecognitionThread(engine(listener), nextId);
      threads.set(listener.engine, thread);
      return thread.open(listener);
    },
  };
}

type Stream = {
  listener: LiveOptions;
  waiting: Float32Array[];
  waitingSamples: number;
  /** The speaker pauses, and it was told what was heard until then, or was not yet. */
  pause: "told" | "untold" | null;
  finishing: boolean;
  asked: boolean;
};

class RecognitionThread {
  readonly #engine: Engine;
  readonly #streams = new TransientMap<number, Stream>();
  readonly #nextId: () => number;
  #opening: StreamingTask["open"] = [];
  #closing: number[] = [];
  #busy = false;
  #hasFailed = false;

  constructor(engine: Engine, nextId: () => number) {
    this.#engine = engine;
    this.#nextId = nextId;
  }

  /** It takes no further stream: it has none, or none any more, or those of a replaced engine. */
  get isOver(): boolean {
    if (this.#hasFailed || this.#engine.isReplaced?.()) return true;
    return this.#streams.size === 0 && !this.#busy;
  }

  open(listener: LiveOptions): LiveStream {
    const id = this.#nextId();
    const stream: Stream = {
      ...{ listener, waiting: [], waitingSamples: 0 },
      ...{ pause: null, finishing: false, asked: false },
    };
    this.#streams.set(id, stream);
    this.#opening.push({ id, language: listener.language, keywords: listener.keywords ?? [] });
    return {
      push: (samples) => {
        stream.waiting.push(samples);
        stream.waitingSamples += samples.length;
        void this.#run();
      },
      pause: () => {
        stream.pause = "untold";
        tellPause(stream, false);
      },
      finish: () => {
        stream.finishing = true;
        void this.#run();
      },
      drop: () => {
        this.#close(id);
        stream.waitingSamples = 0;
        void this.#run();
      },
      behindSeconds: () => stream.waitingSamples / ASR_SAMPLE_RATE,
    };
  }

  #close(id: number): void {
    if (this.#streams.delete(id)) this.#closing.push(id);
  }

  /** Runs while there is anything to send to the engine. */
  async #run(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    await Promise.resolve(); // includes the other streams that push in the same tick
    try {
      for (let task = this.#nextTask(); task; task = this.#nextTask()) {
        this.#tell(task, await this.#engine.run(task, realtime()));
      }
    } catch (cause) {
      this.#fail(cause);
    }
    this.#busy = false;
  }

  #nextTask(): StreamingTask | null {
    const feed: StreamingTask["feed"] = [];
    const finish: number[] = [];
    for (const [id, stream] of this.#streams) {
      if (stream.waiting.length > 0) feed.push({ id, samples: take(stream) });
      if (stream.finishing && !stream.asked && stream.waiting.length === 0) {
        stream.asked = true;
        finish.push(id);
      }
    }
    const task: StreamingTask = {
      kind: "streaming-recognition",
      open: this.#opening,
      feed,
      finish,
      close: this.#closing,
    };
    if (feed.length + finish.length + task.close.length === 0) return null; // a stream without audio is opened later
    [this.#opening, this.#closing] = [[], []];
    return task;
  }

  #tell({ feed, finish }: StreamingTask, answers: StreamingResult[]): void {
    const fed = new Map(feed.map(({ id, samples }) => [id, samples.length]));
    for (const { id, words } of answers) {
      const stream = this.#streams.get(id);
      if (!stream) continue; // it was closed meanwhile
      stream.waitingSamples -= fed.get(id) ?? 0;
      if (words.length > 0) stream.listener.words(words);
      tellPause(stream, words.length > 0);
      if (finish.includes(id)) {
        this.#close(id);
        stream.listener.settled("completed");
      } else stream.listener.progressed();
    }
  }

  #fail(cause: unknown): void {
    this.#hasFailed = true; // before its listeners open others
    const listeners = [...this.#streams.values()].map(({ listener }) => listener);
    const close = [...this.#streams.keys(), ...this.#closing];
    this.#streams.clear();
    [this.#opening, this.#closing] = [[], []];
    const last: StreamingTask = { kind: "streaming-recognition", open: [], feed: [], finish: [], close };
    this.#engine.run(last, realtime()).catch(() => {}); // where the engine has lost them already
    for (const listener of listeners) listener.settled(recognitionFault(cause));
  }
}

/** All that was heard before the pause is known, or more of it. The last words may come later. */
function tellPause(stream: Stream, hasMore: boolean): void {
  const { listener, pause, waitingSamples, finishing } = stream;
  if (pause === null || finishing || (pause === "told" ? !hasMore : waitingSamples > 0)) return;
  stream.pause = "told";
  listener.guess?.([]);
}

const realtime = () => ({ ...soleClaim(), urgency: "realtime" as const });

/** Up to one step of the waiting audio, copied. Audio in a run counts as waiting until the run ends. */
function take(stream: Stream): Float32Array {
  const taken: Float32Array[] = [];
  let room = STEP;
  while (room > 0 && stream.waiting[0]) {
    const [first] = stream.waiting as [Float32Array];
    taken.push(first.slice(0, room));
    if (first.length <= room) stream.waiting.shift();
    else stream.waiting[0] = first.subarray(room);
    room -= Math.min(room, first.length);
  }
  return joinAll(taken);
}
