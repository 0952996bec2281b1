/**
 * The graph of pyannote's segmentation: windows of ten seconds, several at once, to who is active in each frame.
 *
 *   x [N, 1, 160000] ──> y [N, 589, 7]
 */
import { WINDOW_FRAMES, WINDOW_SAMPLES } from "../../src/engine/protocol/diarization.ts";
import type { Placement } from "../../src/engine/protocol/engine-data.ts";
import { readModelFile } from "../../src/onnx/model-file.ts";
import { openGraph } from "../onnx/session.ts";
import { activityOf, CLASSES } from "./activity.ts";

const BATCH_MAX = 8;

/** What the file must declare, where it declares anything. */
const SHAPE = {
  sample_rate: 16_000,
  window_size: WINDOW_SAMPLES,
  receptive_field_shift: 270,
  num_classes: CLASSES,
};

/** Activity by window. Windows begin `step` samples apart; silence fills the last. */
export type Segmentation = (
  samples: Float32Array,
  layout: { count: number; step: number },
) => Promise<Uint8Array[]>;

export async function openSegmentation(path: string, placement: Placement): Promise<Segmentation> {
  const { metadata } = readModelFile(path);
  for (const [name, expected] of Object.entries(SHAPE))
    if (metadata[name] !== undefined && Number(metadata[name]) !== expected)
      throw new Error(
        `this is another model: its ${name} is ${metadata[name].slice(0, 100)}, not ${expected}`,
      );
  const { session, Tensor } = await openGraph(
    path,
    {
      inputs: { x: { type: "float32", shape: [null, 1, null] } },
      outputs: { y: { type: "float32", shape: [null, null, CLASSES] } },
    },
    placement,
  );
  const run = async (windows: Float32Array, count: number): Promise<Uint8Array[]> => {
    const { y } = await session.run({ x: new Tensor("float32", windows, [count, 1, WINDOW_SAMPLES]) });
    if (y!.dims[1] !== WINDOW_FRAMES)
      throw new Error(`a window has ${y!.dims[1]} frames, not ${WINDOW_FRAMES}`);
    const scores = y!.data as Float32Array;
    const size = WINDOW_FRAMES * CLASSES;
    return Array.from({ length: count }, (_, at) => activityOf(scores.subarray(at * size, (at + 1) * size)));
  };
  return async (samples, { count, step }) => {
    const all: Uint8Array[] = [];
    for (let first = 0; first < count; first += BATCH_MAX) {
      const some = Math.min(BATCH_MAX, count - first);
      const windows = new Float32Array(some * WINDOW_SAMPLES);
      for (let at = 0; at < some; at++) {
        const from = (first + at) * step;
        windows.set(samples.subarray(from, from + WINDOW_SAMPLES), at * WINDOW_SAMPLES);
      }
      all.push(...(await run(windows, some)));
    }
    return all;
  };
}
