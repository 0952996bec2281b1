/** A sentence of a synthetic voice, as the recordings that dialects are sent, and what is needed to hear it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toInt16, wavHeader } from "../../../src/audio/pcm.ts";
import { parseWav } from "../../../src/audio/reading/wav-file.ts";
import { resample } from "../../../src/audio/resample/resample.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import type { Harness } from "../../harness.ts";

const SENTENCE = "We are at the old house by the river.";
/** For clients, which make many recognitions of it. */
const SHORT = "The old house by the river.";
/** What the smallest recognizer makes of it. */
export const HEARD = /old house by the river/i;

export const hears = installedFamilies().has("sphinx");
export const unlessRecognition = hears ? "" : " (skipped: libpocketsphinx is not installed)";

/** WAV, mono, 24 kHz. */
export async function sentence(
  { ask }: Pick<Harness, "ask">,
  input = SENTENCE,
): Promise<Uint8Array<ArrayBuffer>> {
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-deep", input });
  return new Uint8Array(await (await ask("/v1/audio/speech", { method: "POST", body })).arrayBuffer());
}

const RECORDED_RATE = 16_000;

/** The path of a shorter sentence as WAV, mono, 16 kHz, for programs that are given a file. */
export async function putRecording(harness: Pick<Harness, "ask" | "parts">): Promise<string> {
  const { samples, sampleRate } = parseWav(await sentence(harness, SHORT), 60)!;
  const heard = resample(samples, sampleRate, RECORDED_RATE);
  const path = join(harness.parts.config.data.folder, "recording.wav");
  writeFileSync(
    path,
    Buffer.concat([wavHeader(heard.length, RECORDED_RATE), Buffer.from(toInt16(heard).buffer)]),
  );
  return path;
}
