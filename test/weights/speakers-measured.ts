/** Measures whether two voices that speak in turns are told apart, and known again. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { familyOf } from "../../src/engine/families/families.ts";
import type { Turn } from "../../src/engine/protocol/diarization.ts";
import { installedFor } from "../../src/models/store/model-store.ts";
import { diarize } from "../../src/transcription/speakers/diarize.ts";
import { answered } from "./answers-measured.ts";
import { type Measuring, speak } from "./engines.ts";
import { sentencesOf } from "./material.ts";
import type { Measured } from "./measurement.ts";

const PAUSE_SECONDS = 0.6;
const SENTENCES_MIN = 4;
/** One of each gender, of the engine that needs no package. */
const VOICES = ["female-warm", "male-deep"];

type Saying = { speaker: number; start: number; end: number };

export async function measureSpeakers(measuring: Measuring): Promise<Measured[]> {
  const { registry, store, installed, extent } = measuring;
  const isEngine = familyOf(installed.package.family).task === "diarization";
  const engineOf = isEngine ? installed : installedFor(store, "diarization");
  if (!engineOf) throw new Error("there is no segmentation to measure it with");
  const engine = registry.engine(engineOf.package.name);
  const texts = sentencesOf("en", Math.max(SENTENCES_MIN, Math.min(20, extent.sentences)));
  const { samples, sayings } = await dialogue(measuring, texts);
  const before = measuring.grownMb();
  const begun = performance.now();
  const voices = VOICES.map((_, speaker) => {
    const { start, end } = sayings.find((each) => each.speaker === speaker)!;
    return samples.slice(start * ASR_SAMPLE_RATE, Math.min(end, start + 10) * ASR_SAMPLE_RATE);
  });
  const { turns, known } = await diarize(engine, [samples], {
    voices,
    speakerCount: null,
    claim: soleClaim(),
  });
  const seconds = (performance.now() - begun) / 1000;
  const answers = [
    { question: "two people", isRight: new Set(turns.map(({ speaker }) => speaker)).size === 2 },
    ...sayings.map((each, index) => ({
      question: `sentence ${index + 1}`,
      isRight: known[each.speaker] !== null && speakerOf(each, turns) === known[each.speaker],
    })),
  ];
  return [
    answered(answers),
    { kind: "speed", detail: "", value: samples.length / ASR_SAMPLE_RATE / seconds },
    { kind: "memory", detail: "", value: Math.max(0, measuring.grownMb() - before) },
  ];
}

async function dialogue({ catalogue, registry }: Measuring, texts: readonly string[]) {
  const parts: Float32Array[] = [];
  const sayings: Saying[] = [];
  let at = PAUSE_SECONDS;
  for (const [index, text] of texts.entries()) {
    const speaker = index % VOICES.length;
    const voice = catalogue.voices.find(({ id }) => id === VOICES[speaker]);
    if (!voice) throw new Error(`there is no voice ${VOICES[speaker]}`);
    const spoken = await speak(registry, { voice, text }, "en");
    const speech = resample(spoken.samples, TTS_SAMPLE_RATE, ASR_SAMPLE_RATE);
    parts.push(new Float32Array(PAUSE_SECONDS * ASR_SAMPLE_RATE), speech);
    const end = at + speech.length / ASR_SAMPLE_RATE;
    sayings.push({ speaker, start: at, end });
    at = end + PAUSE_SECONDS;
  }
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    samples.set(part, offset);
    offset += part.length;
  }
  return { samples, sayings };
}

/** Who speaks for most of a sentence; null: no speaker. */
function speakerOf({ start, end }: Saying, turns: readonly Turn[]): number | null {
  const seconds = new Map<number, number>();
  for (const turn of turns) {
    const overlap = Math.min(end, turn.end) - Math.max(start, turn.start);
    if (overlap > 0) seconds.set(turn.speaker, (seconds.get(turn.speaker) ?? 0) + overlap);
  }
  return [...seconds].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}
