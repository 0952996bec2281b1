/** Measures a synthesizer: what a recognizer makes of its sentences, the first audio, memory and speed. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { isEmbedded, languagesSpoken } from "../../src/models/manifest.ts";
import { normalizerOf, percent, wordErrors } from "../wer.ts";
import { recognizerOf } from "./counterparts.ts";
import { type Measuring, recognizedText, speak } from "./engines.ts";
import { counted, sentencesOf, spokenOf } from "./material.ts";
import { isSmall, type Measured } from "./measurement.ts";

type Spoken = { language: string; text: string; samples: Float32Array };

export async function measureSynthesis(measuring: Measuring): Promise<Measured[]> {
  const { catalogue, installed, extent, registry } = measuring;
  const pkg = catalogue.voices.filter(({ engine }) => engine === installed.package.name);
  if (pkg.length === 0) throw new Error("the catalogue has no voice of it");
  const languages = spokenOf(pkg.flatMap(languagesSpoken)).slice(0, extent.languages);
  const spoken: Spoken[] = [];
  const first: number[] = [];
  let [seconds, audioSeconds, memory] = [0, 0, 0];
  for (const language of languages) {
    const voice = pkg.find((each) => each.language === language) ?? pkg[0]!;
    const texts = sentencesOf(language, extent.sentences);
    await speak(registry, { voice, text: texts[0]! }, language); // opens what is not open yet
    for (const text of texts) {
      const { samples, firstMs, lastMs } = await speak(registry, { voice, text }, language);
      if (!samples.every(Number.isFinite)) throw new Error(`it spoke no audio for: ${text}`);
      first.push(firstMs);
      seconds += lastMs / 1000;
      audioSeconds += samples.length / TTS_SAMPLE_RATE;
      memory = Math.max(memory, measuring.grownMb());
      spoken.push({ language, text, samples: resample(samples, TTS_SAMPLE_RATE, ASR_SAMPLE_RATE) });
    }
  }
  if (audioSeconds === 0) throw new Error("it spoke no audio");
  const trips: Measured[] = [];
  for (const language of languages)
    trips.push(
      await roundTrip(
        measuring,
        language,
        spoken.filter((each) => each.language === language),
      ),
    );
  return [
    ...trips,
    { kind: "first audio", detail: "median", value: first.toSorted((a, b) => a - b)[first.length >> 1]! },
    { kind: "speed", detail: "", value: audioSeconds / seconds },
    { kind: "memory", detail: "", value: memory },
  ];
}

async function roundTrip(
  { catalogue, registry, store }: Measuring,
  language: string,
  spoken: Spoken[],
): Promise<Measured> {
  const engine = recognizerOf(catalogue, language);
  const trip = { kind: "word errors", language } as const;
  if (engine === null || isEmbedded(engine))
    return { ...trip, detail: `${language}, no package that recognizes it is installed`, value: null };
  const errors = [];
  for (const { text, samples } of spoken)
    errors.push(wordErrors(text, await recognizedText(registry, engine, { samples, language }), language));
  const isHard = isSmall(store.installed(engine)!.package);
  const detail = `${language}, ${counted(spoken.length, "sentence")} recognized by ${engine} (${normalizerOf(language)})`;
  return { ...trip, detail, value: percent(errors), isHard };
}
