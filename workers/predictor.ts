/**
 * What a NeMo transducer says next: its prediction network and joint, in one graph or in two.
 *
 *   encoder frame [B, D, 1], last token [B, 1], LSTM state 2 x [L, B, H] ──> scores of tokens, and of durations for TDT
 *
 * Many utterances ask in one run. The prediction network runs again only for those that said a token.
 */
import type { Placement } from "../src/catalog/package.ts";
import { TransducerPath, type TransducerRules } from "../src/decoding/transducer.ts";
import { type Graph, openGraph, type Signature } from "./onnx.ts";

/** An utterance under way: frames of `size` values each, one after the other. */
export type Search = { path: TransducerPath; frames: Float32Array; count: number; memory: Memory };

/** What the prediction network remembers: its state, and for graphs in two what it last said. */
type Memory = { state: Float32Array[]; said: { output: Float32Array; state: Float32Array[] } | null };

export type Predictor = {
  begin(rules: TransducerRules): Pick<Search, "path" | "memory">;
  /** Every search to the end of its frames. */
  run(searches: Search[]): Promise<void>;
};

type Files = { joint: string } | { decoder: string; joiner: string };

/** `tokens` counts the blank; what a run says beyond them are durations. */
export async function openPredictor(files: Files, tokens: number, placement: Placement): Promise<Predictor> {
  const step = "joint" in files ? await openJoint(files.joint, placement) : await openSplit(files, placement);
  return {
    begin: (rules) => ({ path: new TransducerPath(rules), memory: { state: step.silence(), said: null } }),
    async run(searches) {
      for (;;) {
        const active = searches.filter(({ path, count }) => path.frame < count);
        if (active.length === 0) return;
        const { scores, width, accept } = await step.ask(active);
        for (const [at, search] of active.entries()) {
          const row = scores.subarray(at * width, (at + 1) * width);
          const durations = width > tokens ? row.subarray(tokens) : null;
          if (search.path.take(row.subarray(0, tokens), durations)) accept(search, at);
        }
      }
    },
  };
}

type Step = {
  silence(): Float32Array[];
  ask(searches: Search[]): Promise<{
    scores: Float32Array;
    width: number;
    /** The search at this place of the run said a token. */
    accept(search: Search, at: number): void;
  }>;
};

const JOINT: Signature = {
  inputs: {
    encoder_outputs: { type: "float32", shape: [null, null, null] },
    targets: { type: "int32", shape: [null, null] },
    target_length: { type: "int32", shape: [null] },
    input_states_1: { type: "float32", shape: [null, null, null] },
    input_states_2: { type: "float32", shape: [null, null, null] },
  },
  outputs: {
    outputs: { type: "float32", shape: [null, null, null, null] },
    output_states_1: { type: "float32", shape: [null, null, null] },
    output_states_2: { type: "float32", shape: [null, null, null] },
  },
};

async function openJoint(path: string, placement: Placement): Promise<Step> {
  const graph = await openGraph(path, JOINT, placement);
  const shapes = statesOf(graph, ["input_states_1", "input_states_2"]);
  return {
    silence: () => shapes.map(({ layers, hidden }) => new Float32Array(layers * hidden)),
    async ask(searches) {
      const count = searches.length;
      const { Tensor, session } = graph;
      const states = shapes.map((shape, which) =>
        gathered(
          graph,
          shape,
          searches.map(({ memory }) => memory.state[which]!),
        ),
      );
      const { outputs, output_states_1, output_states_2 } = await session.run({
        encoder_outputs: framesOf(graph, searches),
        targets: new Tensor(
          "int32",
          Int32Array.from(searches, ({ path }) => path.token),
          [count, 1],
        ),
        target_length: new Tensor("int32", new Int32Array(count).fill(1), [count]),
        input_states_1: states[0]!,
        input_states_2: states[1]!,
      });
      const next = [output_states_1!, output_states_2!].map(({ data }) => data as Float32Array);
      return {
        scores: outputs!.data as Float32Array,
        width: outputs!.dims.at(-1)!,
        accept({ memory }, at) {
          for (const [which, shape] of shapes.entries())
            copyOut(next[which]!, memory.state[which]!, { ...shape, at, count });
        },
      };
    },
  };
}

const DECODER: Signature = {
  inputs: {
    targets: { type: "int32", shape: [null, null] },
    target_length: { type: "int32", shape: [null] },
  },
  outputs: {},
  more: {
    inputs: [
      { type: "float32", shape: [null, null, null] },
      { type: "float32", shape: [null, null, null] },
    ],
    outputs: [{ type: "float32", shape: [null, null, null] }],
  },
};

const JOINER: Signature = {
  inputs: {
    encoder_outputs: { type: "float32", shape: [null, null, null] },
    decoder_outputs: { type: "float32", shape: [null, null, null] },
  },
  outputs: {},
  more: { inputs: [], outputs: [{ type: "float32", shape: [null, null, null, null] }] },
};

/** Names of states differ from export to export: their order does not. */
async function openSplit(files: { decoder: string; joiner: string }, placement: Placement): Promise<Step> {
  const decoder = await openGraph(files.decoder, DECODER, placement);
  const joiner = await openGraph(files.joiner, JOINER, placement);
  const [, , first, second] = decoder.session.inputNames;
  const names = [first!, second!];
  const shapes = statesOf(decoder, names);
  const [saidName, , ...nextNames] = decoder.session.outputNames;
  const scoresName = joiner.session.outputNames[0]!;

  async function say(searches: Search[]): Promise<void> {
    const count = searches.length;
    if (count === 0) return;
    const { Tensor, session } = decoder;
    const states = shapes.map((shape, which) =>
      gathered(
        decoder,
        shape,
        searches.map(({ memory }) => memory.state[which]!),
      ),
    );
    const answer = await session.run({
      targets: new Tensor(
        "int32",
        Int32Array.from(searches, ({ path }) => path.token),
        [count, 1],
      ),
      target_length: new Tensor("int32", new Int32Array(count).fill(1), [count]),
      [names[0]!]: states[0]!,
      [names[1]!]: states[1]!,
    });
    const said = answer[saidName!]!.data as Float32Array;
    const width = said.length / count;
    for (const [at, { memory }] of searches.entries()) {
      const state = shapes.map((shape, which) => {
        const next = new Float32Array(shape.layers * shape.hidden);
        copyOut(answer[nextNames[which]!]!.data as Float32Array, next, { ...shape, at, count });
        return next;
      });
      memory.said = { output: said.slice(at * width, (at + 1) * width), state };
    }
  }

  return {
    silence: () => shapes.map(({ layers, hidden }) => new Float32Array(layers * hidden)),
    async ask(searches) {
      await say(searches.filter(({ memory }) => memory.said === null));
      const outputs = searches.map(({ memory }) => memory.said!.output);
      const width = outputs[0]!.length;
      const { [scoresName]: scores } = await joiner.session.run({
        encoder_outputs: framesOf(joiner, searches),
        decoder_outputs: new joiner.Tensor("float32", side(outputs), [searches.length, width, 1]),
      });
      return {
        scores: scores!.data as Float32Array,
        width: scores!.dims.at(-1)!,
        accept({ memory }) {
          memory.state = memory.said!.state;
          memory.said = null;
        },
      };
    },
  };
}

type Shape = { layers: number; hidden: number };

function statesOf({ session }: Graph, names: string[]): Shape[] {
  return names.map((name) => {
    const port = session.inputMetadata.find((each) => each.name === name)!;
    const [layers, , hidden] = port.isTensor ? port.shape : [];
    if (typeof layers !== "number" || typeof hidden !== "number")
      throw new Error(`this is another model: the size of input ${name} is open`);
    return { layers, hidden };
  });
}

/** The frame each search is at: [B, D, 1]. */
function framesOf({ Tensor }: Graph, searches: Search[]) {
  const size = searches[0]!.frames.length / searches[0]!.count;
  const rows = searches.map(({ frames, path }) =>
    frames.subarray(path.frame * size, (path.frame + 1) * size),
  );
  return new Tensor("float32", side(rows), [searches.length, size, 1]);
}

function side(rows: Float32Array[]): Float32Array {
  const whole = new Float32Array(rows.length * rows[0]!.length);
  for (const [at, row] of rows.entries()) whole.set(row, at * row.length);
  return whole;
}

/** States of [L, H] each as one of [L, B, H]. */
function gathered({ Tensor }: Graph, { layers, hidden }: Shape, states: Float32Array[]) {
  const count = states.length;
  const whole = new Float32Array(layers * count * hidden);
  for (const [at, state] of states.entries())
    for (let layer = 0; layer < layers; layer++)
      whole.set(state.subarray(layer * hidden, (layer + 1) * hidden), (layer * count + at) * hidden);
  return new Tensor("float32", whole, [layers, count, hidden]);
}

/** One state of [L, H] out of [L, B, H]. */
function copyOut(
  from: Float32Array,
  to: Float32Array,
  { layers, hidden, at, count }: Shape & { at: number; count: number },
): void {
  for (let layer = 0; layer < layers; layer++) {
    const start = (layer * count + at) * hidden;
    to.set(from.subarray(start, start + hidden), layer * hidden);
  }
}
