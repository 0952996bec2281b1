/**
 * Encodes off the HTTP thread. PCM, WAV and G.711 take little time and are encoded in place; AAC is encoded by processes, because
 * FFmpeg is GPL; the other codecs run on threads.
 *
 * A host is one thread or process, because an encoder's state lives where it was opened. A clip stays on the host where
 * it started, and organizations take turns there.
 */
import { openEncoder } from "../audio/encode.ts";
import type { ClipFormat } from "../audio/formats.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { Claim, Runner } from "../engine/runner.ts";
import { openScheduler, type Scheduler } from "../engine/scheduler.ts";
import { Refusal } from "../errors.ts";

/** The end of an encoded clip: the last bytes, and corrected first bytes for a body that was not sent yet. */
type Finish = { tail: Uint8Array; head: Uint8Array | null };

/** At once where it takes little time. */
export type Encoding = {
  encode(samples: Float32Array): Uint8Array | Promise<Uint8Array>;
  finish(): Finish | Promise<Finish>;
  /** Frees an encoder before its end; does nothing after `finish`. */
  close(): void;
};

export type Encoders = AsyncDisposable & {
  open(clip: Clip, claim: Claim): Promise<Encoding>;
};

/** `sampleCount` is the clip's exact length where it is known before the first byte. */
type Clip = ClipFormat & { sampleCount: number | null };

/** What a host is asked about a clip. */
export type OpenTask = Clip & { op: "open"; id: number };
type EncodeTask = { op: "encode"; id: number; samples: Float32Array };
type FinishTask = { op: "finish"; id: number };
type CloseTask = { op: "close"; id: number };
export type ClipWork =
  | { task: OpenTask | CloseTask; result: null }
  | { task: EncodeTask; result: Uint8Array }
  | { task: FinishTask; result: Finish };
export type ClipTask = ClipWork["task"];

type Host = { runner: Runner<ClipWork>; queue: Scheduler<ClipWork> };

/** `openProcess`: for AAC. `count`: of threads, and of processes; each starts with its first clip. */
type EncodersOptions = {
  openThread: () => Runner<ClipWork>;
  openProcess: () => Runner<ClipWork>;
  count: number;
};

export function openEncoders({ openThread, openProcess, count }: EncodersOptions): Encoders {
  const threads: Host[] = [];
  const processes: Host[] = [];
  let opened = 0;
  const hostOf = (hosts: Host[], id: number, open: () => Runner<ClipWork>): Host => {
    const started = hosts[id % count];
    if (started) return started;
    const runner = open();
    const host = { runner, queue: openScheduler(runner, { size: 1 }) };
    hosts[id % count] = host;
    return host;
  };
  return {
    async open(clip, claim) {
      const { format } = clip;
      if (isPlain(format)) return encodeHere(format, clip);
      const id = opened++;
      const isAac = format === "aac" || format === "m4b";
      const host = isAac ? hostOf(processes, id, openProcess) : hostOf(threads, id, openThread);
      return encodeElsewhere(host, { ...clip, id }, claim);
    },
    async [Symbol.asyncDispose]() {
      const hosts = [...Object.values(threads), ...Object.values(processes)];
      await Promise.all(hosts.map(({ queue }) => queue[Symbol.asyncDispose]()));
    },
  };
}

const PLAIN = ["pcm", "wav", "ulaw", "alaw", "wav-ulaw", "wav-alaw"] as const;
type Plain = (typeof PLAIN)[number];

const isPlain = (format: ClipFormat["format"]): format is Plain =>
  (PLAIN as readonly string[]).includes(format);

async function encodeHere(format: Plain, { sampleCount, sampleRate: outputRate }: Clip): Promise<Encoding> {
  const encoder = await openEncoder(format, { sampleRate: TTS_SAMPLE_RATE, sampleCount, outputRate });
  return {
    encode: (samples) => encoder.encode(samples),
    finish: () => encoder.finish(),
    close: () => {},
  };
}

async function encodeElsewhere(
  { runner, queue }: Host,
  { id, ...clip }: Clip & { id: number },
  claim: Claim,
): Promise<Encoding> {
  const run = async <T extends ClipTask>(task: T, transfer: ArrayBuffer[] = []) => {
    try {
      return await queue.run(task, claim, transfer);
    } catch (cause) {
      if (claim.signal.aborted || cause instanceof Refusal) throw cause;
      throw new Refusal("inference_unavailable", "The audio could not be encoded. Try again.", { cause });
    }
  };
  await run({ op: "open", id, ...clip });
  return {
    encode(shared) {
      const samples = shared.slice(); // in a buffer of their own, which is moved to the thread
      return run({ op: "encode", id, samples }, [samples.buffer]);
    },
    finish: () => run({ op: "finish", id }),
    close: () => void runner.run({ op: "close", id }).catch(() => {}), // at once; a lost host holds no encoder
  };
}
