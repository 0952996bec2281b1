/**
 * The graphs of Moonshine that make a memory of sound, one stream in a run: their layout has no batch.
 *
 *   samples ─frontend─> features ─encoder─> encoded ─adapter─> memory
 *      weights ──┘ of a file of their own, where the export has taken them out of the graph
 *
 * 20 ms of sound are one feature, one encoded frame and one row of the memory. The frontend keeps a state; the encoder
 * reads frames on both sides; the adapter adds the place of each row.
 */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { type Graph, openGraph, type Tensor } from "../../onnx/session.ts";
import type { MoonshineConfig } from "./config.ts";
import { KEPT, type Port, signaturesOf } from "./signatures.ts";

/** What the frontend keeps of a stream, by the names of its inputs. */
export type FrontState = Record<string, Tensor>;

/** Inputs of the frontend that stay the same, by their names. */
type Weights = Record<string, Tensor>;
type Graphs = { frontend: Graph; encoder: Graph; adapter: Graph };

export class MoonshineEncoder {
  readonly #config: MoonshineConfig;
  readonly #graphs: Graphs;
  readonly #weights: Weights;

  private constructor(config: MoonshineConfig, graphs: Graphs, weights: Weights) {
    this.#config = config;
    this.#graphs = graphs;
    this.#weights = weights;
  }

  static async open(
    files: Record<string, string | undefined>,
    config: MoonshineConfig,
    placement: Placement,
  ): Promise<MoonshineEncoder> {
    const signatures = signaturesOf(config);
    const apart = files["frontend-weights"];
    const weights = apart === undefined ? {} : await weightsIn(apart);
    const { inputs, outputs } = signatures.frontend;
    const graphs = {
      frontend: await openGraph(
        files.frontend!,
        { inputs: { ...inputs, ...portsOf(weights) }, outputs },
        placement,
      ),
      encoder: await openGraph(files.encoder!, signatures.encoder, placement),
      adapter: await openGraph(files.adapter!, signatures.adapter, placement),
    };
    return new MoonshineEncoder(config, graphs, weights);
  }

  begin(): FrontState {
    const { d_model_frontend, c1 } = this.#config;
    const zeros = (dims: number[]) =>
      this.#floats(new Float32Array(dims.reduce((all, size) => all * size)), dims);
    return {
      sample_buffer: zeros([1, KEPT.samples]),
      sample_len: this.#whole(0),
      conv1_buffer: zeros([1, d_model_frontend, KEPT.frames]),
      conv2_buffer: zeros([1, c1, KEPT.frames]),
      frame_count: this.#whole(0),
    };
  }

  async front(
    state: FrontState,
    samples: Float32Array,
  ): Promise<{ features: Float32Array; state: FrontState }> {
    const audio_chunk = this.#floats(samples, [1, samples.length]);
    const answer = await this.#graphs.frontend.session.run({ audio_chunk, ...state, ...this.#weights });
    const next = Object.keys(state).map((name) => [name, answer[`${name}_out`] as Tensor]);
    return { features: answer.features!.data as Float32Array, state: Object.fromEntries(next) };
  }

  async encode(features: Float32Array): Promise<Float32Array> {
    const { encoder_dim } = this.#config;
    const tensor = this.#floats(features, [1, features.length / encoder_dim, encoder_dim]);
    const { encoded } = await this.#graphs.encoder.session.run({ features: tensor });
    return encoded!.data as Float32Array;
  }

  /** `place`: of the first row. */
  async adapt(encoded: Float32Array, place: number): Promise<Float32Array> {
    const { encoder_dim } = this.#config;
    const { memory } = await this.#graphs.adapter.session.run({
      encoded: this.#floats(encoded, [1, encoded.length / encoder_dim, encoder_dim]),
      pos_offset: this.#whole(place),
    });
    return memory!.data as Float32Array;
  }

  #floats(values: Float32Array, dims: number[]): Tensor {
    return new this.#graphs.frontend.Tensor("float32", values, dims);
  }

  #whole(value: number): Tensor {
    return new this.#graphs.frontend.Tensor("int64", BigInt64Array.of(BigInt(value)), [1]);
  }
}

const portsOf = (weights: Weights): Record<string, Port> =>
  Object.fromEntries(
    Object.entries(weights).map(([name, { dims }]) => [name, { type: "float32", shape: [...dims] }]),
  );

/** What a graph without inputs gives, which is bytes in its file; copied, so that the graph can be closed. */
async function weightsIn(path: string): Promise<Weights> {
  const { session, Tensor } = await openGraph(path, { inputs: {}, outputs: {} });
  const outputs = Object.entries(await session.run({})).map(
    ([name, { type, data, dims }]): [string, Tensor] => {
      if (type !== "float32")
        throw new Error(`this is another model: the weight ${name} is ${type}, not float32`);
      return [name, new Tensor("float32", Float32Array.from(data as Float32Array), dims)];
    },
  );
  await session.release();
  return Object.fromEntries(outputs);
}
