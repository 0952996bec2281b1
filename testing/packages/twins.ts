/**
 * A twin of each package of the catalogue: the file names and layout of its manifest, the ports, metadata and sizes that
 * are published of it, in the precision of a variant, and random weights.
 */

import { createHash } from "node:crypto";
import { basename } from "node:path";
import { abilitiesOfPackage, filesOf, type Package } from "../../src/models/packages/package.ts";
import type { Locked } from "../../src/models/store/store-writer.ts";
import { type Graph, writeOnnx } from "../onnx.ts";
import { canaryBatchEncoder, canaryEncoder } from "./families/canary.ts";
import { canaryBatchDecoder, canaryDecoder } from "./families/canary-decoder.ts";
import { canaryVocabulary } from "./families/canary-parts.ts";
import { kittenContents } from "./families/kitten.ts";
import { moonshineConfig, moonshineGraphs, moonshineVocabulary } from "./families/moonshine.ts";
import { ctcGraph, encoderGraph, wordsOf } from "./families/nemo.ts";
import { decoderGraph, joinerGraph, jointGraph } from "./families/nemo-search.ts";
import { streamingEncoderGraph } from "./families/nemo-streaming.ts";
import { oldPocketContents, pocketContents } from "./families/pocket.ts";
import { recordingOf, wavOf } from "./families/pocket-files.ts";
import { embeddingGraph, segmentationGraph } from "./families/speakers.ts";
import { kokoroContents, piperContents, supertonicContents } from "./families/voices.ts";
import { manyLetters, whisperGraphs, whisperSettings } from "./families/whisper.ts";
import { sileroGraph, smartTurnGraph } from "./listening.ts";
import type { Contents } from "./model-store.ts";
import { inRuntimeFormat } from "./ort.ts";
import { asPrecision, beside, precisionOf } from "./precision.ts";
import { published } from "./published.ts";

/** By role: a graph that is not a file yet, or the bytes of a file. */
type Parts = Record<string, Graph | Uint8Array | string>;

const RANK = 8; // of the thin matrices that stand for wide ones

const TEXT_POSITIONS = 14; // of Whisper, whose texts are short so that they can be decoded often

/** Sizes that are not published of a package, as those of its sisters are. */
const USUAL = { width: 1024, hidden: 640, layers: 2, tokens: 1025 };

export function sizesOf({ family, name }: Package) {
  const { sizes } = published(family, name);
  const known = Object.entries(sizes).filter((pair): pair is [string, number] => pair[1] !== null);
  return { ...USUAL, ...Object.fromEntries(known) } as typeof USUAL & Record<string, number>;
}

const PARTS: Record<Package["family"], (pkg: Package) => Parts> = {
  nemo(pkg) {
    const sizes = sizesOf(pkg);
    const { decoding, durations, mels } = pkg.options as {
      decoding: string;
      durations: number[] | null;
      mels: number;
    };
    const model = { mels, durations: durations?.length ?? 0, sizes, rank: RANK };
    const vocabulary = wordsOf(sizes).bytes;
    if (decoding === "ctc") return { encoder: ctcGraph(model), vocabulary };
    return {
      encoder: encoderGraph(model),
      joint: jointGraph(model),
      decoder: decoderGraph(model),
      joiner: joinerGraph(model),
      vocabulary,
    };
  },
  "nemo-streaming"(pkg) {
    const sizes = sizesOf(pkg);
    const signature = published("nemo-streaming", pkg.name).graph("encoder")!;
    const prompts = signature.inputs.some(({ name }) => name === "prompt_index");
    return {
      encoder: streamingEncoderGraph({ prompts, sizes }),
      decoder: decoderGraph({ sizes, rank: RANK }),
      joiner: joinerGraph({ sizes, rank: RANK }),
      vocabulary: wordsOf(sizes).bytes,
    };
  },
  moonshine(pkg) {
    const { sizes } = published("moonshine", pkg.name) as { sizes: Record<string, number> };
    const vocabulary = moonshineVocabulary(sizes.vocab_size!);
    const graphs = moonshineGraphs({ seed: 1, sizes }, abilitiesOfPackage(pkg).includes("word_times"));
    return { ...graphs, config: moonshineConfig(sizes), vocabulary };
  },
  canary(pkg) {
    const sizes = sizesOf(pkg);
    const model = { sizes };
    return {
      encoder: canaryEncoder(model),
      decoder: canaryDecoder(model),
      "batch-encoder": canaryBatchEncoder(model),
      "batch-decoder": canaryBatchDecoder(model),
      vocabulary: canaryVocabulary(sizes.tokens),
    };
  },
  whisper(pkg) {
    const sizes = sizesOf(pkg);
    const isEnglish = pkg.name.endsWith(".en");
    const letters = manyLetters(isEnglish ? 50_256 : 50_257);
    const places = sizes.vocabulary! - letters.length - 1509; // the special tokens and the times
    const others = Array.from({ length: places - 1 }, (_, at) => `x${at}`);
    const model = { letters, places, languages: isEnglish ? [] : ["en", ...others], sizes };
    const settings = Object.entries(whisperSettings(model)).map(([role, { bytes }]) => [role, bytes]);
    const graphs = whisperGraphs({ ...model, fluent: true, isWide: false, endsAt: TEXT_POSITIONS });
    return { ...graphs, ...Object.fromEntries(settings) };
  },
  kokoro(pkg) {
    const { model, ...voices } = kokoroContents();
    const roles = pkg.files.map(({ role }) => role).filter((role) => role.startsWith("voice-"));
    return {
      model: model!.bytes,
      ...Object.fromEntries(roles.map((role) => [role, voices["voice-af_heart"]!.bytes])),
    };
  },
  vits: () => bytesOf(piperContents()),
  kitten: () => bytesOf(kittenContents()),
  supertonic(pkg) {
    const { "voice-F1": voice, ...others } = supertonicContents();
    const roles = pkg.files.map(({ role }) => role).filter((role) => role.startsWith("voice-"));
    return { ...bytesOf(others), ...Object.fromEntries(roles.map((role) => [role, voice!.bytes])) };
  },
  pocket(pkg) {
    const roles = pkg.files.map(({ role }) => role).filter((role) => role.startsWith("voice-"));
    const voice = wavOf(recordingOf(1));
    const { layers } = sizesOf(pkg);
    const known = { ...bytesOf(oldPocketContents()), ...bytesOf(pocketContents({ layers })) };
    const kept = Object.entries(known).filter(([role]) => pkg.files.some((file) => file.role === role));
    return { ...Object.fromEntries(kept), ...Object.fromEntries(roles.map((role) => [role, voice])) };
  },
  silero: () => ({ model: sileroGraph() }),
  "smart-turn": () => ({ model: smartTurnGraph() }),
  pyannote: () => ({ model: segmentationGraph() }),
  "speaker-embedding": (pkg) => ({
    model: embeddingGraph({ name: pkg.name, width: sizesOf(pkg).width }),
  }),
  program: (pkg) => Object.fromEntries(pkg.files.map(({ role }) => [role, role])),
  misaki: (pkg) =>
    Object.fromEntries(pkg.files.map(({ role }) => [role, JSON.stringify({ hello: "həlˈO" })])),
};

const bytesOf = (contents: Contents): Parts =>
  Object.fromEntries(Object.entries(contents).map(([role, { bytes }]) => [role, bytes]));

const isGraph = (part: Parts[string]): part is Graph => typeof part === "object" && "nodes" in part;

/** The package as it is installed in one variant, and its files. */
export async function twinOf(
  pkg: Package,
  variant: string | null,
): Promise<{ locked: Locked; contents: Contents }> {
  const parts = PARTS[pkg.family](pkg);
  const files = filesOf(pkg, variant);
  const contents: Contents = {};
  for (const { role, path } of files) {
    const part = parts[role];
    if (part === undefined) continue; // weights beside a graph come with it
    if (!isGraph(part)) {
      contents[role] = { path, bytes: part };
      continue;
    }
    const graph = asPrecision(part, precisionOf(path));
    const data = files.find((file) => file.role === `${role}-data`);
    if (!data) {
      const bytes = writeOnnx(graph);
      contents[role] = { path, bytes: path.endsWith(".ort") ? await inRuntimeFormat(bytes) : bytes };
      continue;
    }
    const split = beside(graph, basename(data.path));
    contents[role] = { path, bytes: writeOnnx(split.graph) };
    contents[data.role] = { path: data.path, bytes: split.data };
  }
  const locked = files.map((file) => {
    const { bytes } = contents[file.role]!;
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { ...file, bytes: Buffer.byteLength(bytes), sha256 };
  });
  return { locked: { ...pkg, files: locked }, contents };
}

/** Every variant that a package offers; null where it has one precision only. */
export const variantsOf = ({ variants }: Package): (string | null)[] => {
  const all = [...new Set([...variants.cpu, ...variants.gpu])];
  return all.length === 0 ? [null] : all;
};
