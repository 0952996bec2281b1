/**
 * The graphs of Moonshine that read a memory: its keys and values, made once, and the logits of the next token.
 *
 *   memory ─cross─> keys, values      tokens, past, keys, values ─decoder─> logits, past, attention
 */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { type Graph, openGraph, type Tensor } from "../../onnx/session.ts";
import type { MoonshineConfig } from "./config.ts";
import { attentionsOf, signaturesOf } from "./signatures.ts";

/** Keys and values of the memory, and how many rows it has. */
export type Cross = { keys: Tensor; values: Tensor; rows: number };
/** Keys and values of the tokens so far, [layers, 1, heads, tokens, size]. */
type Past = { keys: Tensor; values: Tensor };
/** What the decoder attends to; `aligned`: with its attention. */
type Reading = { cross: Cross; aligned: boolean };

export type Step = {
  /** One row of the vocabulary for each new token. */
  logits: Float32Array[];
  past: Past;
  /** Over the rows of the memory, of each head of each layer, at the place of a new token; empty: not asked for. */
  attention: (place: number) => Float32Array[];
};

export class MoonshineDecoder {
  readonly config: MoonshineConfig;
  readonly #cross: Graph;
  readonly #decoder: Graph;
  readonly #attentions: string[];

  private constructor(config: MoonshineConfig, cross: Graph, decoder: Graph) {
    this.config = config;
    this.#cross = cross;
    this.#decoder = decoder;
    this.#attentions = attentionsOf(config.depth);
  }

  static async open(
    files: Record<string, string | undefined>,
    config: MoonshineConfig,
    placement: Placement,
  ): Promise<MoonshineDecoder> {
    const signatures = signaturesOf(config, config.attends);
    const cross = await openGraph(files.cross!, signatures.cross, placement);
    return new MoonshineDecoder(
      config,
      cross,
      await openGraph(files.decoder!, signatures.decoder, placement),
    );
  }

  async cross(memory: Float32Array): Promise<Cross> {
    const { decoder_dim } = this.config;
    const rows = memory.length / decoder_dim;
    const tensor = this.#floats(memory, [1, rows, decoder_dim]);
    const { k_cross, v_cross } = await this.#cross.session.run({ memory: tensor });
    return { keys: k_cross as Tensor, values: v_cross as Tensor, rows };
  }

  /** `past` null: of the first tokens. */
  async step(tokens: readonly number[], past: Past | null, { cross, aligned }: Reading): Promise<Step> {
    const { depth, nheads, head_dim } = this.config;
    const none = () => this.#floats(new Float32Array(0), [depth, 1, nheads, 0, head_dim]);
    const attentions = aligned ? this.#attentions : [];
    const answer = await this.#decoder.session.run(
      {
        token: new this.#decoder.Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
        k_self: past?.keys ?? none(),
        v_self: past?.values ?? none(),
        out_k_cross: cross.keys,
        out_v_cross: cross.values,
      },
      ["logits", "out_k_self", "out_v_self", ...attentions],
    );
    const logits = answer.logits!.data as Float32Array;
    const size = logits.length / tokens.length;
    const layers = attentions.map((name) => answer[name] as Tensor);
    return {
      logits: tokens.map((_, at) => logits.subarray(at * size, (at + 1) * size)),
      past: { keys: answer.out_k_self as Tensor, values: answer.out_v_self as Tensor },
      attention: (place) => layers.flatMap((layer) => rowsAt(layer, place, tokens.length)),
    };
  }

  /** The past of the first so many tokens. */
  cut({ keys, values }: Past, tokens: number): Past {
    return { keys: this.#firstOf(keys, tokens), values: this.#firstOf(values, tokens) };
  }

  #firstOf({ data, dims }: Tensor, tokens: number): Tensor {
    const { depth, nheads, head_dim } = this.config;
    const [length, size] = [dims[3]! * head_dim, tokens * head_dim];
    const kept = new Float32Array(depth * nheads * size);
    for (let head = 0; head < depth * nheads; head++)
      kept.set((data as Float32Array).subarray(head * length, head * length + size), head * size);
    return this.#floats(kept, [depth, 1, nheads, tokens, head_dim]);
  }

  #floats(values: Float32Array, dims: number[]): Tensor {
    return new this.#decoder.Tensor("float32", values, dims);
  }
}

/** Of [heads, places, rows], the rows of each head at one place. */
function rowsAt({ data, dims }: Tensor, place: number, places: number): Float32Array[] {
  const rows = dims.at(-1)!;
  return Array.from({ length: data.length / (places * rows) }, (_, head) => {
    const start = (head * places + place) * rows;
    return (data as Float32Array).subarray(start, start + rows);
  });
}
