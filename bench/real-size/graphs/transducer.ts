/**
 * The search of a NeMo transducer with its published sizes: an embedding, two layers of LSTM, a joint. Marks of the encoder
 * (`fastconformer.ts`) call for one of two tokens; the token that was last, which the prediction network marks, is not
 * repeated. So the tokens of a recording are known, three a second, and what the layers compute decides nothing.
 *
 *   frame   A · · · B · · · A · · ·        TDT: two frames forward with every step, as its durations say
 */
import type { Graph } from "../../../testing/onnx.ts";
import { published, type Sizes } from "../../../testing/packages/published.ts";
import { MARK } from "./fastconformer.ts";
import { type BuiltPrecision, GraphBuilder } from "./graph-builder.ts";
import { transposed } from "./layers.ts";
import { lstm } from "./recurrence.ts";

const [A, B] = [5, 9];
const LAYERS = 2;
const DURATION = 2;

type Family = "nemo" | "nemo-streaming";
/** `durations`: how many a TDT model has. */
type Model = { family: Family; name: string; sizes: Sizes; durations: number; precision: BuiltPrecision };

export function joint(model: Model): Graph {
  const b = new GraphBuilder(model.precision);
  const text = predicted(b, model, {
    states: ["input_states_1", "input_states_2"],
    next: ["output_states_1", "output_states_2"],
  });
  joined(b, model, text);
  return b.graph(published("nemo", model.name, model.sizes).graph("joint")!);
}

export function decoder({ family, ...model }: Model): Graph {
  const b = new GraphBuilder(model.precision);
  const signature = published(family, model.name, model.sizes).graph("decoder")!;
  const states = signature.inputs.slice(-2).map(({ name }) => name) as [string, string];
  const next = signature.outputs.slice(-2).map(({ name }) => name) as [string, string];
  b.output(predicted(b, { family, ...model }, { states, next }), "outputs");
  return b.graph(signature);
}

export function joiner(model: Model): Graph {
  const b = new GraphBuilder(model.precision);
  joined(b, model, "decoder_outputs");
  return b.graph(published(model.family, model.name, model.sizes).graph("joiner")!);
}

type States = { states: [string, string]; next: [string, string] };

/** [B, hidden, 1], with a mark of the last token in the first channel. */
function predicted(b: GraphBuilder, { sizes }: Model, { states, next }: States): string {
  const { hidden, tokens } = sizes as Record<"hidden" | "tokens", number>;
  let x = b.op("Transpose", [embedded(b, [tokens, hidden])], { perm: [1, 0, 2] });
  const last: { h: string[]; c: string[] } = { h: [], c: [] };
  for (let layer = 0; layer < LAYERS; layer++) {
    const of = (state: string) => b.op("Slice", [state, b.ints(layer), b.ints(layer + 1), b.ints(0)]);
    const { output, h, c } = lstm(b, x, { from: hidden, hidden, state: [of(states[0]), of(states[1])] });
    x = output;
    last.h.push(h);
    last.c.push(c);
  }
  b.output("target_length", "prednet_lengths");
  b.output(b.op("Concat", last.h, { axis: 0 }), next[0]);
  b.output(b.op("Concat", last.c, { axis: 0 }), next[1]);
  const is = (token: number) =>
    b.op("Cast", [b.op("Equal", ["targets", b.op("Cast", [b.int(token)], { to: 6 })])], { to: 1 });
  const mark = b.op("Unsqueeze", [b.op("Sub", [is(A), is(B)]), b.ints(2)]); // [B, 1, 1]
  const channel = new Float32Array(hidden);
  channel[0] = MARK;
  const marked = b.op("Add", [
    b.op("Transpose", [x], { perm: [1, 0, 2] }),
    b.op("Mul", [mark, b.table([hidden], channel)]),
  ]);
  return transposed(b, marked);
}

function embedded(b: GraphBuilder, shape: [number, number]): string {
  if (b.precision === "fp32") return b.op("Gather", [b.weights(shape, 1), "targets"]);
  const { name, scale, zero } = b.quantized(shape, 1);
  return b.op("DequantizeLinear", [b.op("Gather", [name, "targets"]), scale, zero]);
}

function joined(b: GraphBuilder, { sizes, durations }: Model, outputs: string): void {
  const { width, hidden, tokens } = sizes as Record<"width" | "hidden" | "tokens", number>;
  const scores = tokens + durations;
  const audio = transposed(b, "encoder_outputs");
  const text = transposed(b, outputs);
  const both = b.op("Add", [
    b.linear(audio, { from: width, to: hidden }),
    b.linear(text, { from: hidden, to: hidden }),
  ]);
  const scored = b.linear(b.op("Relu", [both]), { from: hidden, to: scores });
  const known = b.op("Add", [calledFor(b, [audio, text], scores), otherwise(b, { tokens, scores })]);
  const sum = b.op("Add", [b.op("Mul", [scored, b.float(0.001)]), known]);
  b.output(b.op("Unsqueeze", [sum, b.ints(2)]), "outputs");
}

/** The token that a frame's mark calls for, unless it was the last one. */
function calledFor(b: GraphBuilder, [audio, text]: [string, string], scores: number): string {
  const mark = (x: string, sign: number) => {
    const first = b.op("Slice", [x, b.ints(0), b.ints(1), b.ints(2)]);
    const large = b.op("Sub", [b.op("Mul", [first, b.float((sign * 2) / MARK)]), b.float(1)]);
    return b.op("Min", [b.op("Relu", [large]), b.float(1)]);
  };
  const token = (sign: number, id: number) => {
    const isNew = b.op("Sub", [b.float(1), mark(text, sign)]);
    return b.op("Mul", [
      b.op("Mul", [mark(audio, sign), isNew]),
      b.table([scores], only(scores, { [id]: 40 })),
    ]);
  };
  return b.op("Add", [token(1, A), token(-1, B)]);
}

const otherwise = (b: GraphBuilder, { tokens, scores }: { tokens: number; scores: number }): string =>
  b.table(
    [scores],
    only(scores, { [tokens - 1]: 20, ...(scores > tokens ? { [tokens + DURATION]: 20 } : {}) }),
  );

function only(count: number, values: Record<number, number>): Float32Array {
  const all = new Float32Array(count);
  for (const [index, value] of Object.entries(values)) all[Number(index)] = value;
  return all;
}
