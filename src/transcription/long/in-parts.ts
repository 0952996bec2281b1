/**
 * Recognizes a long recording in parts, each a task of its own, so that it uses all threads while
 * no other task waits, and leaves them to others otherwise.
 *
 *   recording ──> where is speech? ──> │ part 1 │ part 2 │ part 3 │ part 4 │
 *   first thread                         part 1 ──────────> part 3 ──> …     waits for its turn before each part
 *   other threads                        ────────> part 2 ──> part 4 ──> …   while a thread is free and no task waits
 *   hypotheses ──> port, in the order of the recording
 *
 * Parts have the words that the whole would have: engines recognize one span of speech at a time, and what they decide for
 * the whole recording (its language, its loudest sample) is decided before.
 */
import type { Transferable } from "node:worker_threads";
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import type { RecognitionTask, Speech, SpeechTask } from "../../engine/protocol/recognition.ts";
import { isOf, type ResultOf, type Task } from "../../engine/protocol/task.ts";
import type { Engine } from "../../engine/registry.ts";
import { type Claim, recallable } from "../../engine/runner.ts";
import type { Scheduler } from "../../engine/scheduler.ts";
import { inSpan } from "../../tracing/tracing.ts";
import { recognize } from "../recognize.ts";
import { inOrder, moved, type Part, partsOf } from "./parts.ts";

/** `detects`: the language of the first span is that of all, unless it is given. */
export type Division = { threads: number; spansAtOnce: number; detects: boolean };

type Queue = Pick<Scheduler, "run" | "load">;

/** Shorter ones are one task, and load the engine in one thread only. */
const LONG_SECONDS = 60;
/** A thread more for each: to load an engine takes a while, and memory. */
const SECONDS_PER_THREAD = 30;

export function inParts(queue: Queue, division: Division): Engine {
  function run<T extends Task>(task: T, claim: Claim, transfer?: Transferable[]): Promise<ResultOf<T>>;
  function run(task: Task, claim: Claim, transfer?: Transferable[]): Promise<ResultOf<Task>> {
    const isDivided = isOf(task, "recognition") && isLong(task);
    return isDivided ? recognizeParts(queue, { division, task, claim }) : queue.run(task, claim, transfer);
  }
  return { run };
}

const isLong = ({ samples, spans }: RecognitionTask): boolean =>
  spans === null && samples.length > LONG_SECONDS * ASR_SAMPLE_RATE;

type Recording = { division: Division; task: RecognitionTask; claim: Claim };

/** Returns how many hypotheses it posted. */
async function recognizeParts(queue: Queue, { division, task, claim }: Recording): Promise<number> {
  const begunMs = performance.now();
  const { threads, spansAtOnce, detects } = division;
  const search: SpeechTask = { kind: "speech-search", recording: task.samples };
  const speech = await queue.run(search, claim, [task.samples.buffer as ArrayBuffer]);
  const parts = partsOf(speech, {
    spansAtOnce: Math.min(spansAtOnce, Math.ceil(speech.spans.length / threads)),
    leads: detects && task.language === null,
  });
  const { trace, ...untraced } = claim;
  const { claim: shared, recall } = recallable({ ...untraced, begunMs });
  const attributes = { "loquat.urgency": claim.urgency, "loquat.parts": parts.length };
  return inSpan(trace, ["engine", attributes], async () => {
    try {
      const job = { division, speech, parts, task, claim: shared, recall, caller: claim.signal };
      return await new DividedRecognition(queue, job).run();
    } finally {
      recall();
    }
  });
}

type Job = Recording & { speech: Speech; parts: Part[]; recall: () => void; caller: AbortSignal };

class DividedRecognition {
  readonly #queue: Queue;
  readonly #job: Job;
  readonly #threadsMax: number;
  readonly #order: ReturnType<typeof inOrder>;
  readonly #others = new Set<Promise<void>>();
  #next = 0;
  #language: string | null;
  #failure: { reason: unknown } | null = null;

  constructor(queue: Queue, job: Job) {
    this.#queue = queue;
    this.#job = job;
    const seconds = job.speech.recording.length / ASR_SAMPLE_RATE;
    this.#threadsMax = Math.min(job.division.threads, Math.ceil(seconds / SECONDS_PER_THREAD));
    this.#order = inOrder((hypothesis) => job.task.port.postMessage(hypothesis));
    this.#language = job.task.language;
  }

  /** For a caller that has left, the result is incomplete, as that of a stopped task. */
  async run(): Promise<number> {
    await this.#ending(this.#first());
    while (this.#others.size > 0) await Promise.all(this.#others);
    if (this.#failure && !this.#job.caller.aborted) throw this.#failure.reason;
    return this.#order.passed();
  }

  async #first(): Promise<void> {
    while (this.#isLeft()) {
      const part = this.#recognize(this.#next++);
      if (!this.#isLeading()) this.#startOthers();
      await part;
    }
  }

  async #other(): Promise<void> {
    do await this.#recognize(this.#next++);
    while (this.#isLeft() && this.#isThreadFree());
  }

  #startOthers(): void {
    while (this.#isLeft() && this.#others.size + 1 < this.#threadsMax && this.#isThreadFree()) {
      const work = this.#ending(this.#other()).finally(() => this.#others.delete(work));
      this.#others.add(work);
    }
  }

  /** After a failure, the other parts are not needed. */
  async #ending(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (reason) {
      this.#failure ??= { reason };
      this.#job.recall();
    }
  }

  async #recognize(index: number): Promise<void> {
    const { speech, parts, division, task, claim } = this.#job;
    const { start, end, spans } = parts[index]!;
    const { translate, prompt, wordTimes, languages, keywords } = task;
    const hypotheses = recognize(this.#queue, {
      samples: speech.recording.slice(start, end),
      spans,
      ...(speech.peak === undefined ? {} : { peak: speech.peak }),
      language: this.#language,
      ...(languages ? { languages } : {}),
      ...(translate ? { translate } : {}),
      prompt,
      ...(keywords ? { keywords } : {}),
      wordTimes,
      claim,
    });
    for await (const hypothesis of hypotheses) {
      if (division.detects) this.#language ??= hypothesis.language ?? null;
      this.#order.add(index, moved(hypothesis, start / ASR_SAMPLE_RATE));
      if (!this.#isLeading()) this.#startOthers();
    }
    this.#order.end(index);
  }

  #isLeft(): boolean {
    return this.#failure === null && this.#next < this.#job.parts.length;
  }

  /** The first part is recognized alone where it decides on the language. */
  #isLeading(): boolean {
    return this.#job.division.detects && this.#language === null && this.#next <= 1;
  }

  #isThreadFree(): boolean {
    const { running, waiting } = this.#queue.load();
    return waiting === 0 && running < this.#job.division.threads;
  }
}
