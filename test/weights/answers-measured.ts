/** Measures what has known answers: voice activity, ends of turns, pronunciations. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import type { VadResult, VadTask } from "../../src/engine/protocol/vad.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { fileOf } from "../../src/models/store/model-store.ts";
import { worker } from "../../src/resources.ts";
import { g2pTask } from "../../src/speech/phonemes.ts";
import { goldenSignal } from "../workers/features/signal.ts";
import { voiceOf } from "./counterparts.ts";
import { type Measuring, speak } from "./engines.ts";
import { counted, sentencesOf } from "./material.ts";
import type { Measured } from "./measurement.ts";

type Answer = { question: string; isRight: boolean };

const NAMED_MAX = 3;

export function answered(answers: Answer[]): Measured {
  const wrong = answers.filter(({ isRight }) => !isRight).map(({ question }) => question);
  const named = wrong.slice(0, NAMED_MAX).join(", ");
  const detail = `${counted(answers.length, "question")}${named && `, wrong: ${named}`}`;
  return { kind: "right answers", detail, value: (100 * (answers.length - wrong.length)) / answers.length };
}

const memoryOf = (measuring: Measuring): Measured => ({
  kind: "memory",
  detail: "",
  value: measuring.grownMb(),
});

/** English at 16 kHz by the best voice there is. */
async function spokenEnglish({ catalogue, registry }: Measuring, most: number): Promise<Float32Array[]> {
  const voice = voiceOf(catalogue, "en");
  if (!voice) throw new Error("there is no English voice to speak to it");
  const spoken: Float32Array[] = [];
  for (const text of sentencesOf("en", most)) {
    const { samples } = await speak(registry, { voice, text }, "en");
    spoken.push(resample(samples, TTS_SAMPLE_RATE, ASR_SAMPLE_RATE));
  }
  return spoken;
}

/** Of Silero 6.2, of the first windows of a signal that is computed. */
const PUBLISHED = [0.229, 0.46561, 0.42351, 0.2536, 0.21507, 0.20887, 0.23421, 0.23891, 0.18597, 0.30279];

export async function measureVoiceActivity(measuring: Measuring): Promise<Measured[]> {
  const [speech] = await spokenEnglish(measuring, 1);
  const before = measuring.grownMb();
  const data = { model: fileOf(measuring.installed, "model") };
  await using pool = openThreadPool(worker("vad/vad"), { size: 1, data });
  let id = 0;
  const probabilities = async (samples: Float32Array): Promise<Float32Array> => {
    id++;
    const bytes = new Uint8Array(Int16Array.from(samples, (sample) => sample * 32_767).buffer);
    const format = { type: "audio/pcm", rate: ASR_SAMPLE_RATE } as const;
    const task: VadTask = { kind: "voice-activity", open: [{ id, format }], feed: [{ id, bytes, detect: true }], close: [id] };
    return (await pool.run(task))[0]!.probabilities;
  };
  const active = (all: Float32Array) => all.filter((each) => each > 0.5).length / all.length;
  const golden = await probabilities(goldenSignal());
  const begun = performance.now();
  const spoken = await probabilities(speech!);
  const seconds = (performance.now() - begun) / 1000;
  const quiet = Float32Array.from({ length: 2 * ASR_SAMPLE_RATE }, (_, at) => (at % 7) * 1e-5);
  const answers: Answer[] = [
    {
      question: "the published probabilities",
      isRight: PUBLISHED.every((each, at) => Math.abs(each - golden[at]!) < 0.002),
    },
    { question: "speech is speech", isRight: active(spoken) > 0.5 },
    { question: "quiet is not", isRight: active(await probabilities(quiet)) === 0 },
  ];
  return [
    answered(answers),
    { kind: "speed", detail: "", value: speech!.length / ASR_SAMPLE_RATE / seconds },
    { kind: "memory", detail: "", value: Math.max(0, measuring.grownMb() - before) },
  ];
}

/** A sentence that is whole has ended; one that breaks off in its middle has not. */
export async function measureTurnDetection(measuring: Measuring): Promise<Measured[]> {
  const { registry, installed, extent } = measuring;
  const engine = registry.engine(installed.package.name);
  const ended = async (samples: Float32Array) =>
    (await engine.run({ kind: "turn", samples: samples.slice() }, soleClaim())) > 0.5;
  const answers: Answer[] = [];
  for (const [at, speech] of (await spokenEnglish(measuring, Math.min(10, extent.sentences))).entries()) {
    answers.push({ question: `${at + 1} whole`, isRight: await ended(speech) });
    const part = speech.slice(0, Math.round(speech.length * 0.55));
    answers.push({ question: `${at + 1} broken off`, isRight: !(await ended(part)) });
  }
  return [answered(answers), memoryOf(measuring)];
}

/** As the reference pronounces them, in the letters of Kokoro. */
const PRONUNCIATIONS: [text: string, phonemes: string][] = [
  ["hello", "həlˈO"],
  ["Hello, world!", "həlˈO, wˈɜɹld!"],
  ["The apple is on the table.", "ði ˈæpᵊl ɪz ˌɔn ðə tˈAbᵊl."],
  ["water better city waiting button", "wˈɔTəɹ bˈɛTəɹ sˈɪTi wˈATɪŋ bˈʌtn"],
  ["I used to read it. I have read it.", "ˌI jˈust tə ɹˈid ɪt. ˌI hæv ɹˈɛd ɪt."],
  ["A minute detail, a minute.", "ɐ mInˈut dətˈAl, ɐ mˈɪnət."],
];

export async function measurePronunciation({ registry }: Measuring): Promise<Measured[]> {
  const reader = registry.engine("phonemes");
  const answers: Answer[] = [];
  for (const [text, phonemes] of PRONUNCIATIONS) {
    const task = g2pTask({ text, language: "en-US" }, { alphabet: "kokoro", voice: null });
    answers.push({ question: text, isRight: (await reader.run(task, soleClaim())) === phonemes });
  }
  return [answered(answers)];
}
