/** The decoder of the small Moonshine: each token looks at its own part of the memory, and depends on those before it. */
import type { Graph } from "../../onnx.ts";
import { openRandom, weights } from "../random.ts";
import { float, integers, type Model, marked, portsFor, rows, scalar } from "./moonshine-parts.ts";

type Nodes = Graph["nodes"];
type Constants = Required<Graph>["constants"];

/** Memory rows of a token: 0.24 s. */
export const FRAMES_PER_TOKEN = 12;
const SHARPNESS = 0.05;
export const FIRST_PIECE = 259;

/** Where the new tokens are, and what was read until there. */
const READ: Nodes = [
  { op: "Shape", inputs: ["k_self"], outputs: ["past_sizes"] },
  { op: "Gather", inputs: ["past_sizes", "third"], outputs: ["past"] },
  { op: "Shape", inputs: ["token"], outputs: ["sizes"] },
  { op: "Gather", inputs: ["sizes", "single"], outputs: ["count"] },
  { op: "Add", inputs: ["past", "count"], outputs: ["end"] },
  { op: "Range", inputs: ["past", "end", "single"], outputs: ["whole"] },
  { op: "Cast", inputs: ["whole"], outputs: ["places"], attributes: { to: 1 } },
  { op: "Gather", inputs: ["embedding", "token"], outputs: ["embedded"] }, // [1, T, size]
  { op: "Unsqueeze", inputs: ["embedded", "both"], outputs: ["once"] },
  { op: "Expand", inputs: ["once", "everywhere"], outputs: ["keys"] },
  { op: "Mul", inputs: ["keys", "half"], outputs: ["values"] },
  { op: "Concat", inputs: ["k_self", "keys"], outputs: ["out_k_self"], attributes: { axis: 3 } },
  { op: "Concat", inputs: ["v_self", "values"], outputs: ["out_v_self"], attributes: { axis: 3 } },
  { op: "CumSum", inputs: ["out_v_self", "third"], outputs: ["sums"] },
  { op: "Neg", inputs: ["count"], outputs: ["negative"] },
  { op: "Unsqueeze", inputs: ["negative", "zero"], outputs: ["from"] },
  { op: "Slice", inputs: ["sums", "from", "far", "three"], outputs: ["newest"] },
  { op: "Mul", inputs: ["newest", "often"], outputs: ["turning"] },
  { op: "Sin", inputs: ["turning"], outputs: ["history"] }, // [L, 1, H, T, size]
];

/** The middle of each token's part of the memory, and whether it is beyond its end. */
const LOOK: Nodes = [
  { op: "Mul", inputs: ["places", "step"], outputs: ["begins"] },
  { op: "Add", inputs: ["begins", "reach"], outputs: ["middles"] },
  { op: "Unsqueeze", inputs: ["middles", "last"], outputs: ["column"] },
  { op: "Mul", inputs: ["column", "toward"], outputs: ["pulling"] },
  { op: "Add", inputs: ["pulling", "away"], outputs: ["query"] }, // [T, size]
  { op: "Shape", inputs: ["out_k_cross"], outputs: ["cross_sizes"] },
  { op: "Gather", inputs: ["cross_sizes", "third"], outputs: ["heard"] },
  { op: "Cast", inputs: ["heard"], outputs: ["until"], attributes: { to: 1 } },
  { op: "Less", inputs: ["until", "column"], outputs: ["beyond"] },
  { op: "Cast", inputs: ["beyond"], outputs: ["ended"], attributes: { to: 1 } },
  { op: "Mul", inputs: ["ended", "only_end"], outputs: ["ending"] }, // [T, V]
];

const attending = (layer: number): Nodes => [
  { op: "Gather", inputs: ["out_k_cross", `layer${layer}`], outputs: [`keys${layer}`] },
  {
    op: "Transpose",
    inputs: [`keys${layer}`],
    outputs: [`turned${layer}`],
    attributes: { perm: [0, 1, 3, 2] },
  },
  { op: "MatMul", inputs: ["query", `turned${layer}`], outputs: [`scores${layer}`] },
  {
    op: "Softmax",
    inputs: [`scores${layer}`],
    outputs: [`cross_attentions.${layer}`],
    attributes: { axis: -1 },
  },
];

const WRITE: Nodes = [
  { op: "Gather", inputs: ["out_v_cross", "layer0"], outputs: ["heard_values"] },
  { op: "MatMul", inputs: ["cross_attentions.0", "heard_values"], outputs: ["seen"] },
  { op: "Gather", inputs: ["history", "layer0"], outputs: ["read"] },
  { op: "Add", inputs: ["seen", "read"], outputs: ["known"] }, // [1, H, T, size]
  { op: "Gather", inputs: ["known", "layer0"], outputs: ["of_head"], attributes: { axis: 1 } },
  { op: "MatMul", inputs: ["of_head", "by_token"], outputs: ["scored"] },
  { op: "Add", inputs: ["scored", "written"], outputs: ["continued"] },
  { op: "Add", inputs: ["continued", "ending"], outputs: ["logits"] },
];

const NEVER = -1000;

export function moonshineDecoder({ seed, sizes }: Model): Graph {
  const { depth, nheads, head_dim: size, vocab_size: vocabulary } = sizes as Record<string, number>;
  const layers = Array.from({ length: depth! }, (_, layer) => layer);
  return {
    ...portsFor("decoder", sizes),
    nodes: [...READ, ...LOOK, ...layers.flatMap(attending), ...WRITE],
    constants: [
      ...layers.map((layer) => scalar(`layer${layer}`, layer)),
      scalar("single", 1),
      scalar("third", 3),
      integers("zero", 0),
      integers("three", 3),
      integers("last", 1),
      integers("both", 0, 1),
      integers("far", 2 ** 40),
      integers("everywhere", depth!, 1, nheads!, 1, 1),
      float("half", 0.5),
      float("often", 9),
      float("step", FRAMES_PER_TOKEN),
      float("reach", FRAMES_PER_TOKEN / 2),
      rows(
        "toward",
        [1, size!],
        marked({ decoder_dim: size!, head_dim: size! }, 0).map((one) => 2 * SHARPNESS * one),
      ),
      rows(
        "away",
        [1, size!],
        marked({ decoder_dim: size!, head_dim: size! }, 1).map((one) => -SHARPNESS * one),
      ),
      ...tokenConstants({ seed, size: size!, vocabulary: vocabulary! }),
    ],
  };
}

/** Specials and single bytes are never written, but the end is. */
function tokenConstants(model: { seed: number; size: number; vocabulary: number }): Constants {
  const { seed, size, vocabulary } = model;
  const random = openRandom(seed + 3);
  const embedding = weights(random, vocabulary * size, 0.3);
  const byToken = weights(random, size * vocabulary, 1);
  byToken.fill(0, 0, 2 * vocabulary); // places are no content
  return [
    rows("embedding", [vocabulary, size], embedding),
    rows("by_token", [size, vocabulary], byToken),
    rows(
      "only_end",
      [1, vocabulary],
      Float32Array.from({ length: vocabulary }, (_, at) => (at === 2 ? 5000 : 0)),
    ),
    rows(
      "written",
      [1, vocabulary],
      Float32Array.from({ length: vocabulary }, (_, at) => (at < FIRST_PIECE ? NEVER : 0)),
    ),
  ];
}
