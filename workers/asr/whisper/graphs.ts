/**
 * Whisper's two graphs: an encoder of windows of 30 s, and a decoder that keeps what it has read.
 *
 *   input_features [B, mels, 3000] ──> last_hidden_state [B, 1500, d]
 *   input_ids [B, S], past … ──> logits [B, S, V], present …      first the whole prompt, then a token at a time
 *
 * Of the cross attention's keys and values the first answer's are kept: later ones are empty.
 */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { type Graph, type Outputs, openGraph, type Signature, type Tensor } from "../../onnx/session.ts";
import { stack, transpose } from "../../onnx/tensors.ts";

/** `layersWatched`: those whose attention is wanted. */
export type WhisperShape = {
  mels: number;
  width: number;
  layers: number;
  heads: number;
  layersWatched: readonly number[];
};

const FRAMES = 3000;
export const POSITIONS = 1500;
const HEAD = 64;

/** Of every text's new tokens; `looked` is where a head looked while it read the last of them, where the export tells. */
export type Scores = {
  logits: Float32Array;
  rows: number;
  vocabulary: number;
  looked: ((text: number, layer: number, head: number) => Float32Array) | null;
};

/** Texts under way in one run, all as long as each other. */
export type Reading = {
  /** Every row's next tokens; answers the scores after each of them. */
  read(tokens: number[][]): Promise<Scores>;
  /** Goes on with these rows alone. */
  keep(rows: number[]): void;
};

export type WhisperGraphs = {
  /** Features of a window each, frames of `mels`, to what the decoder looks at. */
  encode(windows: Float32Array[]): Promise<Float32Array[]>;
  open(hidden: Float32Array[]): Reading;
};

type Feeds = Record<string, Tensor>;

export async function openWhisperGraphs(
  paths: { encoder: string; decoder: string },
  shape: WhisperShape,
  placement: Placement,
): Promise<WhisperGraphs> {
  const { mels, width } = shape;
  const encoder = await openGraph(
    paths.encoder,
    {
      inputs: { input_features: { type: "float32", shape: [null, mels, null] } },
      outputs: { last_hidden_state: { type: "float32", shape: [null, null, width] } },
    },
    placement,
  );
  const decoder = await openDecoder(paths.decoder, shape, placement);
  const { Tensor } = decoder;
  const looks = decoder.session.outputNames.includes("cross_attentions.0");

  return {
    async encode(windows) {
      const features = new Float32Array(windows.length * mels * FRAMES);
      for (const [at, rows] of windows.entries())
        features.set(transpose(rows, { rows: FRAMES, columns: mels }), at * mels * FRAMES);
      const { last_hidden_state } = await encoder.session.run({
        input_features: new Tensor("float32", features, [windows.length, mels, FRAMES]),
      });
      const hidden = last_hidden_state!.data as Float32Array;
      return windows.map((_, at) => hidden.slice(at * POSITIONS * width, (at + 1) * POSITIONS * width));
    },
    open: (hidden) =>
      new Cached(decoder, { ...shape, layersWatched: looks ? shape.layersWatched : [] }, hidden),
  };
}

function openDecoder(
  path: string,
  { width, layers, heads }: WhisperShape,
  placement: Placement,
): Promise<Graph> {
  const cache: Signature["inputs"][string] = { type: "float32", shape: [null, heads, null, HEAD] };
  const inputs = {
    input_ids: { type: "int64", shape: [null, null] },
    encoder_hidden_states: { type: "float32", shape: [null, null, width] },
    ...Object.fromEntries(pastNames(layers).map((name) => [name, cache])),
    use_cache_branch: { type: "bool", shape: [1] },
  } satisfies Signature["inputs"];
  return openGraph(
    path,
    { inputs, outputs: { logits: { type: "float32", shape: [null, null, null] } } },
    placement,
  );
}

const KINDS = ["decoder.key", "decoder.value", "encoder.key", "encoder.value"];
const pastNames = (layers: number) =>
  Array.from({ length: layers }, (_, layer) =>
    KINDS.map((kind) => `past_key_values.${layer}.${kind}`),
  ).flat();

class Cached implements Reading {
  readonly #graph: Graph;
  readonly #shape: WhisperShape;
  #hidden: Tensor;
  #past: Feeds = {};
  readonly #wanted: string[];
  #count: number;

  constructor(graph: Graph, shape: WhisperShape, hidden: Float32Array[]) {
    this.#graph = graph;
    this.#shape = shape;
    this.#count = hidden.length;
    this.#wanted = [
      "logits",
      ...pastNames(shape.layers).map((name) => name.replace("past_key_values", "present")),
      ...shape.layersWatched.map((layer) => `cross_attentions.${layer}`),
    ];
    this.#hidden = new graph.Tensor("float32", stack(hidden), [hidden.length, POSITIONS, shape.width]);
  }

  #feeds(tokens: number[][]): Feeds {
    const { Tensor } = this.#graph;
    const length = tokens[0]!.length;
    const isFirst = Object.keys(this.#past).length === 0;
    const { layers, heads } = this.#shape;
    const nothing = () => new Tensor("float32", new Float32Array(0), [this.#count, heads, 0, HEAD]);
    return {
      input_ids: new Tensor("int64", BigInt64Array.from(tokens.flat(), BigInt), [this.#count, length]),
      encoder_hidden_states: this.#hidden,
      ...(isFirst ? Object.fromEntries(pastNames(layers).map((name) => [name, nothing()])) : this.#past),
      use_cache_branch: new Tensor("bool", [!isFirst], [1]),
    };
  }

  async read(tokens: number[][]): Promise<Scores> {
    const answer = await this.#graph.session.run(this.#feeds(tokens), this.#wanted);
    this.#remember(answer);
    const { data, dims } = answer.logits!;
    return {
      logits: data as Float32Array,
      rows: dims[1]!,
      vocabulary: dims[2]!,
      looked: this.#lookedIn(answer),
    };
  }

  /** The last row of each text. */
  #lookedIn(answer: Outputs): Scores["looked"] {
    const { layersWatched, heads } = this.#shape;
    if (layersWatched.length === 0) return null;
    return (text, layer, head) => {
      const { data, dims } = answer[`cross_attentions.${layer}`]!;
      const [, , rows, positions] = dims as [number, number, number, number];
      const end = ((text * heads + head) * rows + rows) * positions;
      return (data as Float32Array).subarray(end - positions, end);
    };
  }

  #remember(answer: Outputs): void {
    for (const name of pastNames(this.#shape.layers)) {
      const present = answer[name.replace("past_key_values", "present")] as Tensor;
      const isKept = name.includes(".encoder.") && this.#past[name] !== undefined;
      if (!isKept) this.#past[name] = present;
    }
  }

  keep(rows: number[]): void {
    for (const [name, tensor] of Object.entries(this.#past)) this.#past[name] = this.#rowsOf(tensor, rows);
    this.#hidden = this.#rowsOf(this.#hidden, rows);
    this.#count = rows.length;
  }

  #rowsOf(tensor: Tensor, rows: number[]): Tensor {
    const [, ...sizes] = tensor.dims;
    const size = sizes.reduce((all, each) => all * each, 1);
    const values = new Float32Array(rows.length * size);
    for (const [at, row] of rows.entries())
      values.set((tensor.data as Float32Array).subarray(row * size, (row + 1) * size), at * size);
    return new this.#graph.Tensor("float32", values, [rows.length, ...sizes]);
  }
}
