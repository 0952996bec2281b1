/**
 * Encoding beside the HTTP thread. PCM and WAV are a copy and happen in place; the codecs run on lanes.
 *
 * A lane is a pool of one thread, because an encoder's state lives in the thread that opened it. A clip stays on
 * the lane it started on, where organizations take turns.
 */
import { type AudioFormat, openEncoder } from "../audio/encode.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { Claim } from "../engine/claim.ts";
import type { Runner } from "../engine/runner.ts";
import { openScheduler, type Scheduler } from "../engine/scheduler.ts";

/** What an encoder leaves at the end: the last bytes, and corrected first bytes for a body not yet sent. */
type Finish = { tail: Uint8Array; head: Uint8Array | null };

export type Encoding = {
  /** Takes the samples' buffer away. */
  encode(samples: Float32Array): Promise<Uint8Array>;
  finish(): Promise<Finish>;
  /** Frees an encoder that was left before its end; harmless after `finish`. */
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
    close: () => void runner.run({ op: "close", id }).catch(() => {}), // at once; a lost lane holds no encoder
  };
}
