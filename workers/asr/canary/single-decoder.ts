/**
 * Canary's decoder as sherpa-onnx exports it: one token of one sequence a run.
 *
 *   decoder_input_ids int32 [1, 2]: token, position    enc_states [1, F, d]    enc_mask bool [1, F]
 *   decoder_mems_list_{n} [1, P, d] ──> logits [1, 1, V], next_decoder_mem_list_{n} [1, P + 1, d]
 *
 * The published loop counts positions from 0 in the prompt, and again from 1 in the text, as the greedy search of NeMo.
 * Source: sherpa-onnx, offline-recognizer-canary-impl.h.
 */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { type Graph, openGraph, type Signature, type Tensor } from "../../onnx/session.ts";
import type { Hidden } from "./encoder.ts";
import type { CanaryDecoder, Sequences } from "./sequences.ts";

const MEMORIES = 6;
const VECTORS: Signature["inputs"][string] = { type: "float32", shape: [1, null, null] };
const numbered = <T>(name: string, value: (index: number) => T) =>
  Object.fromEntries(Array.from({ length: MEMORIES }, (_, index) => [`${name}_${index}`, value(index)]));

const SIGNATURE: Signature = {
  inputs: {
    decoder_input_ids: { type: "int32", shape: [1, null] },
    ...numbered("decoder_mems_list", () => VECTORS),
    enc_states: VECTORS,
    enc_mask: { type: "bool", shape: [1, null] },
  },
  outputs: {
    logits: VECTORS,
    ...numbered("next_decoder_mem_list", () => VECTORS),
  },
};

export async function openSingleDecoder(path: string, placement: Placement): Promise<CanaryDecoder> {
  const graph = await openGraph(path, SIGNATURE, placement);
  return (spans) => new SingleSequences(graph, spans);
}

type Sequence = { states: Tensor; mask: Tensor; memories: Tensor[] };

class SingleSequences implements Sequences {
  readonly #graph: Graph;
  #sequences: Sequence[];
  #steps = 0;

  constructor(graph: Graph, spans: Hidden[]) {
    this.#graph = graph;
    this.#sequences = spans.map((span) => begun(graph, span));
  }

  async step(tokens: number[][]): Promise<Float32Array[]> {
    const first = this.#steps++;
    const logits: Float32Array[] = [];
    for (const [index, sequence] of this.#sequences.entries()) {
      let last = new Float32Array(0) as Float32Array;
      for (const [offset, token] of tokens[index]!.entries())
        last = await this.#append(sequence, token, first + offset);
      logits.push(last);
    }
    return logits;
  }

  keep(indices: number[]): void {
    this.#sequences = indices.map((index) => this.#sequences[index]!);
  }

  async #append(sequence: Sequence, token: number, position: number): Promise<Float32Array> {
    const { session, Tensor } = this.#graph;
    const outputs = await session.run({
      decoder_input_ids: new Tensor("int32", Int32Array.of(token, position), [1, 2]),
      ...numbered("decoder_mems_list", (index) => sequence.memories[index]!),
      enc_states: sequence.states,
      enc_mask: sequence.mask,
    });
    sequence.memories = sequence.memories.map((_, index) => outputs[`next_decoder_mem_list_${index}`]!);
    return outputs.logits!.data as Float32Array;
  }
}

function begun({ Tensor }: Graph, { rows, count, width }: Hidden): Sequence {
  return {
    states: new Tensor("float32", rows, [1, count, width]),
    mask: new Tensor("bool", new Uint8Array(count).fill(1), [1, count]),
    memories: Array.from(
      { length: MEMORIES },
      () => new Tensor("float32", new Float32Array(0), [1, 0, width]),
    ),
  };
}
