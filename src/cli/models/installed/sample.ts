/** What a voice that is being added sounds like: a short text in its language, spoken as the server would. */
import { toInt16 } from "../../../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../audio/rates.ts";
import { wavHeader } from "../../../audio/wav.ts";
import { soleClaim } from "../../../engine/claim.ts";
import type { SynthesisTask } from "../../../engine/protocol/synthesis.ts";
import type { Installed } from "../../../models/store/model-store.ts";
import { openWith } from "./trial.ts";

/** `seconds`: how long the sound is; `workSeconds`: how long it took, without the load of the engine. */
export type Sample = { text: string; seconds: number; workSeconds: number; wav: Uint8Array };

const SHORT_SECONDS = 0.3;

/** Digits are read in every language. */
const textIn = (language: string): string =>
  language === "en" ? "Good morning. This is how I sound." : "1, 2, 3, 4, 5.";

/** By the first of its voices. Throws where nothing comes out that could be speech. */
export async function speakSample(installed: Installed): Promise<Sample> {
  const { name, voices } = installed.package;
  const { speaker, locale, language } = voices![0]!;
  const text = textIn(language);
  const task: SynthesisTask = { text, speaker, language: locale, speed: 1, instructions: "" };
  await using registry = openWith(installed);
  const engine = registry.engine(name);
  await engine.run<Float32Array>({ ...task, text: "1." }, soleClaim());
  const begun = performance.now();
  const samples = await engine.run<Float32Array>(task, soleClaim());
  const workSeconds = (performance.now() - begun) / 1000;
  const seconds = samples.length / TTS_SAMPLE_RATE;
  if (seconds < SHORT_SECONDS || !samples.every(Number.isFinite))
    throw new Error(`it spoke ${seconds.toFixed(2)} s of "${text}", which is no speech`);
  if (samples.every((sample) => sample === 0)) throw new Error(`it spoke "${text}" as silence`);
  const pcm = toInt16(samples);
  const wav = Buffer.concat([wavHeader(pcm.length, TTS_SAMPLE_RATE), new Uint8Array(pcm.buffer)]);
  return { text, seconds, workSeconds, wav };
}
