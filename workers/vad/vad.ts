/**
 * Voice activity detection on a thread: live audio of many clients to samples and speech probabilities.
 *
 *   for every stream: bytes -> samples -> 16 kHz -> windows        then, window by window, all streams in one run
 *
 * Of a stream without speech, nothing is returned. The result of a stream does not depend on how its bytes are divided,
 * nor on the other streams.
 */
import { workerData } from "piscina";
import { decodeAlaw, decodeUlaw } from "../../src/audio/g711.ts";
import { toFloat } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { RecentAudio } from "../../src/audio/recent-audio.ts";
import { Resampler } from "../../src/audio/resample/resample.ts";
import type { LiveFormat } from "../../src/engine/protocol/live-format.ts";
import type { Silence, VadResult, VadTask } from "../../src/engine/protocol/vad.ts";
import { TransientMap } from "../../src/transient.ts";
import type { Detector } from "./detector.ts";
import { openFvad } from "./fvad.ts";
import { openSilero } from "./silero.ts";

type Stream = {
  toSamples: (bytes: Uint8Array) => Float32Array;
  state: unknown;
  /** At 16 kHz: of the next window, and as much before it as may be asked for. */
  recent: RecentAudio;
  windowsEnd: number;
  paddingSamples: number;
};

const { model } = workerData as { model: string | null };
const detector = (await openDetector()) as Detector<unknown>;
const { windowSamples, lateSamples } = detector;
const streams = new TransientMap<number, Stream>();

export default async function detectSpeech({ open, feed, close }: VadTask): Promise<VadResult[]> {
  for (const { id, format } of open) {
    streams.set(id, {
      toSamples: reader(format),
      state: detector.open(),
      recent: new RecentAudio(),
      windowsEnd: 0,
      paddingSamples: 0,
    });
  }
  const fed = feed.map(take);
  for (let round = 0; await detectRound(fed, round); round++);
  const results = fed.map(resultOf);
  for (const id of close) {
    detector.close(streams.get(id)?.state);
    streams.delete(id);
  }
  return results;
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

type Fed = {
  id: number;
  stream: Stream;
  samples: Float32Array;
  windows: Float32Array[];
  probabilities: Float32Array;
  detect: boolean;
  silence: Silence | undefined;
};

function take({ id, bytes, detect, silence }: VadTask["feed"][number]): Fed {
  const stream = streams.get(id)!;
  const { recent, windowsEnd } = stream;
  const samples = stream.toSamples(bytes);
  recent.append(samples);
  const count = Math.floor((recent.end - windowsEnd) / windowSamples);
  const windows = Array.from({ length: count }, (_, index) =>
    recent.between(windowsEnd + index * windowSamples, windowsEnd + (index + 1) * windowSamples),
  );
  return { id, stream, samples, windows, detect, silence, probabilities: new Float32Array(count).fill(-1) };
}

function resultOf({ id, stream, samples, probabilities, silence }: Fed): VadResult {
  const { recent, windowsEnd } = stream;
  const result = { id, windowSamples, lateSamples };
  stream.windowsEnd += probabilities.length * windowSamples;
  if (silence) stream.paddingSamples = silence.paddingSamples;
  const rest =
    silence && afterSilence(silence, { probabilities, windowsEnd, recent, received: samples.length });
  recent.dropBefore(stream.windowsEnd - stream.paddingSamples);
  return rest ? { ...result, ...rest } : { ...result, samples, probabilities };
}

type Detected = Pick<Stream, "recent" | "windowsEnd"> & { probabilities: Float32Array; received: number };

/** From the first window with speech on. */
function afterSilence(
  { threshold, paddingSamples }: Silence,
  { probabilities, windowsEnd, recent, received }: Detected,
): Pick<VadResult, "samples" | "probabilities" | "silent"> {
  const first = probabilities.findIndex((each) => each >= threshold);
  const windows = first === -1 ? probabilities.length : first;
  const from = first === -1 ? recent.end : windowsEnd + first * windowSamples - paddingSamples;
  return {
    samples: recent.between(from, recent.end),
    probabilities: probabilities.slice(windows),
    silent: { windows, received },
  };
}

/** Runs the nth window of every stream that has one. False: none has. */
async function detectRound(fed: Fed[], round: number): Promise<boolean> {
  const due = fed.filter(({ windows, detect }) => detect && windows.length > round);
  if (due.length === 0) return false;
  const detected = await detector.detect(
    due.map(({ stream }) => stream.state),
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
  let odd = NONE;
  return (bytes) => {
    const whole = odd.length > 0 ? joined(odd, bytes) : bytes;
    const even = whole.length & ~1;
    odd = even < whole.length ? whole.slice(even) : NONE;
    return toFloat(new Int16Array(whole.buffer, whole.byteOffset, even / Int16Array.BYTES_PER_ELEMENT));
  };
}

const NONE = new Uint8Array(0);

/** In a buffer of its own, as bytes from the server's thread are, so that samples begin at an even place. */
function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
