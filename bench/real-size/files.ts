/**
 * The files of a package in the sizes of the published ones: graphs with all layers and random weights, and for the
 * rest what the small twins of the tests have.
 */
import { basename } from "node:path";
import { filesOf, type Package, type PackageFile } from "../../src/models/packages/package.ts";
import type { Graph } from "../../testing/onnx.ts";
import type { Contents } from "../../testing/packages/model-store.ts";
import { apart } from "../../testing/packages/precision.ts";
import { sizesOf, twinOf } from "../../testing/packages/twins.ts";
import { recordingEncoder, streamEncoder } from "./graphs/fastconformer.ts";
import { type BuiltPrecision, GraphBuilder } from "./graphs/graph-builder.ts";
import { kitten, kokoro } from "./graphs/kokoro.ts";
import { moonshineAdapter, moonshineCross, moonshineEncoder, moonshineFrontend } from "./graphs/moonshine.ts";
import { moonshineDecoder } from "./graphs/moonshine-decoder.ts";
import { pocketDecoder, pocketEncoder } from "./graphs/pocket-codec.ts";
import { pocketFlow, pocketMain, pocketText } from "./graphs/pocket-language-model.ts";
import { smartTurn } from "./graphs/smart-turn.ts";
import { camPlus, resnet34, segmentation } from "./graphs/speakers.ts";
import {
  supertonicDurations,
  supertonicEstimator,
  supertonicText,
  supertonicVocoder,
} from "./graphs/supertonic.ts";
import { decoder, joiner, joint } from "./graphs/transducer.ts";
import { qualityOf, vits } from "./graphs/vits.ts";
import { whisperDecoder, whisperEncoder } from "./graphs/whisper.ts";

type Build = (precision: BuiltPrecision) => Graph;
type Graphs = Record<string, Build>;

const ENCODER_LAYERS = 24;
/** Of FastConformer Large; the others are XL. */
const LARGE = { width: 512, hidden: 640 };
const LARGE_LAYERS = 17;

const FAMILIES: Partial<Record<Package["family"], (pkg: Package, contents: Contents) => Graphs>> = {
  whisper(pkg, contents) {
    const generation = JSON.parse(String(contents.generation!.bytes));
    const model = { name: pkg.name, sizes: sizesOf(pkg) };
    return {
      encoder: (precision) => whisperEncoder(new GraphBuilder(precision), model),
      decoder: (precision) => whisperDecoder(new GraphBuilder(precision), model, generation),
    };
  },
  nemo(pkg) {
    const isLarge = pkg.name === "fastconformer-ru";
    const sizes = { ...sizesOf(pkg), ...(isLarge ? LARGE : {}) };
    const layers = isLarge ? LARGE_LAYERS : ENCODER_LAYERS;
    const { decoding, durations } = pkg.options as { decoding: string; durations: number[] | null };
    const model = { family: "nemo", name: pkg.name, sizes, durations: durations?.length ?? 0 } as const;
    const tokens = decoding === "ctc" ? sizes.tokens : null;
    const scores = { ...sizes, scores: sizes.tokens + model.durations };
    return {
      encoder: (precision) => recordingEncoder({ ...model, layers, precision }, tokens),
      joint: (precision) => joint({ ...model, sizes: scores, precision }),
    };
  },
  "nemo-streaming"(pkg) {
    const model = { family: "nemo-streaming", name: pkg.name, sizes: sizesOf(pkg), durations: 0 } as const;
    const prompts = { auto: 101, "en-US": 0 };
    return {
      encoder: (precision) => streamEncoder({ ...model, layers: ENCODER_LAYERS, precision }, prompts),
      decoder: (precision) => decoder({ ...model, precision }),
      joiner: (precision) => joiner({ ...model, precision }),
    };
  },
  moonshine: ({ name }) => ({
    frontend: (precision) => apart(moonshineFrontend({ name, precision })).graph,
    "frontend-weights": (precision) => apart(moonshineFrontend({ name, precision })).weights,
    encoder: (precision) => moonshineEncoder({ name, precision }),
    adapter: (precision) => moonshineAdapter({ name, precision }),
    cross: (precision) => moonshineCross({ name, precision }),
    decoder: (precision) => moonshineDecoder({ name, precision }),
  }),
  kokoro: () => ({ model: kokoro }),
  kitten: ({ name }) => ({ model: (precision) => kitten(precision, name) }),
  vits: (pkg) => ({
    model: () => vits(pkg.name, qualityOf(pkg.files.find(({ role }) => role === "model")!.bytes!)),
  }),
  supertonic: () => ({
    durations: supertonicDurations,
    encoder: supertonicText,
    estimator: supertonicEstimator,
    vocoder: supertonicVocoder,
  }),
  pocket: ({ name }) => ({
    text: pocketText,
    encoder: pocketEncoder,
    main: (precision) => pocketMain(precision, name),
    flow: pocketFlow,
    decoder: pocketDecoder,
  }),
  "smart-turn": () => ({ model: smartTurn }),
  pyannote: () => ({ model: segmentation }),
  "speaker-embedding": ({ name }) => ({
    model: () => (name.startsWith("wespeaker") ? resnet34(name) : camPlus(name)),
  }),
};

/** By the names that the published converters give their files. */
function precisionOf({ path, role }: PackageFile): BuiltPrecision {
  if (path.endsWith(".ort")) return role.startsWith("frontend") ? "fp32" : "int8"; // what is convolved was made floats again
  if (/[._-]int8\b/.test(path)) return "int8";
  if (/_quantized\b/.test(path)) return role === "decoder" ? "int8" : "uint8"; // signed where nothing is convolved
  if (/_mini_v/.test(path)) return "uint8";
  if (/_q4\b/.test(path)) return "q4";
  return path.startsWith("smart-turn") ? "int8" : "fp32";
}

/** A file to be written: bytes, or a graph; `data`: where its weights are to lie beside it. */
export type RealSizeFile = { file: PackageFile; content: Uint8Array | string | Graph; data: string | null };

export async function realSizeFiles(pkg: Package, variant: string | null): Promise<RealSizeFile[]> {
  const files = filesOf(pkg, variant);
  const { contents } = await twinOf(pkg, variant);
  const graphs = FAMILIES[pkg.family]!(pkg, contents);
  return files.flatMap((file) => {
    if (file.role.endsWith("-data")) return []; // comes with its graph
    const build = graphs[file.role];
    const content = build ? build(precisionOf(file)) : contents[file.role]!.bytes;
    const data = files.find(({ role }) => role === `${file.role}-data`);
    return [{ file, content, data: data ? basename(data.path) : null }];
  });
}
