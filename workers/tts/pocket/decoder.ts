/** The decoder of Pocket TTS: frames to samples, with states from run to run. */
import type { Placement } from "../../../src/engine/protocol/engine-data.ts";
import { readModelFile } from "../../../src/onnx/model-file.ts";
import { openGraph } from "../../onnx/session.ts";
import type { Bundle } from "./bundle.ts";
import { advanced, initialStates, outputsOf, type States, statesOf, withStates } from "./states.ts";

/** The encoder's part of the decoder graph's states, where no bundle names their modules. */
const FIXED_PLACES = { from: 25, to: 54, of: 56 };
const FIXED_MODULE = /^(encoder|downsample)/;

export async function openDecoder(path: string, bundle: Bundle, placement: Placement) {
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
