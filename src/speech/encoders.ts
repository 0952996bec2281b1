/**
 * Encodes off the HTTP thread. PCM and WAV only need a copy and are encoded in place; the other codecs run on threads.
 *
 * Each pool has one thread, because an encoder's state lives in the thread that opened it. A clip stays on the thread where
 * it started, and organizations take turns there.
 */
import { type AudioFormat, openEncoder } from "../audio/encode.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { Claim } from "../engine/claim.ts";
import type { Runner } from "../engine/runner.ts";
import { openScheduler, type Scheduler } from "../engine/scheduler.ts";

/** The end of an encoded clip: the last bytes, and corrected first bytes for a body that was not sent yet. */
type Finish = { tail: Uint8Array; head: Uint8Array | null };

export type Encoding = {
  /** Transfers the samples' buffer. */
  encode(samples: Float32Array): Promise<Uint8Array>;
  finish(): Promise<Finish>;
  /** Frees an encoder before its end; does nothing after `finish`. */
  close(): void;
};

export type Encoders = AsyncDisposable & {
  open(clip: Clip, claim: Claim): Promise<Encoding>;
};

/** `sampleCount` is the clip's exact length where it is known before the first byte. */
type Clip = { format: AudioFormat; sampleCount: number | null };

type Thread = { runner: Runner; queue: Scheduler };

const WAITING_MAX = 1024;

export function openEncoders(openThread: () => Runner, threadCount: number): Encoders {
  const threads: Thread[] = [];
  let opened = 0;
  const start = (): Thread => {
    const runner = openThread();
    return { runner, queue: openScheduler(runner, { size: 1, queueMax: WAITING_MAX }) };
  };
  return {
    open(clip, claim) {
      if (clip.format === "pcm" || clip.format === "wav") return encodeHere(clip);
      const id = opened++;
      const index = id % threadCount;
      threads[index] ??= start();
      return encodeOnThread(threads[index], { id, ...clip }, claim);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map(({ queue }) => queue[Symbol.asyncDispose]()));
    },
  };
}

async function encodeHere({ format, sampleCount }: Clip): Promise<Encoding> {
  const encoder = await openEncoder(format, { sampleRate: TTS_SAMPLE_RATE, sampleCount });
  return {
    encode: async (samples) => encoder.encode(samples),
    finish: async () => encoder.finish(),
    close: () => {},
  };
}

async function encodeOnThread(
  { runner, queue }: Thread,
  { id, ...clip }: Clip & { id: number },
  claim: Claim,
): Promise<Encoding> {
  await queue.run({ op: "open", id, ...clip }, claim);
  return {
    encode: (samples) => queue.run({ op: "encode", id, samples }, claim, [samples.buffer as ArrayBuffer]),
    finish: () => queue.run({ op: "finish", id }, claim),
    close: () => void runner.run({ op: "close", id }).catch(() => {}), // at once; a lost thread holds no encoder
  };
}
