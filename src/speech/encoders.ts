/**
 * Encoding beside the HTTP thread. PCM and WAV are a copy and happen in place; the codecs run on lanes.
 *
 * A lane is a pool of one thread, because an encoder's state lives in the thread that opened it. A clip stays on
 * the lane it started on.
 */
import { type AudioFormat, openEncoder } from "../audio/encode.ts";
import type { Runner } from "../engine/runner.ts";
import { SPEECH_RATE } from "../engine/task.ts";

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
  /** `sampleCount` is the clip's exact length where it is known before the first byte. */
  open(format: AudioFormat, sampleCount: number | null): Promise<Encoding>;
};

export function openEncoders(openLane: () => Runner, laneCount: number): Encoders {
  const lanes: Runner[] = [];
  let opened = 0;
  return {
    open(format, sampleCount) {
      if (format === "pcm" || format === "wav") return encodeHere(format, sampleCount);
      const id = opened++;
      const index = id % laneCount;
      lanes[index] ??= openLane();
      return encodeOnLane(lanes[index], { id, format, sampleCount });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(lanes.map((lane) => lane[Symbol.asyncDispose]()));
    },
  };
}

async function encodeHere(format: AudioFormat, sampleCount: number | null): Promise<Encoding> {
  const encoder = await openEncoder(format, { sampleRate: SPEECH_RATE, sampleCount });
  return {
    encode: async (samples) => encoder.encode(samples),
    finish: async () => encoder.finish(),
    close: () => {},
  };
}

type Clip = { id: number; format: AudioFormat; sampleCount: number | null };

async function encodeOnLane(lane: Runner, { id, ...clip }: Clip): Promise<Encoding> {
  await lane.run({ op: "open", id, ...clip });
  return {
    encode: (samples) => lane.run<Uint8Array>({ op: "encode", id, samples }, [samples.buffer as ArrayBuffer]),
    finish: () => lane.run<Finish>({ op: "finish", id }),
    close: () => void lane.run({ op: "close", id }).catch(() => {}), // a lost lane holds no encoder
  };
}
