/**
 * The windows, languages and caches that a cache-aware export declares in its metadata, or else the options of its package and
 * its graph. Each number is checked before anything is allocated by it.
 */
import Type from "typebox";
import type { OptionsOf } from "../../../src/engine/families/families.ts";
import { parseJsonFile } from "../../../src/engine/families/json-file.ts";
import type { ModelFile } from "../../../src/onnx/model-file.ts";
import { checker } from "../../../src/schema.ts";

type Metadata = ModelFile["metadata"];

const MELS_MAX = 1024;
const FRAMES_MAX = 4096; // of features, in a window: 41 seconds
const PROMPTS_MAX = 1_000_000;
const CACHE_VALUES_MAX = 16 * 1024 * 1024; // of published exports: 1.7 million
const CACHE_DIMENSIONS = 3;
const PROMPTS_TEXT_MAX = 256 * 1024;

const PROMPTS = checker(
  Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: PROMPTS_MAX }), { maxProperties: 10_000 }),
);

/** `prompts`: of languages; null: the export has none. `auto`: that of language detection. */
export type DeclaredShape = {
  mels: number;
  shift: number;
  window: number;
  prompts: Record<string, number> | null;
  auto: number;
};

/** Throws an `Error` that names what is no size of such a model. */
export function shapeIn(
  { metadata }: ModelFile,
  path: string,
  options: OptionsOf<"nemo-streaming">,
): DeclaredShape {
  const numberOf = (name: string, otherwise: number, range: { min: number; max: number }) =>
    whole(metadata[name] ?? otherwise, name, range);
  const shift = numberOf("chunk_shift", options.shift, { min: 1, max: FRAMES_MAX });
  const window = numberOf("window_size", shift + options.lookback, { min: shift, max: FRAMES_MAX });
  const prompts = promptsIn(metadata, path);
  const auto = prompts?.auto ?? numberOf("auto_prompt_id", 0, { min: 0, max: PROMPTS_MAX });
  return {
    mels: numberOf("feat_dim", options.mels, { min: 1, max: MELS_MAX }),
    shift,
    window,
    prompts,
    auto,
  };
}

function promptsIn({ prompt_dictionary: text }: Metadata, path: string): DeclaredShape["prompts"] {
  if (!text) return null;
  if (text.length > PROMPTS_TEXT_MAX)
    throw new Error(
      `${path}: its prompt_dictionary has ${text.length} characters, more than ${PROMPTS_TEXT_MAX}`,
    );
  return parseJsonFile(`${path}: its prompt_dictionary`, text, PROMPTS);
}

/** The size of a stream's cache. */
export function cacheSizeIn({ inputs, metadata }: ModelFile, name: string): number[] {
  const fixed = inputs.find((each) => each.name === name)?.shape.slice(1) ?? [];
  const declared = Array.from({ length: CACHE_DIMENSIONS }, (_, index) => {
    const dimension = `${name}_dim${index + 1}`;
    return { dimension, size: metadata[dimension] ?? fixed[index] };
  });
  if (declared.some(({ size }) => !(Number(size) > 0)))
    throw new Error(`this is another model: neither its metadata nor its graph declares the size of ${name}`);
  const sizes = declared.map(({ dimension, size }) =>
    whole(size!, dimension, { min: 1, max: CACHE_VALUES_MAX }),
  );
  const values = sizes.reduce((all, each) => all * each, 1);
  if (values > CACHE_VALUES_MAX)
    throw new Error(`this is another model: its ${name} has ${values} values, more than ${CACHE_VALUES_MAX}`);
  return sizes;
}

function whole(declared: string | number, name: string, { min, max }: { min: number; max: number }): number {
  const number = Number(declared);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  const told = String(declared).slice(0, 100);
  throw new Error(`this is another model: its ${name} is ${told}, no whole number from ${min} to ${max}`);
}
