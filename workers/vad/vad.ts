/**
 * Voice activity detection on a thread: live audio of many clients to samples and speech probabilities.
 *
 *   for every stream: bytes -> samples -> 16 kHz -> windows        then, window by window, all streams in one run
 *
 * The result of a stream does not depend on how its bytes are divided, nor on the other streams.
 */
import { workerData } from "piscina";
import { decodeAlaw, decodeUlaw } from "../../src/audio/g711.ts";
import { join, toFloat } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { Resampler } from "../../src/audio/resample.ts";
import type { LiveFormat, VadResult, VadTask } from "../../src/engine/protocol/vad.ts";
import type { Detector } from "./detector.ts";
import { openFvad } from "./fvad.ts";
import { openSilero } from "./silero.ts";

type Stream = {
  toSamples: (bytes: Uint8Array) => Float32Array;
  state: unknown;
  /** Samples of the next window. */
  rest: Float32Array;
};

const { model } = workerData as { model: string | null };
const detector = (await openDetector()) as Detector<unknown>;
const { windowSamples, lateSamples } = detector;
const streams = new Map<number, Stream>();

export default async function detectSpeech({ open, feed, close }: VadTask): Promise<VadResult[]> {
  for (const { id, format } of open) {
    streams.set(id, { toSamples: reader(format), state: detector.open(), rest: new Float32Array(0) });
  }
  const fed = feed.map(({ id, bytes, detect }) => take(id, bytes, detect));
  for (let round = 0; await detectRound(fed, round); round++);
  for (const id of close) {
    detector.close(streams.get(id)?.state);
    streams.delete(id);
  }
  return fed.map(({ id, samples, probabilities }) => ({
    id,
    samples,
    probabilities,
    windowSamples,
    lateSamples,
  }));
}

async function openDetector() {
  if (model === null) return openFvad();
  try {
    return await openSilero(model);
  } catch (error) {
    process.emitWarning(
      `Silero cannot be used, the WebRTC detector is used instead: ${(error as Error).message}`,
    );
    return openFvad();
  }
}

type Fed = Omit<VadResult, "windowSamples" | "lateSamples"> & {
  state: unknown;
  windows: Float32Array[];
  detect: boolean;
};

function take(id: number, bytes: Uint8Array, detect: boolean): Fed {
  const stream = streams.get(id)!;
  const samples = stream.toSamples(bytes);
  const waiting = join(stream.rest, samples);
  const count = Math.floor(waiting.length / windowSamples);
  const windows = Array.from({ length: count }, (_, index) =>
    waiting.subarray(index * windowSamples, (index + 1) * windowSamples),
  );
  stream.rest = waiting.slice(count * windowSamples);
  return {
    id,
    samples,
    windows,
    detect,
    state: stream.state,
    probabilities: new Float32Array(count).fill(-1),
  };
}

/** Runs the nth window of every stream that has one. False: none has. */
async function detectRound(fed: Fed[], round: number): Promise<boolean> {
  const due = fed.filter(({ windows, detect }) => detect && windows.length > round);
  if (due.length === 0) return false;
  const detected = await detector.detect(
    due.map(({ state }) => state),
    due.map(({ windows }) => windows[round]!),
  );
  for (const [index, { probabilities }] of due.entries()) probabilities[round] = detected[index]!;
  return true;
}

/** A client's bytes to 16 kHz; half a sample at the end of a message is kept for the next. */
function reader(format: LiveFormat): (bytes: Uint8Array) => Float32Array {
  const rate = format.type === "audio/pcm" ? format.rate : 8000;
  const resampler = rate === ASR_SAMPLE_RATE ? null : new Resampler(rate, ASR_SAMPLE_RATE);
  const decode = decoderOf(format);
  return (bytes) => {
    const samples = decode(bytes);
    return resampler ? resampler.push(samples) : samples;
  };
}

function decoderOf({ type }: LiveFormat): (bytes: Uint8Array) => Float32Array {
  if (type === "audio/pcmu") return decodeUlaw;
  if (type === "audio/pcma") return decodeAlaw;
  let odd = new Uint8Array(0);
  return (bytes) => {
    const whole = Buffer.concat([odd, bytes]);
    const even = whole.length & ~1;
    odd = whole.slice(even);
    return toFloat(new Int16Array(new Uint8Array(whole.subarray(0, even)).buffer));
  };
}
