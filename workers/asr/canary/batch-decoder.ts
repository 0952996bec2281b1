/**
 * Canary's decoder as onnx-asr exports it: many sequences a run, first their prompts, then a token of each.
 *
 *   input_ids int64 [B, n]    encoder_embeddings [B, F, d]    encoder_mask int64 [B, F]
 *   decoder_mems [L, B, P, d] ──> logits [B, 1, V], decoder_hidden_states [L, B, P + n, d]
 *
 * Source: onnx-asr, models/nemo.py.
 */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { type Graph, openGraph, type Tensor } from "../../onnx/session.ts";
import { select } from "../../onnx/tensors.ts";
import type { Hidden } from "./encoder.ts";
import type { CanaryDecoder, Sequences } from "./sequences.ts";

export async function openBatchDecoder(path: string, placement: Placement): Promise<CanaryDecoder> {
  const graph = await openGraph(
    path,
    {
      inputs: {
        input_ids: { type: "int64", shape: [null, null] },
        encoder_embeddings: { type: "float32", shape: [null, null, null] },
        encoder_mask: { type: "int64", shape: [null, null] },
        decoder_mems: { type: "float32", shape: [null, null, null, null] },
      },
      outputs: {
        logits: { type: "float32", shape: [null, null, null] },
        decoder_hidden_states: { type: "float32", shape: [null, null, null, null] },
      },
    },
    placement,
  );
  const layers = layersOf(graph);
  return (spans) => new BatchSequences(graph, layers, spans);
}

function layersOf({ session }: Graph): number {
  const port = session.inputMetadata.find(({ name }) => name === "decoder_mems")!;
  const layers = port.isTensor ? port.shape[0] : null;
  if (typeof layers !== "number") throw new Error("this is another model: its layers are not known");
  return layers;
}

class BatchSequences implements Sequences {
  readonly #graph: Graph;
  #embeddings: Tensor;
  #mask: Tensor;
  #memories: Tensor;

  constructor(graph: Graph, layers: number, spans: Hidden[]) {
    const { Tensor } = graph;
    const { width } = spans[0]!;
    const longest = Math.max(...spans.map(({ count }) => count));
    const embeddings = new Float32Array(spans.length * longest * width);
    const mask = new BigInt64Array(spans.length * longest);
    for (const [index, { rows, count }] of spans.entries()) {
      embeddings.set(rows, index * longest * width);
      mask.fill(1n, index * longest, index * longest + count);
    }
    this.#graph = graph;
    this.#embeddings = new Tensor("float32", embeddings, [spans.length, longest, width]);
    this.#mask = new Tensor("int64", mask, [spans.length, longest]);
    this.#memories = new Tensor("float32", new Float32Array(0), [layers, spans.length, 0, width]);
  }

  async step(tokens: number[][]): Promise<Float32Array[]> {
    const { session, Tensor } = this.#graph;
    const ids = BigInt64Array.from(tokens.flat(), BigInt);
    const outputs = await session.run({
      input_ids: new Tensor("int64", ids, [tokens.length, tokens[0]!.length]),
      encoder_embeddings: this.#embeddings,
      encoder_mask: this.#mask,
      decoder_mems: this.#memories,
    });
    this.#memories = outputs.decoder_hidden_states!;
    const { data, dims } = outputs.logits!;
    const [, positions, vocabulary] = dims as [number, number, number];
    return tokens.map((_, index) => {
      const end = (index + 1) * positions * vocabulary;
      return (data as Float32Array).subarray(end - vocabulary, end);
    });
  }

  keep(indices: number[]): void {
    this.#embeddings = select(this.#graph, this.#embeddings, { indices });
    this.#mask = select(this.#graph, this.#mask, { indices });
    this.#memories = select(this.#graph, this.#memories, { indices, axis: 1 });
  }
}
