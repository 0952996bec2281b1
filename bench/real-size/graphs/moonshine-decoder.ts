/**
 * The decoder of Moonshine v2 with all of its layers, and with a text that follows the sound: a token for each 0.3 s of the
 * memory, and the end behind it. The last token of a text is another one in the next, as what was said last is often
 * corrected. What the layers compute is added a thousandth of, so that it is computed and decides nothing.
 */
import type { Graph } from "../../../testing/onnx.ts";
import { FIRST_PIECE } from "../../../testing/packages/families/moonshine-decoder.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { asVector, lengthOf, merged, scoresOf, split, swish } from "./layers.ts";
import { type Moonshine, portsIn, rowsOf, widthsOf } from "./moonshine.ts";

const FRAMES_OF_TOKEN = 15;
const WORD = FIRST_PIECE + 1;
const LAST_WORD = FIRST_PIECE + 2;
const END = 2;

type Heads = { heads: number; size: number };
type Block = { width: number; heads: Heads; layer: number };
/** Of the new tokens: their places [T], which tokens they may attend to, and how far each row of the memory is from them. */
type Tokens = { places: string; mask: string; pull: string; turn: (x: string) => string };
type Kept = { keys: string[]; values: string[] };

export function moonshineDecoder(model: Moonshine): Graph {
  const { decoder_dim: width, depth, nheads, head_dim, vocab_size } = widthsOf(model);
  const b = new GraphBuilder(model.precision);
  const heads = { heads: nheads, size: head_dim };
  const tokens = readTokens(b, head_dim);
  const kept: Kept = { keys: [], values: [] };
  let x = rowsOf(b, [vocab_size, width], "token");
  for (let layer = 0; layer < depth; layer++) {
    const block = { width, heads, layer };
    x = withPast(b, x, { ...block, tokens, kept });
    x = withMemory(b, x, { ...block, tokens });
    x = withFeedForward(b, x, width);
  }
  b.output(b.op("Concat", kept.keys, { axis: 0 }), "out_k_self");
  b.output(b.op("Concat", kept.values, { axis: 0 }), "out_v_self");
  const scores = b.linear(b.norm(x, width), { from: width, to: vocab_size, bias: false });
  const known = expected(b, tokens.places, vocab_size);
  b.output(b.op("Add", [b.op("Mul", [scores, b.float(0.001)]), known]), "logits");
  return b.graph(portsIn(model, "decoder"));
}

function readTokens(b: GraphBuilder, size: number): Tokens {
  const past = lengthOf(b, "k_self", 3);
  const end = b.op("Add", [past, lengthOf(b, "token", 1)]);
  const places = b.op("Range", [past, end, b.int(1)]);
  const column = b.op("Unsqueeze", [places, b.ints(1)]);
  const isPast = b.op("LessOrEqual", [b.op("Range", [b.int(0), end, b.int(1)]), column]);
  const middles = b.op("Add", [b.op("Mul", [column, b.int(FRAMES_OF_TOKEN)]), b.int(FRAMES_OF_TOKEN >> 1)]);
  const rows = b.op("Range", [b.int(0), lengthOf(b, "out_k_cross", 3), b.int(1)]);
  const away = b.op("Cast", [b.op("Sub", [rows, middles])], { to: 1 });
  return {
    places,
    mask: b.op("Where", [isPast, b.float(0), b.float(-1e9)]),
    pull: b.op("Mul", [b.op("Mul", [away, away]), b.float(-0.01)]),
    turn: openRotary(b, b.op("Cast", [column], { to: 1 }), size),
  };
}

/** Turns halves of each head against each other, by the place of the token. */
function openRotary(b: GraphBuilder, column: string, size: number): (x: string) => string {
  const speeds = Float32Array.from({ length: size }, (_, at) => 10_000 ** (-(at % (size / 2)) / (size / 2)));
  const angles = b.op("Mul", [column, b.table([1, size], speeds)]);
  const [cosines, sines] = [b.op("Cos", [angles]), b.op("Sin", [angles])];
  return (x) => {
    const [first, second] = b.several("Split", [x], { count: 2, attributes: { axis: 3 } });
    const turned = b.op("Concat", [b.op("Neg", [second!]), first!], { axis: 3 });
    return b.op("Add", [b.op("Mul", [x, cosines]), b.op("Mul", [turned, sines])]);
  };
}

const project = (b: GraphBuilder, x: string, { width, heads }: Block) =>
  split(b, b.linear(x, { from: width, to: heads.heads * heads.size, bias: false }), heads);

const withAttended = (b: GraphBuilder, x: string, { width, heads, attended }: Block & { attended: string }) =>
  b.op("Add", [
    x,
    b.linear(merged(b, attended, heads), { from: heads.heads * heads.size, to: width, bias: false }),
  ]);

const ofLayer = (b: GraphBuilder, name: string, layer: number) => b.op("Gather", [name, b.int(layer)]);

function withPast(
  b: GraphBuilder,
  x: string,
  { tokens, kept, ...block }: Block & { tokens: Tokens; kept: Kept },
): string {
  const h = b.norm(x, block.width);
  const [queries, key, value] = [
    tokens.turn(project(b, h, block)),
    project(b, h, block),
    project(b, h, block),
  ];
  const after = (name: string, added: string) =>
    b.op("Concat", [ofLayer(b, name, block.layer), added], { axis: 2 });
  const [keys, values] = [after("k_self", tokens.turn(key)), after("v_self", value)];
  kept.keys.push(asVector(b, keys));
  kept.values.push(asVector(b, values));
  const masked = b.op("Add", [scoresOf(b, [queries, keys], block.heads), tokens.mask]);
  const attended = b.op("MatMul", [b.op("Softmax", [masked], { axis: -1 }), values]);
  return withAttended(b, x, { ...block, attended });
}

function withMemory(b: GraphBuilder, x: string, { tokens, ...block }: Block & { tokens: Tokens }): string {
  const queries = project(b, b.norm(x, block.width), block);
  const scores = scoresOf(b, [queries, ofLayer(b, "out_k_cross", block.layer)], block.heads);
  const weights = b.op("Softmax", [b.op("Add", [scores, tokens.pull])], { axis: -1 });
  b.output(weights, `cross_attentions.${block.layer}`);
  const attended = b.op("MatMul", [weights, ofLayer(b, "out_v_cross", block.layer)]);
  return withAttended(b, x, { ...block, attended });
}

/** Gated: twice as wide on its way in. */
function withFeedForward(b: GraphBuilder, x: string, width: number): string {
  const wide = b.linear(b.norm(x, width), { from: width, to: 8 * width });
  const [values, gates] = b.several("Split", [wide], { count: 2, attributes: { axis: 2 } });
  const gated = b.op("Mul", [values!, swish(b, gates!)]);
  return b.op("Add", [x, b.linear(gated, { from: 4 * width, to: width })]);
}

/** [1, T, vocabulary]. */
function expected(b: GraphBuilder, places: string, vocabulary: number): string {
  const begins = b.op("Mul", [places, b.int(FRAMES_OF_TOKEN)]);
  const left = b.op("Sub", [lengthOf(b, "out_k_cross", 3), begins]);
  const last = b.op("Where", [b.op("Greater", [left, b.int(0)]), b.int(LAST_WORD), b.int(END)]);
  const next = b.op("Where", [b.op("Greater", [left, b.int(FRAMES_OF_TOKEN)]), b.int(WORD), last]);
  const values = b.table([2], Float32Array.of(0, 1));
  return b.op("OneHot", [asVector(b, next), asVector(b, b.int(vocabulary)), values], { axis: -1 });
}
