/**
 * The engine of the family `smart-turn`: the probability that the speaker has finished and not only paused, by sound.
 *
 *   the last 8 s ──silence before them, mean 0, deviation 1──> Whisper's mel [1, 80, 800] ──> probability
 *
 * Source: pipecat-ai/smart-turn v3.
 */
import { workerData } from "piscina";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { EngineData } from "../../src/engine/protocol/engine-data.ts";
import type { TurnTask } from "../../src/engine/protocol/turn.ts";
import { standardize } from "../features/standardize.ts";
import { openWhisperFeatures } from "../features/whisper.ts";
import { openGraph } from "../onnx/session.ts";
import { transpose } from "../onnx/tensors.ts";

const SECONDS = 8;
const MELS = 80;
const FRAMES = 800;

const { files, placement } = workerData as EngineData;
const features = openWhisperFeatures(MELS, SECONDS);
const { session, Tensor } = await openGraph(
  files.model!,
  { inputs: { input_features: { type: "float32", shape: [null, MELS, FRAMES] } }, outputs: {} },
  placement,
);
const [output] = session.outputNames;
await detectTurnEnd({ kind: "turn", samples: new Float32Array(1) }); // the first run is the slowest

export default async function detectTurnEnd({ samples }: TurnTask): Promise<number> {
  const { rows } = features(standardize(lastSeconds(samples)));
  const mels = transpose(rows, { rows: FRAMES, columns: MELS });
  const answer = await session.run({ input_features: new Tensor("float32", mels, [1, MELS, FRAMES]) });
  return Number(answer[output!]!.data[0]);
}

/** The end of the samples, after silence where they are shorter. */
function lastSeconds(samples: Float32Array): Float32Array {
  const padded = new Float32Array(SECONDS * ASR_SAMPLE_RATE);
  const last = samples.subarray(-padded.length);
  padded.set(last, padded.length - last.length);
  return padded;
}
