/**
 * One call of the speech route, from the request to a file that plays.
 *
 *   wav and pcm at speed 1, where the model streams pcm ── samples play as they arrive, a WAV header is added at the end
 *   everything else ── is received whole and played as it is
 */

import { wavHeader } from "../../../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../audio/rates.ts";
import { systemClock } from "../../../clock.ts";
import { type Client, jsonBody } from "../../api/public-api.ts";
import type { SpeechRequest } from "../../api/snippets.ts";
import type { SpeechOptions } from "../access/catalogue.ts";
import { type Outline, outlineOf } from "../audio/decode.ts";
import { readPcm } from "../audio/pcm-body.ts";
import { openPeakMeter } from "../audio/peaks.ts";
import { openTimedStream, type WordTime } from "./timed-stream.ts";

const WAV_HEADER_BYTES = 44;

export type FullRequest = SpeechRequest & { response_format: string };

export type Synthesis = {
  id: string;
  /** Unix milliseconds. */
  createdAt: number;
  request: FullRequest;
  voiceName: string;
  firstAudioMs: number;
  totalMs: number;
  durationSeconds: number;
  peaks: readonly number[];
  /** Of a streamed clip, where the voice's engine knows them. */
  words?: readonly WordTime[];
  /** What the browser plays; raw PCM has a WAV header here. */
  file: Blob;
};

export type Order = { request: FullRequest; voiceName: string; options: SpeechOptions | null };

/** `onSamples`: only while streaming, with all peaks and the duration so far. */
type Progress = {
  signal: AbortSignal;
  onSamples?: (samples: Float32Array<ArrayBuffer>, received: Outline) => void;
};

export function canStream({ request, options }: Order): boolean {
  const isPcm = request.response_format === "wav" || request.response_format === "pcm";
  return isPcm && (request.speed ?? 1) === 1 && options?.streamable_formats.includes("pcm") === true;
}

export async function synthesize(
  client: Client,
  order: Order & { id: string },
  progress: Progress,
): Promise<Synthesis> {
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  const run = canStream(order) ? receiveStream : receiveWhole;
  const result = await run(client, order, { ...progress, elapsed });
  const { id, request, voiceName } = order;
  return { ...{ id, request, voiceName }, createdAt: systemClock.now(), totalMs: elapsed(), ...result };
}

type Result = Pick<Synthesis, "firstAudioMs" | "durationSeconds" | "peaks" | "file" | "words">;
type Timed = Progress & { elapsed: () => number };

async function receiveStream(client: Client, { request }: Order, timed: Timed): Promise<Result> {
  const { body, words } = await openTimedStream(client, request, timed.signal);
  const meter = openPeakMeter(TTS_SAMPLE_RATE);
  let received = 0;
  let firstAudioMs = 0;
  const { chunks, sampleCount } = await readPcm(body, (samples) => {
    if (received === 0) firstAudioMs = timed.elapsed();
    received += samples.length;
    meter.push(samples);
    const durationSeconds = received / TTS_SAMPLE_RATE;
    timed.onSamples?.(samples, { peaks: meter.peaks, durationSeconds });
  });
  return {
    firstAudioMs,
    durationSeconds: sampleCount / TTS_SAMPLE_RATE,
    peaks: meter.peaks,
    file: new Blob([wavHeader(sampleCount, TTS_SAMPLE_RATE), ...chunks], { type: "audio/wav" }),
    ...(words ? { words } : {}),
  };
}

async function receiveWhole(client: Client, { request }: Order, timed: Timed): Promise<Result> {
  const response = await client("/audio/speech", { ...jsonBody(request), signal: timed.signal });
  const firstAudioMs = timed.elapsed();
  const bytes = await response.arrayBuffer();
  const file =
    request.response_format === "pcm"
      ? new Blob([wavHeader(bytes.byteLength >> 1, TTS_SAMPLE_RATE), bytes], { type: "audio/wav" })
      : new Blob([bytes], { type: response.headers.get("content-type") ?? "" });
  const outline = await outlineOf(file);
  return { firstAudioMs, file, ...(outline ?? { peaks: [], durationSeconds: 0 }) };
}

/** The response as the API sent it. */
export function downloadOf({ request, file }: Pick<Synthesis, "request" | "file">): Blob {
  return request.response_format === "pcm" ? file.slice(WAV_HEADER_BYTES) : file;
}
