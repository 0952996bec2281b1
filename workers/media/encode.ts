/** Encodes clips on one thread. */
import { move } from "piscina";
import { openEncoder } from "../../src/audio/encode.ts";
import type { AudioFormat } from "../../src/audio/formats.ts";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { ClipTask } from "../../src/speech/encoders.ts";
import { advance, begin } from "./clips.ts";

export default async function encode(task: ClipTask): Promise<unknown> {
  if (task.op === "open") {
    const { format, sampleCount, sampleRate: outputRate, bitrate } = task;
    const options = { sampleRate: TTS_SAMPLE_RATE, sampleCount, outputRate, bitrate };
    return begin(task, await openEncoder(format as AudioFormat, options));
  }
  const result = advance(task);
  return result instanceof Uint8Array ? move(result as Uint8Array<ArrayBuffer>) : result;
}
