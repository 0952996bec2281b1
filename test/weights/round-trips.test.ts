/**
 * Promise: where real weights are installed, what is said in a language is heard again. Fifty sentences each, and no more
 * than one word in ten wrong. For `npm run test:weights`; elsewhere what is missing is named.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample.ts";
import { readConfig } from "../../src/config.ts";
import { soleClaim } from "../../src/engine/scheduler.ts";
import { chooseHearing } from "../../src/models/choose.ts";
import { openShelf } from "../../src/models/store/model-store.ts";
import { openEngines } from "../../src/server/inference.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { say } from "../../src/speech/synthesize.ts";
import { hear } from "../../src/transcription/recognize.ts";
import { joined } from "../../src/transcription/transcript.ts";
import { wordErrors } from "../wer.ts";
import { SENTENCES } from "./sentences.ts";

const config = readConfig();
const engines = openEngines(config);
const shelf = openShelf(config.models.weights);
afterAll(() => engines[Symbol.asyncDispose]());

const WORST = 0.1;
const isPackage = (engine: string) => shelf.installed(engine) !== null;
const voiceOf = (language: string) =>
  engines.catalogue.voices.find((voice) => voice.language === language && isPackage(voice.engine)) ?? null;

function earOf(language: string): string | null {
  try {
    const { engine } = chooseHearing(engines.catalogue, {
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
  const [voice, ear] = [voiceOf(language), earOf(language)];
  const missing = [voice ? null : "a voice", ear ? null : "an ear"].filter(Boolean).join(" and ");
  const why = missing ? ` (skipped: no package with ${missing} is installed)` : "";
  test.skipIf(missing !== "")(`what is said is heard${why}`, async () => {
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
      const said = await Array.fromAsync(
        say(
          engines.workshop.engine(voice!.engine),
          utterance,
          planSpeech(utterance.text, utterance.language),
        ),
      );
      const samples = resample(
        Float32Array.from(said.flatMap((part) => [...part])),
        TTS_SAMPLE_RATE,
        ASR_SAMPLE_RATE,
      );
      const hearing = { samples, spans: null, language, prompt: "", claim: soleClaim() };
      const heard = await Array.fromAsync(hear(engines.workshop.engine(ear!), hearing));
      const found = wordErrors(text, joined(heard.flatMap((hypothesis) => hypothesis.words)));
      errors += found.errors;
      words += found.words;
    }
    expect(errors / words).toBeLessThan(WORST);
  });
});
