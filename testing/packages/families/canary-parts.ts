/** What Canary's graphs in the tests have in common: sizes, the vocabulary, and constants. */
import type { Graph } from "../../onnx.ts";
import { published, type Sizes } from "../published.ts";

export type Constants = Required<Graph>["constants"];

/** `positions`: what a frame comes to depends on its place alone, so that readers with other features hear the same. */
export type CanaryModel = { seed?: number; sizes?: Sizes; positions?: boolean };

export const SMALL_CANARY: Sizes = { width: 16, layers: 6, tokens: 64 };
/** Where the end of a text is in the vocabulary. */
export const CANARY_END = 1;
export const RANK = 8; // of the thin matrices that stand for wide ones
export const PLACES = 1024;

const LANGUAGES = "en de es fr bg hr cs da nl et fi el hu it lv lt mt pl pt ro sk sl sv ru uk".split(" ");
export const SPECIALS = [
  "<unk>",
  "<|endoftext|>",
  "<|startofcontext|>",
  "<|startoftranscript|>",
  "<|emo:undefined|>",
  "<|pnc|>",
  "<|nopnc|>",
  "<|noitn|>",
  "<|notimestamp|>",
  "<|nodiarize|>",
  ...LANGUAGES.map((language) => `<|${language}|>`),
];

/** Special tokens, a space, and pieces of which half begin a word. */
const canaryPieces = (count: number): string[] => [
  ...SPECIALS,
  "▁",
  ...Array.from(
    { length: count - SPECIALS.length - 1 },
    (_, at) => `${at % 2 === 0 ? "▁" : ""}${String.fromCharCode(97 + (at % 26))}${at}`,
  ),
];

export const canaryVocabulary = (count: number): string =>
  canaryPieces(count)
    .map((piece, at) => `${piece} ${at}`)
    .join("\n");

export const integers = (name: string, ...values: number[]) => ({
  name,
  shape: [values.length],
  values: BigInt64Array.from(values, BigInt),
});
export const scalar = (name: string, value: number) => ({ ...integers(name, value), shape: [] });
export const float = (name: string, value: number) => ({ name, shape: [1], values: Float32Array.of(value) });

export const graphOf = (role: string, sizes: Sizes) => published("canary", "", sizes).graph(role)!;
