/**
 * Runs the tasks of an engine on the servers of an upstream.
 *
 *   task ──> a place at a server ──> request ──> samples or hypotheses, while they arrive
 *                  │ it failed, and nothing was delivered: once more, elsewhere if there is another
 *                  └ it failed again: the fallback, if there is one; else a refusal
 */

import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import { unlessAborted } from "../clock.ts";
import type { RecognitionTask } from "../engine/protocol/recognition.ts";
import type { SynthesisResult, SynthesisTask } from "../engine/protocol/synthesis.ts";
import { type ResultOf, type Task, unknownKind } from "../engine/protocol/task.ts";
import { type Claim, type Runner, soleClaim } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";
import { answerMsMax, timeoutsOf } from "./dialects/preset.ts";
import { piecesOf } from "./dialects/recording-form.ts";
import { recognizePiece, synthesizeSegment } from "./dialects/tasks.ts";
import type { RetriedConnection } from "./dialects/upstream-connection.ts";
import type { Sending } from "./transport/exchange.ts";
import { failureFrom, isRetryable, readable, refusalOf, UpstreamFailure } from "./transport/failure.ts";
import type { Lease } from "./transport/server-pool.ts";

/** The engine that gets the tasks that the upstream could not run. */
export type Fallback = <T extends Task>(task: T, claim: Claim) => Promise<ResultOf<T>>;

type EngineOptions = { model: string; fallback: Fallback | null };

export function openUpstreamRunner(connection: RetriedConnection, options: EngineOptions): Runner {
  const upstream = new UpstreamTasks(connection, options.model);
  function run<T extends Task>(task: T, transfer?: unknown, claim?: Claim): Promise<ResultOf<T>>;
  async function run(task: Task, _transfer?: unknown, claim = soleClaim()): Promise<ResultOf<Task>> {
    const progress = { delivered: 0 };
    try {
      return await upstream.run(task, claim, progress);
    } catch (error) {
      if (claim.signal.aborted) throw claim.signal.reason;
      const isOurs = error instanceof UpstreamFailure || isUnavailable(error);
      if (options.fallback && progress.delivered === 0 && isOurs) return options.fallback(task, claim);
      const what = task.kind === "synthesis" ? "synthesis" : "recognition";
      throw error instanceof UpstreamFailure ? refusalOf(error, what) : error;
    }
  }
  return { run, async [Symbol.asyncDispose]() {} }; // the connection is the upstream's
}

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === "service_unavailable";

/** What the caller has already: samples, or hypotheses. */
type Progress = { delivered: number };

const RETRY_AFTER_MS = { least: 50, spread: 250 };

class UpstreamTasks {
  readonly #connection: RetriedConnection;
  readonly #model: string;

  constructor(connection: RetriedConnection, model: string) {
    this.#connection = connection;
    this.#model = model;
  }

  /** Throws for a task that no server does. */
  async run(task: Task, claim: Claim, progress: Progress): Promise<ResultOf<Task>> {
    switch (task.kind) {
      case "synthesis":
        return this.#synthesize(task, claim, progress);
      case "recognition":
        return this.#recognize(task, claim, progress);
      case "voice-encoding":
      case "speech-search":
      case "streaming-recognition":
      case "turn":
      case "voice-activity":
      case "speaker-windows":
      case "speaker-voice":
      case "speakers":
      case "phonemes":
      case "plan":
      case "origins":
        throw new Error(`an upstream does no task of the kind ${task.kind}`);
      default:
        return unknownKind(task);
    }
  }

  async #synthesize(task: SynthesisTask, claim: Claim, progress: Progress): Promise<SynthesisResult> {
    const flags = this.#connection.preset.speech;
    if (flags === null) throw new Error("the preset has no speech");
    // what a file is made of may be tried again, because none of it was sent yet
    const isSent = task.length === undefined && claim.urgency !== "batch";
    const early = isSent ? claim.early : undefined;
    const deliver =
      early &&
      ((samples: Float32Array) => {
        progress.delivered += samples.length;
        early(samples);
      });
    return this.#retried(claim.signal, progress, (sending, lease) =>
      synthesizeSegment(task, { flags, model: this.#model, deliver, answered: lease.succeeded }, sending),
    );
  }

  /** Posts the hypotheses of each piece when it is recognized; returns their number. */
  async #recognize(task: RecognitionTask, claim: Claim, progress: Progress): Promise<number> {
    const flags = this.#connection.preset.transcription;
    if (flags === null) throw new Error("the preset has no transcription");
    const isPrompt = claim.urgency === "streaming" || (task.wordTimes && flags.times === "none");
    for (const { start, end } of piecesOf(task.samples, flags.seconds_max, isPrompt)) {
      if (task.cancel[0] !== 0) break;
      const piece = { samples: task.samples.subarray(start, end), offsetSeconds: start / ASR_SAMPLE_RATE };
      const hypotheses = await this.#retried(
        claim.signal,
        { delivered: 0 }, // of this piece
        (sending, lease) =>
          recognizePiece(
            task,
            { flags, model: this.#model, piece, answered: lease.succeeded },
            this.#untilRecognized(sending, piece.samples),
          ),
      );
      for (const hypothesis of hypotheses) task.port.postMessage(hypothesis);
      progress.delivered += hypotheses.length;
    }
    return progress.delivered;
  }

  /** Nothing is tried again once something was delivered. */
  async #retried<T>(
    signal: AbortSignal,
    progress: Progress,
    work: (sending: Sending, lease: Lease) => Promise<T>,
  ): Promise<T> {
    const { pool, budget, failed } = this.#connection;
    const avoided = new Set<string>();
    budget.requested();
    for (let isAgain = false; ; isAgain = true) {
      const lease = await pool.take(signal, avoided);
      try {
        return await this.#attempt(lease, signal, work);
      } catch (thrown) {
        const error = failureFrom(thrown);
        if (signal.aborted || !(error instanceof UpstreamFailure)) throw error;
        lease.failed(error);
        failed(error, lease.server.address.key);
        const mayRetry = !isAgain && progress.delivered === 0 && isRetryable(error);
        if (!mayRetry || !budget.retry()) throw error;
        avoided.add(lease.server.address.key);
      }
      await Bun.sleep(RETRY_AFTER_MS.least + Math.random() * RETRY_AFTER_MS.spread);
    }
  }

  /** The place stays taken while the server works for it: also for a caller that has left, where it does not notice. */
  #attempt<T>(
    lease: Lease,
    signal: AbortSignal,
    work: (sending: Sending, lease: Lease) => Promise<T>,
  ): Promise<T> {
    const { preset } = this.#connection;
    const isFinishing = preset.cancel === "finishes";
    const send = async () => {
      const sending: Sending = {
        address: lease.server.address,
        headers: readable(this.#connection.headers),
        timeouts: timeoutsOf(preset),
        signal: isFinishing ? new AbortController().signal : signal,
      };
      return work(sending, lease);
    };
    const result = send().finally(lease.release);
    return isFinishing ? unlessAborted(signal, result) : result;
  }

  /** A recording is answered once all of it is recognized. */
  #untilRecognized({ timeouts, ...sending }: Sending, samples: Float32Array): Sending {
    const wholeMs = answerMsMax(this.#connection.preset, samples.length / ASR_SAMPLE_RATE);
    return { ...sending, timeouts: { ...timeouts, firstByteMs: wholeMs, wholeMs } };
  }
}
