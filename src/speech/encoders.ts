/**
 * Encodes off the HTTP thread. PCM and WAV only need a copy and are encoded in place; AAC has its own processes; the other
 * codecs run on threads.
 *
 * Each pool has one thread, because an encoder's state lives in the thread that opened it. A clip stays on the thread where
 * it started, and organizations take turns there.
 */
import { type AudioFormat, openEncoder, type SpeechFormat } from "../audio/encode.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { Claim } from "../engine/claim.ts";
import type { Runner } from "../engine/runner.ts";
import { openScheduler, type Scheduler } from "../engine/scheduler.ts";

/** The end of an encoded clip: the last bytes, and corrected first bytes for a body that was not sent yet. */
type Finish = { tail: Uint8Array; head: Uint8Array | null };

export type Encoding = {
  encode(samples: Float32Array): Promise<Uint8Array>;
  finish(): Promise<Finish>;
  /** Frees an encoder before its end; does nothing after `finish`. */
  close(): void;
};

export type Encoders = AsyncDisposable & {
  open(clip: Clip<SpeechFormat>, claim: Claim): Promise<Encoding>;
};

/** `sampleCount` is the clip's exact length where it is known before the first byte. */
type Clip<Format> = { format: Format; sampleCount: number | null };

type Thread = { runner: Runner; queue: Scheduler };

const WAITING_MAX = 1024;

type EncodersOptions = {
  openThread: () => Runner;
  threadCount: number;
  openAac: (claim: Claim) => Encoding;
};

export function openEncoders({ openThread, threadCount, openAac }: EncodersOptions): Encoders {
  const threads: Thread[] = [];
  let opened = 0;
  const start = (): Thread => {
    const runner = openThread();
    return { runner, queue: openScheduler(runner, { size: 1, queueMax: WAITING_MAX }) };
  };
  return {
    async open({ format, sampleCount }, claim) {
      if (format === "aac") return openAac(claim);
      if (format === "pcm" || format === "wav") return encodeHere({ format, sampleCount });
      const id = opened++;
      const index = id % threadCount;
      threads[index] ??= start();
      return encodeOnThread(threads[index], { id, format, sampleCount }, claim);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map(({ queue }) => queue[Symbol.asyncDispose]()));
    },
  };
}

async function encodeHere({ format, sampleCount }: Clip<AudioFormat>): Promise<Encoding> {
  const encoder = await openEncoder(format, { sampleRate: TTS_SAMPLE_RATE, sampleCount });
  return {
    encode: async (samples) => encoder.encode(samples),
    finish: async () => encoder.finish(),
    close: () => {},
  };
}

async function encodeOnThread(
  { runner, queue }: Thread,
  { id, ...clip }: Clip<AudioFormat> & { id: number },
  claim: Claim,
): Promise<Encoding> {
  await queue.run({ op: "open", id, ...clip }, claim);
  return {
    encode(shared) {
      const samples = shared.slice(); // in a buffer of their own, which is moved to the thread
      return queue.run({ op: "encode", id, samples }, claim, [samples.buffer]);
    },
    finish: () => queue.run({ op: "finish", id }, claim),
    close: () => void runner.run({ op: "close", id }).catch(() => {}), // at once; a lost thread holds no encoder
  };
}
