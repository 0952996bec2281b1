/**
 * Whisper's two graphs: an encoder of windows of 30 s, and a decoder that caches the keys and values of its attention.
 *
 *   input_features [B, mels, 3000] ──> last_hidden_state [B, 1500, d]
 *   input_ids [B, S], past … ──> logits [B, S, V], present …      first the whole prompt, then a token at a time
 *
 * The keys and values of the cross attention are kept from the first step: those of later steps are empty.
 */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { type Graph, type Outputs, openGraph, type Signature, type Tensor } from "../../onnx/session.ts";
import { select, stack, transpose } from "../../onnx/tensors.ts";

export type WhisperShape = { mels: number; width: number; layers: number; heads: number };

const FRAMES = 3000;
export const POSITIONS = 1500;
const HEAD = 64;

/** Logits [sequences, positions, vocabulary] of the new tokens. */
export type Scores = {
  logits: Float32Array;
  positions: number;
  vocabulary: number;
  /** One head's cross attention over the frames, at a sequence's last position; null: the export has none. */
  attention: ((sequence: number, layer: number, head: number) => Float32Array) | null;
};

/** Sequences of the same length, decoded as one batch. */
export type DecoderRun = {
  /** Appends tokens to every sequence. */
  step(tokens: number[][]): Promise<Scores>;
  /** Continues with these sequences only. */
  keep(sequences: number[]): void;
};

export type WhisperGraphs = {
  /** Features of windows, frames of `mels` each, to hidden states. */
  encode(windows: Float32Array[]): Promise<Float32Array[]>;
  /** A processor is as fast with one window at a time, and each takes 54 MB for each of its attention tensors. */
  encodesSeveral: boolean;
  /** A decoder run over hidden states, one a sequence. `attentionLayers`: those whose cross attention is wanted. */
  open(hidden: Float32Array[], attentionLayers?: readonly number[]): DecoderRun;
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
  const hasAttention = decoder.session.outputNames.includes("cross_attentions.0");

  async function encode(windows: Float32Array[]): Promise<Float32Array[]> {
    const features = new Float32Array(windows.length * mels * FRAMES);
    for (const [index, rows] of windows.entries())
      features.set(transpose(rows, { rows: FRAMES, columns: mels }), index * mels * FRAMES);
    const { last_hidden_state } = await encoder.session.run({
      input_features: new Tensor("float32", features, [windows.length, mels, FRAMES]),
    });
    const hidden = last_hidden_state!.data as Float32Array;
    return windows.map((_, index) =>
      hidden.slice(index * POSITIONS * width, (index + 1) * POSITIONS * width),
    );
  }

  return {
    encode,
    encodesSeveral: placement.devices.length > 0,
    open: (hidden, attentionLayers = []) =>
      new CachedRun(decoder, { ...shape, attentionLayers: hasAttention ? attentionLayers : [] }, hidden),
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
    { inputs, outputs: { logits: { type: "float32", shape: [null, null, null] } }, isVaried: true },
    placement,
  );
}

const KINDS = ["decoder.key", "decoder.value", "encoder.key", "encoder.value"];
const pastNames = (layers: number) =>
  Array.from({ length: layers }, (_, layer) =>
    KINDS.map((kind) => `past_key_values.${layer}.${kind}`),
  ).flat();

type RunShape = WhisperShape & { attentionLayers: readonly number[] };

class CachedRun implements DecoderRun {
  readonly #graph: Graph;
  readonly #shape: RunShape;
  #hidden: Tensor;
  #past: Feeds = {};
  readonly #outputs: string[];
  #count: number;

  constructor(graph: Graph, shape: RunShape, hidden: Float32Array[]) {
    this.#graph = graph;
    this.#shape = shape;
    this.#count = hidden.length;
    this.#outputs = [
      "logits",
      ...pastNames(shape.layers).map((name) => name.replace("past_key_values", "present")),
      ...shape.attentionLayers.map((layer) => `cross_attentions.${layer}`),
    ];
    this.#hidden = new graph.Tensor("float32", stack(hidden), [hidden.length, POSITIONS, shape.width]);
  }

  #feeds(tokens: number[][]): Feeds {
    const { Tensor } = this.#graph;
    const length = tokens[0]!.length;
    const isFirst = Object.keys(this.#past).length === 0;
    const { layers, heads } = this.#shape;
    const empty = () => new Tensor("float32", new Float32Array(0), [this.#count, heads, 0, HEAD]);
    return {
      input_ids: new Tensor("int64", BigInt64Array.from(tokens.flat(), BigInt), [this.#count, length]),
      encoder_hidden_states: this.#hidden,
      ...(isFirst ? Object.fromEntries(pastNames(layers).map((name) => [name, empty()])) : this.#past),
      use_cache_branch: new Tensor("bool", [!isFirst], [1]),
    };
  }

  async step(tokens: number[][]): Promise<Scores> {
    const answer = await this.#graph.session.run(this.#feeds(tokens), this.#outputs);
    this.#remember(answer);
    const { data, dims } = answer.logits!;
    return {
      logits: data as Float32Array,
      positions: dims[1]!,
      vocabulary: dims[2]!,
      attention: this.#attentionIn(answer),
    };
  }

  /** At the last position of each sequence. */
  #attentionIn(answer: Outputs): Scores["attention"] {
    const { attentionLayers, heads } = this.#shape;
    if (attentionLayers.length === 0) return null;
    return (sequence, layer, head) => {
      const { data, dims } = answer[`cross_attentions.${layer}`]!;
      const [, , positions, frames] = dims as [number, number, number, number];
      const end = (sequence * heads + head + 1) * positions * frames;
      return (data as Float32Array).subarray(end - frames, end);
    };
  }

  #remember(answer: Outputs): void {
    for (const name of pastNames(this.#shape.layers)) {
      const present = answer[name.replace("past_key_values", "present")] as Tensor;
      const isKept = name.includes(".encoder.") && this.#past[name] !== undefined;
      if (!isKept) this.#past[name] = present;
    }
  }

  keep(sequences: number[]): void {
    for (const [name, tensor] of Object.entries(this.#past))
      this.#past[name] = select(this.#graph, tensor, { indices: sequences });
    this.#hidden = select(this.#graph, this.#hidden, { indices: sequences });
    this.#count = sequences.length;
  }
}
