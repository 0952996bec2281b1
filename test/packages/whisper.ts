/**
 * A small Whisper with the signature of the published exports and weights by chance: one layer, one head, forty letters.
 *
 *   encoder   2 frames to one, [B, 80, 3000] ──> [B, 1500, 64]
 *   decoder   a running sum of what was read looks at what was heard; keys and values are kept as in the real ones
 */
import { type Graph, writeOnnx } from "../onnx.ts";
import type { Contents } from "./model-store.ts";
import { openRandom, weights } from "./random.ts";

export const WHISPER_MELS = 80;
const SIZE = 64;
const WIDE = 384; // of the smallest published model

/** `fluent`: each token calls for the next, so that what is written is long, sure, and never repeats itself. */
type Model = { seed?: number; letters?: readonly string[]; fluent?: boolean };

/** Letters as the vocabulary writes bytes: "Ġ" is a space. */
const LETTERS = [
  "Ġ",
  ...Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at)),
  ..."ABCDEFGHIJKL.",
];
const LANGUAGES = ["en", "de", "fr"];

/** As many pieces as the multilingual models have: words of letters by chance, each with its number. */
export function manyLetters(count = 50_257): string[] {
  const random = openRandom(11);
  const letter = () => String.fromCharCode(97 + Math.floor(random() * 26));
  return Array.from(
    { length: count },
    (_, at) => `Ġ${Array.from({ length: 4 }, letter).join("")}${at.toString(36)}`,
  );
}

/** Where the special tokens are, behind so many letters. */
function idsOf(letters: readonly string[]) {
  const eot = letters.length;
  const english = eot + 2;
  const translate = english + LANGUAGES.length;
  const noTimestamps = translate + 5;
  return {
    eot,
    sot: eot + 1,
    english,
    translate,
    transcribe: translate + 1,
    noTimestamps,
    vocabulary: noTimestamps + 1 + 1501,
  };
}

export const WHISPER_IDS = idsOf(LETTERS);

function encoderGraph(seed: number): Uint8Array {
  const random = openRandom(seed);
  return writeOnnx({
    inputs: [{ name: "input_features", type: "float32", shape: ["B", WHISPER_MELS, "T"] }],
    outputs: [{ name: "last_hidden_state", type: "float32", shape: ["B", "P", SIZE] }],
    nodes: [
      {
        op: "Conv",
        inputs: ["input_features", "kernel"],
        outputs: ["convolved"],
        attributes: { kernel_shape: [2], strides: [2] },
      },
      { op: "Tanh", inputs: ["convolved"], outputs: ["bounded"] },
      {
        op: "Transpose",
        inputs: ["bounded"],
        outputs: ["last_hidden_state"],
        attributes: { perm: [0, 2, 1] },
      },
    ],
    constants: [
      {
        name: "kernel",
        shape: [SIZE, WHISPER_MELS, 2],
        values: weights(random, SIZE * WHISPER_MELS * 2, 0.15),
      },
    ],
  });
}

const PAST = ["decoder.key", "decoder.value", "encoder.key", "encoder.value"];
const CACHE = ["B", 1, "P", SIZE];

/** What was read so far, for each of the new tokens; its keys and values go on. */
const READ: Graph["nodes"] = [
  { op: "Gather", inputs: ["embedding", "input_ids"], outputs: ["embedded"] },
  { op: "Unsqueeze", inputs: ["embedded", "one"], outputs: ["key"] },
  { op: "Mul", inputs: ["key", "half"], outputs: ["value"] },
  {
    op: "Concat",
    inputs: ["past_key_values.0.decoder.key", "key"],
    outputs: ["present.0.decoder.key"],
    attributes: { axis: 2 },
  },
  {
    op: "Concat",
    inputs: ["past_key_values.0.decoder.value", "value"],
    outputs: ["present.0.decoder.value"],
    attributes: { axis: 2 },
  },
  { op: "CumSum", inputs: ["present.0.decoder.value", "two"], outputs: ["sums"] },
  { op: "Shape", inputs: ["input_ids"], outputs: ["sizes"] },
  { op: "Gather", inputs: ["sizes", "one"], outputs: ["count"] },
  { op: "Neg", inputs: ["count"], outputs: ["from"] },
  { op: "Slice", inputs: ["sums", "from", "far", "two"], outputs: ["newest"] },
  { op: "Tanh", inputs: ["newest"], outputs: ["query"] },
];

/** What was heard: worked out once, then as it was. */
const HEARD: Graph["nodes"] = ["key", "value"].map((kind) => {
  const branch = (nodes: Graph["nodes"]) => ({
    graph: { inputs: [], outputs: [{ name: `own_${kind}`, type: "float32" as const, shape: CACHE }], nodes },
  });
  return {
    op: "If",
    inputs: ["use_cache_branch"],
    outputs: [`present.0.encoder.${kind}`],
    attributes: {
      then_branch: branch([
        { op: "Identity", inputs: [`past_key_values.0.encoder.${kind}`], outputs: [`own_${kind}`] },
      ]),
      else_branch: branch([
        { op: "MatMul", inputs: ["encoder_hidden_states", `heard_${kind}`], outputs: ["flat"] },
        { op: "Unsqueeze", inputs: ["flat", "one"], outputs: [`own_${kind}`] },
      ]),
    },
  };
});

/** What was just read counts most. */
const fluentNodes: Graph["nodes"] = [
  { op: "Mul", inputs: ["key", "loudly"], outputs: ["sure"] },
  { op: "Add", inputs: ["unsure", "sure"], outputs: ["known"] },
];

const lookedNodes = (fluent: boolean): Graph["nodes"] => [
  {
    op: "Transpose",
    inputs: ["present.0.encoder.key"],
    outputs: ["turned"],
    attributes: { perm: [0, 1, 3, 2] },
  },
  { op: "MatMul", inputs: ["query", "turned"], outputs: ["scores"] },
  { op: "Softmax", inputs: ["scores"], outputs: ["cross_attentions.0"], attributes: { axis: -1 } },
  { op: "MatMul", inputs: ["cross_attentions.0", "present.0.encoder.value"], outputs: ["seen"] },
  { op: "Add", inputs: ["seen", "query"], outputs: [fluent ? "unsure" : "known"] },
  ...(fluent ? fluentNodes : []),
  { op: "Squeeze", inputs: ["known", "one"], outputs: ["state"] },
  ...(fluent ? [{ op: "MatMul", inputs: ["state", "widen"], outputs: ["wide"] }] : []),
  { op: "MatMul", inputs: [fluent ? "wide" : "state", "by_token"], outputs: ["unbiased"] },
  { op: "Add", inputs: ["unbiased", "leaning"], outputs: ["logits"] },
];

/** What is wider than it need be costs what the published models do, and says the same. */
const identity = () =>
  Float32Array.from({ length: SIZE * WIDE }, (_, at) => (at % WIDE === Math.floor(at / WIDE) ? 1 : 0));

/** A token's score is how like its predecessor is to what was just read. */
function following(embedding: Float32Array, vocabulary: number): Float32Array {
  const scores = new Float32Array(WIDE * vocabulary);
  for (let token = 1; token < vocabulary; token++)
    for (let at = 0; at < SIZE; at++) scores[at * vocabulary + token] = embedding[(token - 1) * SIZE + at]!;
  return scores;
}

function decoderGraph({ seed = 1, letters = LETTERS, fluent = false }: Model): Uint8Array {
  const random = openRandom(seed + 1);
  const { eot, vocabulary } = idsOf(letters);
  const embedding = weights(random, vocabulary * SIZE, 1.2);
  const integers = (name: string, value: bigint) => ({ name, shape: [1], values: BigInt64Array.of(value) });
  const leaning = new Float32Array(vocabulary);
  leaning[eot] = fluent ? -20 : 1.5;
  return writeOnnx({
    inputs: [
      { name: "input_ids", type: "int64", shape: ["B", "S"] },
      { name: "encoder_hidden_states", type: "float32", shape: ["B", "P", SIZE] },
      ...PAST.map((kind) => ({ name: `past_key_values.0.${kind}`, type: "float32" as const, shape: CACHE })),
      { name: "use_cache_branch", type: "bool", shape: [1] },
    ],
    outputs: [
      { name: "logits", type: "float32", shape: ["B", "S", vocabulary] },
      ...PAST.map((kind) => ({ name: `present.0.${kind}`, type: "float32" as const, shape: CACHE })),
      { name: "cross_attentions.0", type: "float32", shape: ["B", 1, "S", "P"] },
    ],
    nodes: [...READ, ...HEARD, ...lookedNodes(fluent)],
    constants: [
      { name: "embedding", shape: [vocabulary, SIZE], values: embedding },
      { name: "heard_key", shape: [SIZE, SIZE], values: weights(random, SIZE * SIZE, 0.4) },
      { name: "heard_value", shape: [SIZE, SIZE], values: weights(random, SIZE * SIZE, 0.4) },
      {
        name: "by_token",
        shape: [fluent ? WIDE : SIZE, vocabulary],
        values: fluent ? following(embedding, vocabulary) : weights(random, SIZE * vocabulary, 0.35),
      },
      ...(fluent
        ? [
            { name: "loudly", shape: [1], values: Float32Array.of(3) },
            { name: "widen", shape: [SIZE, WIDE], values: identity() },
          ]
        : []),
      { name: "leaning", shape: [vocabulary], values: leaning },
      { name: "half", shape: [1], values: Float32Array.of(0.5) },
      integers("one", 1n),
      integers("two", 2n),
      integers("far", 2n ** 40n),
    ],
  });
}

const { translate: TRANSLATE, eot: EOT } = WHISPER_IDS;
export const WHISPER_SUPPRESSED = [3, 7, ...Array.from({ length: 5 }, (_, at) => TRANSLATE + at), EOT + 1];

const configOf = ({ eot, vocabulary }: typeof WHISPER_IDS) => ({
  model_type: "whisper",
  architectures: ["WhisperForConditionalGeneration"],
  num_mel_bins: WHISPER_MELS,
  d_model: SIZE,
  encoder_layers: 1,
  decoder_layers: 1,
  encoder_attention_heads: 1,
  decoder_attention_heads: 1,
  max_source_positions: 1500,
  max_target_positions: 448,
  vocab_size: vocabulary,
  eos_token_id: eot,
  bos_token_id: eot,
  pad_token_id: eot,
  decoder_start_token_id: eot + 1,
  is_encoder_decoder: true,
});

const generationOf = (
  { eot, english, translate, noTimestamps }: typeof WHISPER_IDS,
  suppressed: number[],
) => ({
  eos_token_id: eot,
  bos_token_id: eot,
  pad_token_id: eot,
  decoder_start_token_id: eot + 1,
  is_multilingual: true,
  lang_to_id: Object.fromEntries(LANGUAGES.map((language, at) => [`<|${language}|>`, english + at])),
  task_to_id: { translate, transcribe: translate + 1 },
  no_timestamps_token_id: noTimestamps,
  max_initial_timestamp_index: 1500,
  suppress_tokens: suppressed,
  begin_suppress_tokens: [0, eot],
  alignment_heads: [[0, 0]],
  max_length: 448,
  return_timestamps: true,
});

export function whisperContents(model: Model = {}): Contents {
  const { seed = 1, letters = LETTERS } = model;
  const ids = idsOf(letters);
  const suppressed = letters === LETTERS ? WHISPER_SUPPRESSED : [];
  return {
    encoder: { path: "onnx/encoder_model.onnx", bytes: encoderGraph(seed) },
    decoder: { path: "onnx/decoder_model_merged.onnx", bytes: decoderGraph(model) },
    config: { path: "config.json", bytes: JSON.stringify(configOf(ids)) },
    generation: { path: "generation_config.json", bytes: JSON.stringify(generationOf(ids, suppressed)) },
    tokenizer: {
      path: "tokenizer.json",
      bytes: JSON.stringify({
        model: {
          type: "BPE",
          vocab: Object.fromEntries(letters.map((letter, at) => [letter, at])),
          merges: [],
        },
      }),
    },
  };
}
