/**
 * One confined process, which decodes one recording or encodes one clip (`workers/media`).
 *
 *   input ──> stdin ──> child ──> stdout ──> `output`          exit code: the result
 *
 * The child ends with its result, when the caller leaves, at the time limit, or when it is disposed. Its priority is below
 * the server's, whose live streams suffer from every delay.
 */
import { constants, setPriority } from "node:os";
import type { FileSink } from "bun";
import { toFloat } from "../../audio/pcm.ts";
import { workerName } from "../../resources.ts";
import type { WorkerEnded } from "../back-off.ts";
import { workerProcess } from "../worker-process.ts";

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
  /** The exit code; throws the signal's reason where the caller has left. */
  exited(): Promise<number>;
};

export function openMediaProcess(program: MediaProgram): MediaProcess {
  const { script, args = [], input, timeoutMs, signal, ended } = program;
  signal.throwIfAborted(); // an abort before this line would go unnoticed
  const child = Bun.spawn({
    ...workerProcess(script, args),
    stdin: typeof input === "number" ? input : "pipe", // bytes would stay in memory until they are collected
    stdout: "pipe",
    stderr: "ignore",
    cwd: "/",
    ...(timeoutMs !== undefined && { timeout: timeoutMs, killSignal: "SIGKILL" }),
  });
  lowerPriority(child.pid);
  let isStopped = false;
  const kill = () => child.kill("SIGKILL");
  const stop = () => {
    isStopped = true;
    kill();
  };
  signal.addEventListener("abort", stop);
  const fed = typeof input === "number" ? null : feed(child.stdin as FileSink, input).catch(kill);
  return {
    output: child.stdout,
    async exited() {
      const exitCode = await child.exited;
      if (child.signalCode !== null && !isStopped)
        ended?.({ worker: workerName(script), kind: "process", pausedMs: 0 });
      signal.throwIfAborted();
      return exitCode;
    },
    async [Symbol.asyncDispose]() {
      signal.removeEventListener("abort", stop);
      stop();
      await Promise.all([child.exited, fed]); // so that no more run than the caller counts
    },
  };
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
