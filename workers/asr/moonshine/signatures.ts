/** The ports of Moonshine's five graphs, in the sizes of its settings. */
import type { Signature } from "../../onnx/session.ts";
import type { MoonshineConfig } from "./config.ts";

export type Port = Signature["inputs"][string];
type State = { samples: number; frames: number };

/** Samples and frames of its convolutions that the frontend keeps. */
export const KEPT: State = { samples: 79, frames: 4 };

const floats = (...shape: (number | null)[]): Port => ({ type: "float32", shape });
const ONE: Port = { type: "int64", shape: [1] };

/** The outputs of a decoder that tells where it looks. */
export const attentionsOf = (depth: number): string[] =>
  Array.from({ length: depth }, (_, layer) => `cross_attentions.${layer}`);

/** `attends`: whether the decoder tells where it looks. */
export function signaturesOf(config: MoonshineConfig, attends = true) {
  const { encoder_dim, decoder_dim, depth, nheads, head_dim, d_model_frontend, c1, vocab_size } = config;
  const state = {
    sample_buffer: floats(1, KEPT.samples),
    sample_len: ONE,
    conv1_buffer: floats(1, d_model_frontend, KEPT.frames),
    conv2_buffer: floats(1, c1, KEPT.frames),
    frame_count: ONE,
  };
  const after = Object.fromEntries(Object.entries(state).map(([name, port]) => [`${name}_out`, port]));
  const attention: Port = { type: "float32", shape: null };
  const cache = floats(depth, 1, nheads, null, head_dim);
  const encoded = floats(1, null, encoder_dim);
  const memory = floats(1, null, decoder_dim);
  return {
    frontend: {
      inputs: { audio_chunk: floats(1, null), ...state },
      outputs: { features: encoded, ...after },
    },
    encoder: { inputs: { features: encoded }, outputs: { encoded } },
    adapter: { inputs: { encoded, pos_offset: ONE }, outputs: { memory } },
    cross: { inputs: { memory }, outputs: { k_cross: cache, v_cross: cache } },
    decoder: {
      inputs: {
        token: { type: "int64", shape: [1, null] },
        k_self: cache,
        v_self: cache,
        out_k_cross: cache,
        out_v_cross: cache,
      },
      outputs: {
        logits: floats(1, null, vocab_size),
        out_k_self: cache,
        out_v_self: cache,
        ...Object.fromEntries((attends ? attentionsOf(depth) : []).map((name) => [name, attention])),
      },
    },
  } satisfies Record<string, Signature>;
}
