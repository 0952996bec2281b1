/** Measures a recognizer of files, and of live audio where it is one: word errors, speed and memory. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import type { StreamingResult, StreamingTask } from "../../src/engine/protocol/streaming-recognition.ts";
import { isEmbedded } from "../../src/models/manifest.ts";
import { joined } from "../../src/transcription/transcript.ts";
import { normalizerOf, percent, wordErrors } from "../wer.ts";
import { voiceOf } from "./counterparts.ts";
import { type Measuring, recognizedText, speak } from "./engines.ts";
import { counted, type Recording, recordingsOf, sentencesOf, spokenOf } from "./material.ts";
import type { Measured } from "./measurement.ts";

const SENTENCES_MAX = 10; // of a language: large models are slow, and have many languages
const CHUNK = ASR_SAMPLE_RATE / 10;

type Recognizer = (recording: { samples: Float32Array; language: string }) => Promise<string>;

/** `how` stands before what was measured. */
type Pass = { how: string; recognize: Recognizer };

export function measureRecognition(measuring: Measuring): Promise<Measured[]> {
  return measure(measuring, [ofFiles(measuring)]);
}

export function measureStreaming(measuring: Measuring): Promise<Measured[]> {
  return measure(measuring, [ofFiles(measuring), ofLiveAudio(measuring)]);
}

const ofFiles = ({ registry, installed }: Measuring): Pass => ({
  how: "",
  recognize: (recording) => recognizedText(registry, installed.package.name, recording),
});

/** Live audio in chunks of a tenth of a second. */
function ofLiveAudio({ registry, installed }: Measuring): Pass {
  const engine = registry.engine(installed.package.name);
  const run = (task: Partial<StreamingTask>) =>
    engine.run({ kind: "streaming-recognition", open: [], feed: [], finish: [], close: [], ...task }, soleClaim());
  let id = 0;
  const recognize: Recognizer = async ({ samples, language }) => {
    id++;
    const results = await run({ open: [{ id, language }] });
    for (let at = 0; at < samples.length; at += CHUNK)
      results.push(...(await run({ feed: [{ id, samples: samples.slice(at, at + CHUNK) }] })));
    results.push(...(await run({ finish: [id], close: [id] })));
    return joined(results.flatMap(({ words }) => words));
  };
  return { how: "live, ", recognize };
}

type Material = { language: string; what: string; isHard: boolean; recordings: Recording[] };

async function measure(measuring: Measuring, passes: Pass[]): Promise<Measured[]> {
  const { recognition = [] } = measuring.installed.package;
  const languages = spokenOf(recognition.flatMap((each) => each.languages)).slice(
    0,
    measuring.extent.languages,
  );
  const sets = (await Promise.all(languages.map((language) => setsOf(measuring, language)))).flat();
  if (sets.length === 0)
    return [{ kind: "word errors", detail: "no recording and no voice of its languages", value: null }];
  const measured: Measured[] = [];
  for (const { how, recognize } of passes) {
    await recognize({ ...sets[0]!.recordings[0]!, language: sets[0]!.language }); // opens what is not open yet
    let [seconds, audioSeconds] = [0, 0];
    for (const { language, what, isHard, recordings } of sets) {
      const begun = performance.now();
      const errors = [];
      for (const { samples, text } of recordings)
        errors.push(wordErrors(text, await recognize({ samples, language }), language));
      seconds += (performance.now() - begun) / 1000;
      audioSeconds += recordings.reduce((sum, { samples }) => sum + samples.length, 0) / ASR_SAMPLE_RATE;
      const detail = `${how}${language}, ${what} (${normalizerOf(language)})`;
      measured.push({ kind: "word errors", detail, language, isHard, value: percent(errors) });
    }
    measured.push({ kind: "speed", detail: how.slice(0, -2), value: audioSeconds / seconds });
  }
  return [...measured, { kind: "memory", detail: "", value: measuring.grownMb() }];
}

/** What people recorded in a language, and what the best voice speaks. */
async function setsOf(measuring: Measuring, language: string): Promise<Material[]> {
  const recorded = await recordingsOf(language, measuring.extent.recordings);
  const spoken = await spokenBy(measuring, language);
  const people = {
    language,
    what: `${counted(recorded.length, "recording")} of people`,
    isHard: true,
    recordings: recorded,
  };
  return [people, ...spoken].filter(({ recordings }) => recordings.length > 0);
}

async function spokenBy({ catalogue, registry, extent }: Measuring, language: string): Promise<Material[]> {
  const voice = voiceOf(catalogue, language);
  if (!voice) return [];
  const texts = sentencesOf(language, Math.min(SENTENCES_MAX, extent.sentences));
  const recordings: Recording[] = [];
  for (const text of texts) {
    const { samples } = await speak(registry, { voice, text }, language);
    recordings.push({ samples: resample(samples, TTS_SAMPLE_RATE, ASR_SAMPLE_RATE), text });
  }
  const what = `${counted(texts.length, "sentence")} spoken by ${voice.id} (${voice.engine})`;
  return [{ language, what, isHard: isEmbedded(voice.engine), recordings }];
}
