/** What trials speak and listen to: a few seconds of English, spoken by the voice that needs no package. */
import { joinAll, toInt16 } from "../../audio/pcm.ts";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { resample } from "../../audio/resample/resample.ts";
import { installedFamilies } from "../../engine/families/installed.ts";
import type { EngineRegistry } from "../../engine/registry.ts";
import { soleClaim } from "../../engine/runner.ts";
import { primaryLanguage } from "../../language-tag.ts";
import { planSpeech } from "../../speech/plan.ts";
import { synthesize } from "../../speech/synthesize.ts";

const ENGLISH = {
  short: "Ready.",
  long: "The quick brown fox jumps over the lazy dog. It was a bright cold day in April, and the clocks were striking thirteen.",
};
/** Digits are read in every language, and long numbers as loud as sentences: to count to twelve is 1.6 LU quieter. */
const DIGITS = { short: "1.", long: "73625 41983 95867 28374." };

export const textIn = (locale: string): typeof ENGLISH =>
  primaryLanguage(locale) === "en" ? ENGLISH : DIGITS;

const SPEAKER = { engine: "flite", speaker: "slt", language: "en-US" };
const LIMIT_MS = 20_000;
const TONE_SECONDS = 10;

/** `gain`: instead of the one that makes the voice as loud as others. */
type Spoken = { text: string; engine: string; speaker: string; language: string; gain?: number };

/** Leaves the rest of the text unspoken once the time is up. */
export async function speak(registry: Pick<EngineRegistry, "engine">, { text, ...spoken }: Spoken) {
  const request = { ...spoken, text, speed: 1, instructions: "", claim: soleClaim() };
  const chunks: Float32Array[] = [];
  const begun = performance.now();
  const secondsSince = () => (performance.now() - begun) / 1000;
  let firstSeconds = 0;
  const plan = planSpeech(text, spoken.language);
  for await (const chunk of synthesize(registry.engine(spoken.engine), request, plan)) {
    firstSeconds ||= secondsSince();
    chunks.push(chunk);
    if (secondsSince() * 1000 > LIMIT_MS) break;
  }
  const seconds = secondsSince();
  const samples = joinAll(chunks);
  const audioSeconds = samples.length / TTS_SAMPLE_RATE;
  return { samples, seconds, firstSeconds, audioSeconds, isLate: seconds * 1000 > LIMIT_MS };
}

/** At 16 kHz. `text` null: it is no speech, because the voice is not installed. */
export type Recording = {
  short: Float32Array;
  long: { samples: Float32Array; pcm: Uint8Array; rate: number; seconds: number };
  text: string | null;
};

export async function recordingOf(registry: Pick<EngineRegistry, "engine">): Promise<Recording> {
  const isSpoken = installedFamilies().has(SPEAKER.engine);
  const recorded = async (text: string) =>
    resample((await speak(registry, { ...SPEAKER, text })).samples, TTS_SAMPLE_RATE, ASR_SAMPLE_RATE);
  const short = isSpoken ? await recorded(ENGLISH.short) : tone(1);
  const samples = isSpoken ? await recorded(ENGLISH.long) : tone(TONE_SECONDS);
  const seconds = samples.length / ASR_SAMPLE_RATE;
  const long = { samples, pcm: new Uint8Array(toInt16(samples).buffer), rate: ASR_SAMPLE_RATE, seconds };
  return { short, long, text: isSpoken ? ENGLISH.long : null };
}

/** A modulated tone: the whole recording passes through the model, whatever it recognizes. */
const tone = (seconds: number): Float32Array =>
  Float32Array.from(
    { length: seconds * ASR_SAMPLE_RATE },
    (_, index) => 0.1 * Math.sin(index / 9) * Math.sin(index / 3000),
  );
