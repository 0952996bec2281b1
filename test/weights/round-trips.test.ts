/**
 * Promise: with real weights, synthesized sentences are recognized: fifty for each language, with at most one word in ten
 * wrong. For `npm run test:weights`; elsewhere the titles name what is missing.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample.ts";
import { readConfig } from "../../src/config.ts";
import { soleClaim } from "../../src/engine/claim.ts";
import { chooseRecognition } from "../../src/models/choose.ts";
import { openModelStore } from "../../src/models/store/model-store.ts";
import { openInference } from "../../src/server/inference.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { synthesize } from "../../src/speech/synthesize.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { joined } from "../../src/transcription/transcript.ts";
import { wordErrors } from "../wer.ts";
import { SENTENCES } from "./sentences.ts";

const config = readConfig();
const engines = openInference(config);
const store = openModelStore(config.models.weights);
afterAll(() => engines[Symbol.asyncDispose]());

const WORST = 0.1;
const isPackage = (engine: string) => store.installed(engine) !== null;
const voiceOf = (language: string) =>
  engines.catalogue.voices.find((voice) => voice.language === language && isPackage(voice.engine)) ?? null;

function vadStreamOf(language: string): string | null {
  try {
    const { engine } = chooseRecognition(engines.catalogue, {
      model: "svc-stt1",
      language,
      streaming: false,
      diarized: false,
    });
    return isPackage(engine) ? engine : null;
  } catch {
    return null; // nothing here understands it
  }
}

describe.each(Object.entries(SENTENCES))("%s", (language, sentences) => {
  const [voice, vadStream] = [voiceOf(language), vadStreamOf(language)];
  const missing = [voice ? null : "a voice", vadStream ? null : "recognition"].filter(Boolean).join(" and ");
  const why = missing ? ` (skipped: no package with ${missing} is installed)` : "";
  test.skipIf(missing !== "")(`synthesized sentences are recognized${why}`, async () => {
    let [errors, words] = [0, 0];
    for (const text of sentences) {
      const utterance = {
        engine: voice!.engine,
        speaker: voice!.speaker,
        text,
        language: voice!.locale,
        speed: 1,
        instructions: "",
        claim: soleClaim(),
      };
      const speech = await Array.fromAsync(
        synthesize(
          engines.registry.engine(voice!.engine),
          utterance,
          planSpeech(utterance.text, utterance.language),
        ),
      );
      const samples = resample(
        Float32Array.from(speech.flatMap((part) => [...part])),
        TTS_SAMPLE_RATE,
        ASR_SAMPLE_RATE,
      );
      const recognition = { samples, spans: null, language, prompt: "", claim: soleClaim() };
      const hypotheses = await Array.fromAsync(recognize(engines.registry.engine(vadStream!), recognition));
      const wrongWords = wordErrors(text, joined(hypotheses.flatMap((hypothesis) => hypothesis.words)));
      errors += wrongWords.errors;
      words += wrongWords.words;
    }
    expect(errors / words).toBeLessThan(WORST);
  });
});
