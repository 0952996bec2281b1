/**
 * AAC: a clip is spooled until it is whole, then encoded by FFmpeg in its own process, which exists for that clip only.
 *
 *   samples ──> spool (s16le) ──> a child process, confined ──> ADTS
 *
 * So a child runs for seconds, however long the synthesis takes. It ends when the caller leaves, or at the time limit.
 * Organizations take turns for the children.
 */
import { toInt16 } from "../audio/pcm.ts";
import type { WorkerEnded } from "../engine/back-off.ts";
import type { Claim } from "../engine/claim.ts";
import { openMediaProcess } from "../engine/media/media-process.ts";
import type { Runner } from "../engine/runner.ts";
import { openScheduler } from "../engine/scheduler.ts";
import { Refusal, unavailableOnError } from "../errors.ts";
import type { Spool, Spooled } from "../memory/spool.ts";
import type { Encoding } from "./encoders.ts";

export type AacOptions = {
  spool: Spool;
  /** The encoding process. */
  script: URL;
  timeoutMs: number;
  /** How many children may encode at once; further clips wait. */
  childrenMax: number;
  ended?: WorkerEnded | undefined;
};

const WAITING_MAX = 1024;
const NO_BYTES = new Uint8Array(0);

/** Opens an encoding whose bytes all come at its end. */
export function openAacEncoder(options: AacOptions): (claim: Claim) => Encoding {
  const { spool, childrenMax } = options;
  const children = openScheduler(runnerOf(options), {
    size: childrenMax,
    queueMax: WAITING_MAX,
    shareMax: Math.max(1, childrenMax - 1), // one organization leaves one free
  });
  return (claim) => {
    const pcm = spool.open();
    return {
      async encode(samples) {
        await unavailableOnError("The disk", pcm.append(new Uint8Array(toInt16(samples).buffer)));
        return NO_BYTES;
      },
      async finish() {
        const tail = await children.run<Uint8Array>({ pcm, signal: claim.signal }, claim);
        return { tail, head: null };
      },
      close: () => void pcm.close().catch(() => {}),
    };
  };
}

type Task = { pcm: Spooled; signal: AbortSignal };

function runnerOf(options: AacOptions): Runner {
  return {
    run: <T>(task: object) => encodeInChild(task as Task, options) as Promise<T>,
    async [Symbol.asyncDispose]() {},
  };
}

async function encodeInChild(
  { pcm, signal }: Task,
  { script, timeoutMs, ended }: AacOptions,
): Promise<Uint8Array> {
  await using child = openMediaProcess({ script, input: pcm.chunks(), timeoutMs, signal, ended });
  const bytes = await child.output.bytes();
  if ((await child.exited()) !== 0)
    throw new Refusal("inference_unavailable", "The audio could not be encoded as AAC.");
  return bytes;
}
