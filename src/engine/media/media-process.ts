/**
 * One confined process, which decodes one recording or encodes one clip (`workers/media`).
 *
 *   input ──> stdin ──> child ──> stdout ──> `output`          exit code: the result; standard error: its report
 *
 * The child ends with its result, when the caller leaves, at the time limit, or when it is disposed. Its priority is below
 * the server's, whose live streams suffer from every delay.
 */
import { constants, setPriority } from "node:os";
import type { FileSink, Subprocess } from "bun";
import { toFloat } from "../../audio/pcm.ts";
import { endsWithin } from "../../clock.ts";
import { Refusal } from "../../errors.ts";
import { workerName } from "../../resources.ts";
import type { WorkerEnded } from "../back-off.ts";
import { workerProcess } from "../worker-process.ts";
import { DECODE_CPU_SECONDS } from "./decode-exit.ts";
import { REPORT_BYTES_MAX } from "./decode-report.ts";

type MediaProgram = {
  script: URL;
  args?: string[];
  /** Chunks, or the descriptor of an open file, which the child may read in any order. */
  input: Iterable<Uint8Array> | AsyncIterable<Uint8Array> | number;
  timeoutMs?: number;
  signal: AbortSignal;
  /** Called where something else than this server ended it. */
  ended?: WorkerEnded | undefined;
};

type MediaProcess = AsyncDisposable & {
  output: ReadableStream<Uint8Array>;
  /** The exit code; throws the signal's reason where the caller has left, and a refusal where neither file nor caller ended it. */
  exited(): Promise<number>;
  /** What it wrote to standard error, up to `REPORT_BYTES_MAX`. Ends with the process. */
  report(): Promise<string>;
};

export function openMediaProcess(program: MediaProgram): MediaProcess {
  const { script, args = [], input, timeoutMs, signal, ended } = program;
  signal.throwIfAborted(); // an abort before this line would go unnoticed
  const child = Bun.spawn({
    ...workerProcess(script, args),
    stdin: typeof input === "number" ? input : "pipe", // bytes would stay in memory until they are collected
    stdout: "pipe",
    stderr: "pipe",
    cwd: "/",
  });
  lowerPriority(child.pid);
  let isStopped = false;
  let isAbandoned = false;
  const kill = () => child.kill("SIGKILL");
  const stop = () => {
    isStopped = true;
    kill();
  };
  const abandon = () => {
    isAbandoned = true; // for what the file makes it do
    kill();
  };
  const timer = timeoutMs === undefined ? null : setTimeout(abandon, timeoutMs);
  signal.addEventListener("abort", stop);
  const report = beginningOf(child.stderr);
  const fed =
    typeof input === "number"
      ? null
      : feed(child.stdin as FileSink, input).catch(() => unlessEnded(child, abandon));
  return {
    output: child.stdout,
    async exited() {
      const exitCode = await child.exited;
      if (child.signalCode !== null && !isStopped)
        ended?.({ worker: workerName(script), kind: "process", pausedMs: 0 });
      signal.throwIfAborted();
      if (!isStopped && !isAbandoned && isEndedFromOutside(child)) throw endedFromOutside();
      return exitCode;
    },
    report: () => report,
    async [Symbol.asyncDispose]() {
      signal.removeEventListener("abort", stop);
      if (timer !== null) clearTimeout(timer);
      stop();
      await Promise.all([child.exited, fed, report]); // so that no more run than the caller counts
    },
  };
}

const ENDING_MS = 1000;

/** A process that no longer reads may be about to end by itself. */
async function unlessEnded({ exited }: Subprocess, abandon: () => void): Promise<void> {
  if (!(await endsWithin(ENDING_MS, exited))) abandon();
}

/** Signals that others send; those of a crash have other names. */
const SENT = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

/** Whether another process ended it, such as the system for want of memory. */
function isEndedFromOutside(child: Subprocess): boolean {
  if (!SENT.includes(String(child.signalCode))) return false;
  const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
  return cpuSeconds < DECODE_CPU_SECONDS - 1; // the system's own limit also kills
}

const endedFromOutside = () =>
  new Refusal("service_unavailable", "The decoder was ended before it was done. Try again.", {
    retryAfterSeconds: 1,
  });

/** All is read, so that the child never waits. */
async function beginningOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    if (sizeBytes < REPORT_BYTES_MAX) kept.push(chunk.slice(0, REPORT_BYTES_MAX - sizeBytes));
    sizeBytes += chunk.length;
  }
  return Buffer.concat(kept).toString();
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // the child has ended already
  }
}

/** Fails where the child ends before it has read everything. */
async function feed(
  stdin: FileSink,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const chunk of chunks) {
    await stdin.write(chunk);
    await stdin.flush(); // or it would keep a copy of all of them
  }
  await stdin.end();
}

/** Samples of s16le, converted while it arrives, so that a long recording does not block the server at its end. */
export async function* samplesIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<Float32Array> {
  let odd: Uint8Array = new Uint8Array(0); // half a sample, where a chunk ended inside one
  for await (const chunk of stream) {
    const bytes = odd.length > 0 ? Buffer.concat([odd, chunk]) : chunk;
    const pcm = new Uint8Array(bytes.subarray(0, bytes.length & ~1)); // a copy, because it must be aligned
    odd = bytes.slice(pcm.length);
    yield toFloat(new Int16Array(pcm.buffer));
  }
}
