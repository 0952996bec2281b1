/**
 * The engine of the family `supertonic`: text to speech of 44.1 kHz by flow matching, whose length is known first.
 *
 *   text ids [B, T] ──duration predictor──> seconds ──> latent frames L
 *   text encoder ──> text_emb    noise [B, 144, L] ──vector estimator, S steps──> latent ──vocoder──> 3072 samples a frame
 *
 * Requests are batched: shorter ones are masked. Source: supertone-inc/supertonic.
 */
import { workerData } from "piscina";
import { TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { OptionsOf } from "../../../src/engine/families/families.ts";
import { readJsonFile } from "../../../src/engine/families/json-file.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { SynthesisResult, SynthesisTask } from "../../../src/engine/protocol/synthesis.ts";
import { cancelled, isCancelled } from "../../cancel.ts";
import { openBatcher } from "../../onnx/batcher.ts";
import { openGraph, type Signature } from "../../onnx/session.ts";
import { stack } from "../../onnx/tensors.ts";
import { rounded, warmUp } from "../../onnx/warmup.ts";
import { openNoise } from "../noise.ts";
import { finish, finishWithLength, paceOf } from "../postprocess.ts";
import { supertonicIds, supertonicText } from "./characters.ts";
import { INDEXER, SETTINGS, type Style, VOICE } from "./settings.ts";

const SPEEDS = { min: 0.7, max: 2 };
const BATCH_MAX = 8;
const FRAMES_STEP = 16;
const PREFIX = "voice-";

type Voice = { ttl: Float32Array; dp: Float32Array; noise: (frames: number) => Float32Array };

const { files, options, placement } = workerData as EngineData<OptionsOf<"supertonic">>;
const settings = readJsonFile(files.settings!, SETTINGS);
const table = readJsonFile(files.indexer!, INDEXER);
const RATE = settings.ae.sample_rate;
const CHANNELS = settings.ttl.latent_dim * settings.ttl.chunk_compress_factor;
const FRAME = settings.ae.base_chunk_size * settings.ttl.chunk_compress_factor;
const [TTL, DP]: [[number, number], [number, number]] = [
  [50, 256],
  [8, 16],
];

const TEXT: Signature["inputs"] = {
  text_ids: { type: "int64", shape: [null, null] },
  text_mask: { type: "float32", shape: [null, 1, null] },
};
const STYLE: Signature["inputs"] = { style_ttl: { type: "float32", shape: [null, ...TTL] } };
const durations = await openGraph(
  files.durations!,
  {
    inputs: { ...TEXT, style_dp: { type: "float32", shape: [null, ...DP] } },
    outputs: { duration: { type: "float32", shape: null } },
  },
  placement,
);
const encoder = await openGraph(
  files.encoder!,
  { inputs: { ...TEXT, ...STYLE }, outputs: { text_emb: { type: "float32", shape: [null, null, null] } } },
  placement,
);
const estimator = await openGraph(
  files.estimator!,
  {
    inputs: {
      noisy_latent: { type: "float32", shape: [null, CHANNELS, null] },
      text_emb: { type: "float32", shape: [null, null, null] },
      ...STYLE,
      text_mask: { type: "float32", shape: [null, 1, null] },
      latent_mask: { type: "float32", shape: [null, 1, null] },
      current_step: { type: "float32", shape: [null] },
      total_step: { type: "float32", shape: [null] },
    },
    outputs: { denoised_latent: { type: "float32", shape: [null, CHANNELS, null] } },
  },
  placement,
);
const vocoder = await openGraph(
  files.vocoder!,
  {
    inputs: { latent: { type: "float32", shape: [null, CHANNELS, null] } },
    outputs: { wav_tts: { type: "float32", shape: null } },
  },
  placement,
);
const { Tensor } = durations;
const voices = new Map(
  Object.entries(files)
    .filter(([role]) => role.startsWith(PREFIX))
    .map(([role, path]) => [role.slice(PREFIX.length), voiceOf(role, path!)]),
);

type Request = { ids: number[]; voice: Voice; seconds: number; cancel?: SynthesisTask["cancel"] | undefined };

const isUnneeded = ({ cancel }: Request) => isCancelled(cancel);
const measureBatched = openBatcher({
  batchMax: 32,
  sizeOf: ({ ids }: Request) => ids.length,
  run: measure,
  isCancelled: isUnneeded,
});
const synthesizeBatched = openBatcher({
  batchMax: BATCH_MAX,
  sizeOf: ({ seconds }: Request) => seconds,
  run: (requests) => synthesizeBatch(requests, options.steps),
  isCancelled: isUnneeded,
});

await warmUp(placement, [1, 2, 4, 8], (seconds) => {
  const [voice] = voices.values();
  return voice
    ? synthesizeBatch([{ ids: supertonicIds(supertonicText("Ready", "en"), table), voice, seconds }], 1)
    : Promise.resolve();
});

export default async function synthesize(task: SynthesisTask): Promise<SynthesisResult> {
  const ids = supertonicIds(supertonicText(task.text, task.language), table);
  const voice = voices.get(task.speaker);
  if (!voice) throw new Error(`there is no voice ${task.speaker} in this package`);
  const pace = paceOf({ ...task, speed: task.speed * options.pace }, SPEEDS);
  const { cancel } = task;
  const seconds = (await measureBatched({ ids, voice, seconds: 0, cancel })) / pace.modelSpeed;
  if (task.length === "measure") return Math.round((Math.floor(seconds * RATE) * TTS_SAMPLE_RATE) / RATE);
  const samples = await synthesizeBatched({ ids, voice, seconds, cancel });
  const synthesized = { samples, rate: RATE, words: null };
  if (typeof task.length === "number") return finishWithLength(synthesized, pace, task.length);
  return finish(synthesized, pace);
}

/** Seconds of each, at the model's own pace. */
async function measure(requests: Request[]): Promise<number[]> {
  const { duration } = await durations.session.run({
    ...textOf(requests),
    style_dp: new Tensor("float32", stack(requests.map(({ voice }) => voice.dp)), [requests.length, ...DP]),
  });
  return Array.from(duration!.data as Float32Array);
}

async function synthesizeBatch(requests: Request[], steps: number): Promise<Float32Array[]> {
  const count = requests.length;
  const lengths = requests.map(({ seconds }) => Math.max(1, Math.floor(seconds * RATE)));
  const frames = lengths.map((length) => Math.ceil(length / FRAME));
  const longest = rounded(placement, Math.max(...frames), FRAMES_STEP);
  const style_ttl = new Tensor("float32", stack(requests.map(({ voice }) => voice.ttl)), [count, ...TTL]);
  const text = textOf(requests);
  const { text_emb } = await encoder.session.run({ ...text, style_ttl });
  const latent_mask = new Tensor("float32", maskOf(frames, longest), [count, 1, longest]);
  const each = (value: number) => new Tensor("float32", new Float32Array(count).fill(value), [count]);
  const noise = requests.map(({ voice }, index) => voice.noise(frames[index]!));
  let latent = new Tensor("float32", padded(noise, longest), [count, CHANNELS, longest]);
  for (let step = 0; step < steps; step++) {
    if (requests.every(isUnneeded)) throw cancelled();
    const { denoised_latent } = await estimator.session.run({
      noisy_latent: latent,
      text_emb: text_emb!,
      style_ttl,
      text_mask: text.text_mask,
      latent_mask,
      current_step: each(step),
      total_step: each(steps),
    });
    latent = denoised_latent as typeof latent;
  }
  const { wav_tts } = await vocoder.session.run({ latent });
  const wave = wav_tts!.data as Float32Array;
  return lengths.map((length, index) =>
    wave.slice(index * longest * FRAME, index * longest * FRAME + length),
  );
}

/** Ids of all requests, padded with zeros, and the mask of the padding. */
function textOf(requests: Request[]) {
  const longest = Math.max(...requests.map(({ ids }) => ids.length));
  const ids = new BigInt64Array(requests.length * longest);
  for (const [index, request] of requests.entries())
    ids.set(BigInt64Array.from(request.ids, BigInt), index * longest);
  const mask = maskOf(
    requests.map((request) => request.ids.length),
    longest,
  );
  return {
    text_ids: new Tensor("int64", ids, [requests.length, longest]),
    text_mask: new Tensor("float32", mask, [requests.length, 1, longest]),
  };
}

function maskOf(lengths: number[], longest: number): Float32Array {
  const mask = new Float32Array(lengths.length * longest);
  for (const [index, length] of lengths.entries()) mask.fill(1, index * longest, index * longest + length);
  return mask;
}

/** Noise of several texts as [text, channel, frame], zero in the padding. */
function padded(noise: Float32Array[], longest: number): Float32Array {
  const values = new Float32Array(noise.length * CHANNELS * longest);
  for (const [index, row] of noise.entries())
    for (let from = 0; from < row.length; from++) {
      const channel = from % CHANNELS;
      values[(index * CHANNELS + channel) * longest + (from - channel) / CHANNELS] = row[from]!;
    }
  return values;
}

function voiceOf(role: string, path: string): Voice {
  const { style_ttl, style_dp } = readJsonFile(path, VOICE);
  const flat = ({ data }: Style, [rows, columns]: readonly [number, number]) => {
    const values = Float32Array.from(data.flat(Infinity) as number[]);
    if (values.length === rows * columns && values.every(Number.isFinite)) return values;
    throw new Error(`${path}: a style is not ${rows * columns} numbers`);
  };
  return { ttl: flat(style_ttl, TTL), dp: flat(style_dp, DP), noise: openNoise(role, CHANNELS) };
}
