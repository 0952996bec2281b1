/** The shared recordings and models, where a machine has them: people speaking English, and Silero's weights. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FLACDecoder } from "@wasm-audio-decoders/flac";
import { ASR_SAMPLE_RATE } from "../src/audio/rates.ts";
import { parseWav } from "../src/audio/reading/wav-file.ts";
import { resample } from "../src/audio/resample/resample.ts";

const SHARED = new URL("../../shared/", import.meta.url);
const CLIPS = new URL("audio/", SHARED);

export const hasClips = existsSync(CLIPS);
/** For `LOQUAT_WEIGHTS`. */
export const WEIGHTS = fileURLToPath(new URL("models", SHARED));
export const hasSilero = existsSync(`${WEIGHTS}/silero-vad/silero_vad.onnx`);
export const unlessSilero = hasSilero ? "" : " (skipped: the Silero weights are not here)";

/** At 16 kHz, unless said otherwise. */
export async function clip(path: string, rate = ASR_SAMPLE_RATE): Promise<Float32Array> {
  const bytes = readFileSync(new URL(path, CLIPS));
  const { samples, sampleRate } = path.endsWith(".flac") ? await unpackFlac(bytes) : parseWav(bytes, 600)!;
  return resample(samples, sampleRate, rate);
}

async function unpackFlac(bytes: Uint8Array) {
  const decoder = new FLACDecoder();
  await decoder.ready;
  const { channelData, sampleRate } = await decoder.decodeFile(bytes);
  return { samples: channelData[0]!, sampleRate };
}

/** Path and text of every recording in a language. */
export function references(language = "en"): [path: string, text: string][] {
  const rows = readFileSync(new URL("transcripts.csv", CLIPS), "utf8").matchAll(
    /^([^,\n]+),([a-z]+),"?(.+?)"?$/gm,
  );
  return Array.from(rows).flatMap(([, path, spoken, text]) => (spoken === language ? [[path!, text!]] : []));
}
