/**
 * The engine of the family `pocket`: text to speech of 24 kHz by a language model of 80 ms frames, with preset voices and
 * with encoded ones. It delivers speech while it synthesizes it, and works on several texts in turns.
 *
 *   text ──chunks of tokens──> frames, one after the other ──> samples ──silence trimmed──> port, result
 *
 * Source: kyutai-labs/pocket-tts; exports of KevinAHM and of sherpa-onnx.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { resample } from "../../../src/audio/resample/resample.ts";
import type { OptionsOf } from "../../../src/engine/families/families.ts";
import type { DeliveredSamples, Delivery } from "../../../src/engine/protocol/delivery.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { SynthesisResult, SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { unknownKind } from "../../../src/engine/protocol/task.ts";
import {
  VOICE_SECONDS,
  type VoiceEncodingResult,
  type VoiceEncodingTask,
} from "../../../src/engine/protocol/voice-encoding.ts";
import { readNpy } from "../../../src/numpy/npy.ts";
import { isCancelled } from "../../cancel.ts";
import { moving } from "../../moving.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { amplify } from "../level.ts";
import { openNoise } from "../noise.ts";
import { finish, joined, type Pace, paceOf } from "../postprocess.ts";
import { TrimStream } from "../trim-stream.ts";
import { readBundle } from "./bundle.ts";
import { openPocketGraphs } from "./graphs.ts";
import { openTokenizer } from "./sentencepiece.ts";
import { speak } from "./speech.ts";
import { chunksOf } from "./text.ts";
import { openTurns } from "./turns.ts";
import { readVocabulary } from "./vocabulary.ts";
import { openVoices } from "./voices.ts";

/** The model itself knows one pace. */
const SPEEDS = { min: 1, max: 1 };

const { files, options, placement } = workerData as EngineData<OptionsOf<"pocket">>;
const bundle = readBundle(files.bundle);
const RATE = bundle.sample_rate;
const LATENT = bundle.latent_dim;
const graphs = await openPocketGraphs(files, bundle, placement);
const tokenizer = openTokenizer(readVocabulary(files));
const voices = openVoices(graphs, {
  files,
  sampleRate: RATE,
  before: bundle.insert_bos_before_voice ? readNpy(readFileSync(files.bos!), files.bos!).values : null,
});
const writing = {
  tokensMax: bundle.max_token_per_chunk,
  padsShort: bundle.pad_with_spaces_for_short_inputs,
  removesSemicolons: bundle.remove_semicolons,
};
const takeTurn = openTurns();
const spread = Math.sqrt(options.temperature);

await warmUp(placement, [1], async () => {
  const { main, decoder } = graphs;
  await main.follow(main.initial(), new Float32Array(LATENT));
  await decoder.decode(decoder.initial(), new Float32Array(LATENT));
});

type Task = SynthesisTask & { delivery: Delivery };

export default function run(
  task: Task | VoiceEncodingTask,
): Promise<VoiceEncodingResult | SynthesisResult | DeliveredSamples> {
  switch (task.kind) {
    case "synthesis":
      return synthesize(task);
    case "voice-encoding":
      return encode(task);
    default:
      return unknownKind(task);
  }
}

async function encode({ samples }: VoiceEncodingTask): Promise<VoiceEncodingResult> {
  const seconds = samples.length / TTS_SAMPLE_RATE;
  if (seconds < VOICE_SECONDS.min || seconds > VOICE_SECONDS.max)
    throw new Error(`a voice of ${seconds} seconds is too short or too long`);
  const voice = resample(samples, TTS_SAMPLE_RATE, RATE);
  const data = await takeTurn(performance.now(), () => graphs.encode(voice));
  return { data, shape: [data.length / bundle.conditioning_dim, bundle.conditioning_dim] };
}

async function synthesize(task: Task): Promise<SynthesisResult | DeliveredSamples> {
  const pace = paceOf(task, SPEEDS);
  const { port } = task.delivery;
  const isReady = RATE === TTS_SAMPLE_RATE && isNatural(pace);
  return port && isReady ? inParts(task, port, pace) : whole(task, pace);
}

/** Nothing is done to the samples that needs all of them. */
const isNatural = ({ rest }: Pace) => Math.abs(rest - 1) < 0.02;

async function whole(task: Task, pace: Pace): Promise<SynthesisResult> {
  const samples = joined([new Float32Array(0), ...(await Array.fromAsync(samplesOf(task)))]);
  return finish({ samples, rate: RATE, words: null }, pace);
}

async function inParts(task: Task, port: MessagePort, { gain }: Pace): Promise<DeliveredSamples> {
  const trim = new TrimStream(RATE);
  let posted = 0;
  for await (const samples of samplesOf(task)) {
    const sure = trim.push(samples);
    if (sure.length === 0) continue;
    amplify(sure, gain);
    port.postMessage(sure, [sure.buffer as ArrayBuffer]);
    posted++;
  }
  const rest = trim.finish();
  amplify(rest, gain);
  return moving({ rest, posted }, rest.buffer);
}

/** At the rate of the model. */
async function* samplesOf(task: Task): AsyncGenerator<Float32Array> {
  const { text, speaker, style, delivery, cancel } = task;
  const chunks = chunksOf(text, tokenizer, writing);
  if (chunks.length === 0) return;
  const firstDueMs = performance.now() + delivery.dueInMs;
  let count = 0;
  const turn = <T>(work: () => Promise<T>) => takeTurn(firstDueMs + (1000 * count) / RATE, work);
  const voice = await turn(() => voices.of(task));
  const noise = openNoise(`${style?.id ?? speaker} ${text}`, LATENT);
  const parts = speak(graphs, {
    begin: () => voices.begin(voice),
    positions: voice.positions,
    chunks,
    steps: options.steps,
    noiseOf: (frame) =>
      noise(frame + 1)
        .subarray(frame * LATENT)
        .map((value) => value * spread),
    turn,
    isCancelled: () => isCancelled(cancel),
  });
  for await (const samples of parts) {
    count += samples.length;
    yield samples;
  }
}
