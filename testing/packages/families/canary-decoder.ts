/**
 * Canary's decoder in both published exports: a sum over what was read looks at what was heard. Texts end sooner or later
 * as the sound is short or long.
 */
import type { Graph } from "../../onnx.ts";
import { portsOf } from "../published.ts";
import { openRandom, weights } from "../random.ts";
import {
  CANARY_END,
  type CanaryModel,
  type Constants,
  float,
  graphOf,
  integers,
  PLACES,
  RANK,
  SMALL_CANARY,
  SPECIALS,
  scalar,
} from "./canary-parts.ts";

type Nodes = Graph["nodes"];

const TOKENS_PER_FRAME = 0.5;

/** From the sum [B, 1, d] of what was read: a look at the sound, and the scores of what follows. */
const writing = (states: string, mask: string): Nodes => [
  { op: "Mul", inputs: ["sum", "often"], outputs: ["turning"] },
  { op: "Sin", inputs: ["turning"], outputs: ["query"] },
  { op: "Transpose", inputs: [states], outputs: ["keys"], attributes: { perm: [0, 2, 1] } },
  { op: "MatMul", inputs: ["query", "keys"], outputs: ["likeness"] },
  { op: "Cast", inputs: [mask], outputs: ["heard"], attributes: { to: 1 } }, // [B, F]
  { op: "Sub", inputs: ["heard", "float_one"], outputs: ["missing"] },
  { op: "Mul", inputs: ["missing", "never"], outputs: ["excluded"] },
  { op: "Unsqueeze", inputs: ["excluded", "one"], outputs: ["each_excluded"] },
  { op: "Add", inputs: ["likeness", "each_excluded"], outputs: ["scores"] },
  { op: "Softmax", inputs: ["scores"], outputs: ["attention"], attributes: { axis: -1 } },
  { op: "MatMul", inputs: ["attention", states], outputs: ["seen"] },
  { op: "Add", inputs: ["seen", "query"], outputs: ["known"] },
  { op: "MatMul", inputs: ["known", "narrow"], outputs: ["thin"] },
  { op: "MatMul", inputs: ["thin", "by_token"], outputs: ["unending"] },
  { op: "ReduceSum", inputs: ["heard", "one"], outputs: ["count"], attributes: { keepdims: 1 } }, // [B, 1]
  { op: "Mul", inputs: ["count", "pace"], outputs: ["room"] },
  { op: "Cast", inputs: ["all"], outputs: ["written"], attributes: { to: 1 } },
  { op: "Sub", inputs: ["written", "room"], outputs: ["over"] },
  { op: "Unsqueeze", inputs: ["over", "two"], outputs: ["each_over"] },
  { op: "Mul", inputs: ["each_over", "only_end"], outputs: ["ending"] },
  { op: "Add", inputs: ["unending", "ending"], outputs: ["logits"] },
];

function decoderConstants({ seed = 1, sizes = SMALL_CANARY }: CanaryModel): Constants {
  const { width, tokens } = sizes as { width: number; tokens: number };
  const random = openRandom(seed + 1);
  const specials = SPECIALS.length;
  const byToken = weights(random, RANK * tokens, 1);
  for (let row = 0; row < RANK; row++) byToken.fill(0, row * tokens, row * tokens + specials);
  return [
    { name: "embedding", shape: [tokens, RANK], values: weights(random, tokens * RANK, 0.5) },
    { name: "widen", shape: [RANK, width], values: weights(random, RANK * width, 0.7) },
    { name: "placing", shape: [PLACES, width], values: weights(random, PLACES * width, 0.2) },
    { name: "narrow", shape: [width, RANK], values: weights(random, width * RANK, 3 / Math.sqrt(width)) },
    { name: "by_token", shape: [RANK, tokens], values: byToken },
    {
      name: "only_end",
      shape: [tokens],
      values: Float32Array.from({ length: tokens }, (_, at) => Number(at === CANARY_END)),
    },
    float("often", 2),
    float("float_one", 1),
    float("never", 10_000),
    float("pace", TOKENS_PER_FRAME),
    integers("zero", 0),
    integers("one", 1),
    integers("two", 2),
    scalar("second", 1),
    scalar("last", -1),
  ];
}

/** Each memory in its turn goes on by what was read, twice as loud as the one before. */
export function canaryDecoder(model: CanaryModel): Graph {
  const { sizes = SMALL_CANARY } = model;
  const layers = Array.from({ length: sizes.layers! }, (_, layer) => layer);
  return {
    ...portsOf(graphOf("decoder", sizes)),
    nodes: [
      { op: "Slice", inputs: ["decoder_input_ids", "zero", "minus_one", "one"], outputs: ["ids"] },
      { op: "Gather", inputs: ["decoder_input_ids", "last"], outputs: ["place"], attributes: { axis: 1 } },
      { op: "Gather", inputs: ["embedding", "ids"], outputs: ["thin_embedded"] },
      { op: "MatMul", inputs: ["thin_embedded", "widen"], outputs: ["unplaced"] },
      { op: "Gather", inputs: ["placing", "place"], outputs: ["placed"] },
      { op: "Unsqueeze", inputs: ["placed", "one"], outputs: ["each_placed"] },
      { op: "Add", inputs: ["unplaced", "each_placed"], outputs: ["read"] },
      ...layers.flatMap(
        (layer): Nodes => [
          { op: "Mul", inputs: ["read", `factor${layer}`], outputs: [`read${layer}`] },
          {
            op: "Concat",
            inputs: [`decoder_mems_list_${layer}`, `read${layer}`],
            outputs: [`next_decoder_mem_list_${layer}`],
            attributes: { axis: 1 },
          },
        ],
      ),
      ...summing(`next_decoder_mem_list_${layers.length - 1}`),
      ...writing("enc_states", "enc_mask"),
    ],
    constants: [
      ...decoderConstants(model),
      integers("minus_one", -1),
      ...layers.map((layer) => float(`factor${layer}`, 2 ** (layer - layers.length + 1))),
    ],
  };
}

/** [B, P, d] summed over all that was read, and how much that was. */
const summing = (memory: string): Nodes => [
  { op: "ReduceSum", inputs: [memory, "one"], outputs: ["sum"], attributes: { keepdims: 1 } },
  { op: "Shape", inputs: [memory], outputs: ["memory_sizes"] },
  { op: "Gather", inputs: ["memory_sizes", "second"], outputs: ["all"] },
];

export function canaryBatchDecoder(model: CanaryModel): Graph {
  const { sizes = SMALL_CANARY } = model;
  const layers = sizes.layers!;
  return {
    ...portsOf(graphOf("batch-decoder", sizes)),
    nodes: [
      { op: "Shape", inputs: ["decoder_mems"], outputs: ["past_sizes"] },
      { op: "Gather", inputs: ["past_sizes", "third"], outputs: ["past"] },
      { op: "Shape", inputs: ["input_ids"], outputs: ["ids_sizes"] },
      { op: "Gather", inputs: ["ids_sizes", "second"], outputs: ["added"] },
      { op: "Add", inputs: ["past", "added"], outputs: ["end"] },
      { op: "Range", inputs: ["past", "end", "second"], outputs: ["places"] },
      { op: "Gather", inputs: ["placing", "places"], outputs: ["placed"] },
      { op: "Gather", inputs: ["embedding", "input_ids"], outputs: ["thin_embedded"] },
      { op: "MatMul", inputs: ["thin_embedded", "widen"], outputs: ["unplaced"] },
      { op: "Add", inputs: ["unplaced", "placed"], outputs: ["read"] },
      { op: "Unsqueeze", inputs: ["read", "zero"], outputs: ["once"] },
      { op: "Mul", inputs: ["once", "factors"], outputs: ["of_layers"] },
      {
        op: "Concat",
        inputs: ["decoder_mems", "of_layers"],
        outputs: ["decoder_hidden_states"],
        attributes: { axis: 2 },
      },
      { op: "Gather", inputs: ["decoder_hidden_states", "last"], outputs: ["memory"] },
      ...summing("memory"),
      ...writing("encoder_embeddings", "encoder_mask"),
    ],
    constants: [
      ...decoderConstants(model),
      scalar("third", 2),
      {
        name: "factors",
        shape: [layers, 1, 1, 1],
        values: Float32Array.from({ length: layers }, (_, layer) => 2 ** (layer - layers + 1)),
      },
    ],
  };
}
