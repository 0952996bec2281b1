/**
 * The five graphs of Pocket TTS, with plain values in and out.
 *
 *   tokens ──text──> rows ┐
 *   voice ──encoder──> rows ┴──main, with states──> conditioning ──flow──> latent ──decoder, with states──> 1920 samples
 *                                ^───────────────────────────────────────────┘
 */

import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { readModelFile } from "../../../src/onnx/model-file.ts";
import { openGraph, type Signature } from "../../onnx/session.ts";
import type { Bundle } from "./bundle.ts";
import { openMain } from "./main.ts";
import { advanced, initialStates, outputsOf, type States, statesOf, withStates } from "./states.ts";

export type PocketGraphs = Awaited<ReturnType<typeof openPocketGraphs>>;

type Files = Record<string, string | undefined>;

export async function openPocketGraphs(files: Files, bundle: Bundle, placement: Placement) {
  const { conditioning_dim: WIDTH } = bundle;
  const float = (shape: (number | null)[] | null): Signature["inputs"][string] => ({
    type: "float32",
    shape,
  });
  const open = (role: string, inputs: Signature["inputs"], outputs: Signature["outputs"]) =>
    openGraph(files[role]!, { inputs, outputs }, placement);
  const text = await open(
    "text",
    { token_ids: { type: "int64", shape: [1, null] } },
    { embeddings: float(null) },
  );
  const encoder = await open("encoder", { audio: float([1, 1, null]) }, { latents: float([1, null, WIDTH]) });
  const draw = await openFlow(files.flow!, bundle, placement);
  const main = await openMain(files.main!, bundle, placement);
  const decoder = await openDecoder(files.decoder!, bundle, placement);
  const { Tensor } = text;

  return {
    main,
    decoder,

    /** Rows of `WIDTH`. */
    async embed(tokens: readonly number[]): Promise<Float32Array> {
      const ids = new Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]);
      const { embeddings } = await text.session.run({ token_ids: ids });
      return embeddings!.data as Float32Array;
    },

    /** Rows of `WIDTH`, one for each frame of the samples, which are padded to whole frames. */
    async encode(samples: Float32Array): Promise<Float32Array> {
      const frame = bundle.samples_per_frame;
      const padded = new Float32Array(Math.ceil(samples.length / frame) * frame);
      padded.set(samples);
      const audio = new Tensor("float32", padded, [1, 1, padded.length]);
      const { latents } = await encoder.session.run({ audio });
      return latents!.data as Float32Array;
    },

    draw,
  };
}

async function openFlow(path: string, bundle: Bundle, placement: Placement) {
  const { latent_dim: LATENT, conditioning_dim: WIDTH } = bundle;
  const float = (shape: (number | null)[]): Signature["inputs"][string] => ({ type: "float32", shape });
  const { session, Tensor } = await openGraph(
    path,
    {
      inputs: { c: float([null, WIDTH]), s: float([null, 1]), t: float([null, 1]), x: float([null, LATENT]) },
      outputs: { flow_dir: float([null, LATENT]) },
    },
    placement,
  );
  const single = (value: number) => new Tensor("float32", Float32Array.of(value), [1, 1]);

  /** A frame: from noise along the directions of the graph, in so many steps. */
  return async (conditioning: Float32Array, noise: Float32Array, steps: number): Promise<Float32Array> => {
    const c = new Tensor("float32", conditioning, [1, WIDTH]);
    const x = Float32Array.from(noise);
    for (let step = 0; step < steps; step++) {
      const { flow_dir } = await session.run({
        c,
        s: single(step / steps),
        t: single((step + 1) / steps),
        x: new Tensor("float32", x, [1, LATENT]),
      });
      const direction = flow_dir!.data as Float32Array;
      for (let at = 0; at < LATENT; at++) x[at]! += direction[at]! / steps;
    }
    return x;
  };
}

/** The encoder's part of the decoder graph's states, where no bundle names their modules. */
const FIXED_PLACES = { from: 25, to: 54, of: 56 };
const FIXED_MODULE = /^(encoder|downsample)/;

/** The decoder of Pocket TTS: frames to samples, with states from run to run. */
async function openDecoder(path: string, bundle: Bundle, placement: Placement) {
  const { latent_dim: LATENT, samples_per_frame: FRAME } = bundle;
  const { inputs } = readModelFile(path);
  const isUsual = inputs.filter(({ name }) => name.startsWith("state_")).length === FIXED_PLACES.of;
  const states = statesOf(inputs, {
    entries: bundle.mimi_state_manifest,
    fixed: (module, place) =>
      module === null
        ? isUsual && place >= FIXED_PLACES.from && place <= FIXED_PLACES.to
        : FIXED_MODULE.test(module),
  });
  const graph = await openGraph(
    path,
    withStates(
      {
        inputs: { latent: { type: "float32", shape: [1, null, LATENT] } },
        outputs: { audio_frame: { type: "float32", shape: null } },
      },
      states,
    ),
    placement,
  );
  const { session, Tensor } = graph;
  const outputs = outputsOf(["audio_frame"], states);
  return {
    initial: () => initialStates(graph, states),
    async decode(before: States, latents: Float32Array): Promise<{ samples: Float32Array; states: States }> {
      const count = latents.length / LATENT;
      const latent = new Tensor("float32", latents, [1, count, LATENT]);
      const result = await session.run({ latent, ...before }, outputs);
      const samples = result.audio_frame!.data as Float32Array;
      if (samples.length !== count * FRAME) throw new Error("the decoder returned another number of samples");
      return { samples, states: advanced(before, result) };
    },
  };
}
