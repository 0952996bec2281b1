/** Recordings of any length, spoken by the server that is measured. */
import { toFloat, toInt16, wavHeader } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { speak } from "./client.ts";
import type { Server } from "./server.ts";
import { textOf } from "./texts.ts";

/** A voice that reads one text after another, at 16 kHz. */
export async function recordingOf(server: Server, seconds: number): Promise<Blob> {
  const samples = new Int16Array(seconds * ASR_SAMPLE_RATE);
  for (let turn = 0, offset = 0; offset < samples.length; turn++) {
    const fields = { voice: "male-deep", input: textOf(turn), response_format: "pcm" };
    const pcm = new Int16Array(await (await speak(server, fields)).arrayBuffer());
    const part = toInt16(resample(toFloat(pcm), TTS_SAMPLE_RATE, ASR_SAMPLE_RATE));
    samples.set(part.subarray(0, samples.length - offset), offset);
    offset += part.length + ASR_SAMPLE_RATE / 2;
  }
  return new Blob([wavHeader(samples.length, ASR_SAMPLE_RATE), samples]);
}
