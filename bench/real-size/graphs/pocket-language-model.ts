/**
 * The graphs of Pocket TTS that make frames of a text, with all of their layers. A text never ends by itself, so that its
 * length is known. Rotary positions are left out: they add no weights.
 */
import type { Graph } from "../../../testing/onnx.ts";
import { published } from "../../../testing/packages/published.ts";
import { type BuiltPrecision, GraphBuilder } from "./graph-builder.ts";
import { asVector, gelu, lengthOf, merged, scoresOf, split, swish } from "./layers.ts";

const TOKENS = 4001;
const [WIDTH, LATENT] = [1024, 32];
const HEADS = { heads: 16, size: 64 };
const POSITIONS = 1000;
const [FLOW_WIDTH, FLOW_BLOCKS, TIME_WIDTH] = [512, 6, 256];
const NO_END = -100;
const MASKED = -1e9;

const portsOf = (role: string, name = "pocket-tts-en-2026-01") => published("pocket", name).graph(role)!;

export function pocketText(): Graph {
  const b = new GraphBuilder();
  b.output(b.op("Gather", [b.weights([TOKENS, WIDTH], 1), "token_ids"]), "embeddings");
  return b.graph(portsOf("text"));
}

/** `name`: of the package. */
export function pocketMain(precision: BuiltPrecision, name: string): Graph {
  const b = new GraphBuilder(precision);
  const latents = b.op("Where", [b.op("IsNaN", ["sequence"]), b.weights([LATENT], 1), "sequence"]);
  const frames = b.op("MatMul", [latents, b.weights([LATENT, WIDTH], 0.3)]);
  let x = b.op("Concat", ["text_embeddings", frames], { axis: 1 });
  const layers = published("pocket", name).sizes.layers!;
  const places = placesOf(b, x);
  for (let layer = 0; layer < layers; layer++) x = languageLayer(b, x, { layer, ...places });
  const last = b.op("Gather", [b.norm(x, WIDTH), b.int(-1)], { axis: 1 });
  b.output(last, "conditioning");
  const end = b.op("MatMul", [last, b.weights([WIDTH, 1], 0.01)]);
  b.output(b.op("Add", [b.op("Tanh", [end]), b.float(NO_END)]), "eos_logit");
  return b.graph(portsOf("main", name));
}

/** `indices`: of the rows in a cache; `hidden`: added to the scores of positions that are not known yet. */
type Places = { count: string; indices: string; hidden: string };

function placesOf(b: GraphBuilder, rows: string): Places {
  const count = lengthOf(b, rows, 1);
  const from = b.op("Gather", ["state_2", b.int(0)]);
  const places = b.op("Range", [from, b.op("Add", [from, count]), b.int(1)]);
  const column = b.op("Unsqueeze", [places, b.ints(1)]);
  const zeros = b.op("Mul", [column, b.int(0)]);
  const keys = b.op("Concat", [zeros, zeros, column], { axis: 1 });
  const values = b.op("Concat", [b.op("Add", [zeros, b.int(1)]), zeros, column], { axis: 1 });
  const all = b.table(
    [1, POSITIONS],
    BigInt64Array.from({ length: POSITIONS }, (_, at) => BigInt(at)),
  );
  const isUnknown = b.op("Greater", [all, column]);
  return {
    count,
    indices: b.op("Concat", [keys, values], { axis: 0 }),
    hidden: b.op("Where", [isUnknown, b.float(MASKED), b.float(0)]),
  };
}

/** [1, N, WIDTH]: attention over all positions of its cache, and what follows it. */
function languageLayer(
  b: GraphBuilder,
  input: string,
  { layer, count, indices, hidden }: Places & { layer: number },
): string {
  const [cache, empty, step] = [0, 1, 2].map((state) => `state_${3 * layer + state}`) as [
    string,
    string,
    string,
  ];
  const linear = (x: string, from: number, to: number) => b.linear(x, { from, to, bias: false });
  const x = b.norm(input, WIDTH);
  const rowsOf = (of: string) => b.op("Reshape", [of, b.ints(-1, HEADS.heads, HEADS.size)]);
  const updates = b.op("Concat", [rowsOf(linear(x, WIDTH, WIDTH)), rowsOf(linear(x, WIDTH, WIDTH))], {
    axis: 0,
  });
  const known = b.op("ScatterND", [cache, indices, updates]);
  b.output(known, `out_${cache}`);
  b.output(empty, `out_${empty}`);
  b.output(b.op("Add", [step, asVector(b, count)]), `out_${step}`);
  const held = (at: number) =>
    b.op("Transpose", [b.op("Gather", [known, b.int(at)], { axis: 0 })], { perm: [0, 2, 1, 3] });
  const scores = scoresOf(b, [split(b, linear(x, WIDTH, WIDTH), HEADS), held(0)], HEADS);
  const weights = b.op("Softmax", [b.op("Add", [scores, hidden])], { axis: -1 });
  const attention = linear(merged(b, b.op("MatMul", [weights, held(1)]), HEADS), WIDTH, WIDTH);
  const sum = b.op("Add", [input, attention]);
  const wide = gelu(b, linear(b.norm(sum, WIDTH), WIDTH, 4 * WIDTH));
  return b.op("Add", [sum, linear(wide, 4 * WIDTH, WIDTH)]);
}

export function pocketFlow(precision: BuiltPrecision): Graph {
  const b = new GraphBuilder(precision);
  const times = b.op("Add", [timeOf(b, "s"), timeOf(b, "t")]);
  const condition = b.linear("c", { from: WIDTH, to: FLOW_WIDTH });
  const y = swish(b, b.op("Add", [condition, times]));
  let x = b.linear("x", { from: LATENT, to: FLOW_WIDTH });
  for (let block = 0; block < FLOW_BLOCKS; block++) x = flowBlock(b, x, y);
  const [shift, scale] = modulations(b, y, 2) as [string, string];
  const out = b.linear(modulated(b, x, { shift, scale }), { from: FLOW_WIDTH, to: LATENT });
  b.output(b.op("Tanh", [out]), "flow_dir");
  return b.graph(portsOf("flow"));
}

function timeOf(b: GraphBuilder, input: string): string {
  const phases = b.op("Mul", [input, b.weights([1, TIME_WIDTH / 2], 3)]);
  const waves = b.op("Concat", [b.op("Cos", [phases]), b.op("Sin", [phases])], { axis: 1 });
  const hidden = swish(b, b.linear(waves, { from: TIME_WIDTH, to: FLOW_WIDTH }));
  return b.linear(hidden, { from: FLOW_WIDTH, to: FLOW_WIDTH });
}

function flowBlock(b: GraphBuilder, x: string, y: string): string {
  const [shift, scale, gate] = modulations(b, y, 3) as [string, string, string];
  const square = { from: FLOW_WIDTH, to: FLOW_WIDTH };
  const hidden = swish(b, b.linear(modulated(b, x, { shift, scale }), square));
  return b.op("Add", [x, b.op("Mul", [gate, b.linear(hidden, square)])]);
}

function modulations(b: GraphBuilder, y: string, count: number): string[] {
  const all = b.linear(y, { from: FLOW_WIDTH, to: count * FLOW_WIDTH });
  return Array.from({ length: count }, (_, at) =>
    b.op("Slice", [all, b.ints(at * FLOW_WIDTH), b.ints((at + 1) * FLOW_WIDTH), b.ints(1)]),
  );
}

function modulated(b: GraphBuilder, x: string, { shift, scale }: { shift: string; scale: string }): string {
  const scaled = b.op("Mul", [b.norm(x, FLOW_WIDTH), b.op("Add", [scale, b.float(1)])]);
  return b.op("Add", [scaled, shift]);
}
