/**
 * The engine of the family `pyannote`: who spoke when, without knowing any of them.
 *
 *   windows ──segmentation──> up to three speakers each ──embedding of what each says alone──┐
 *   recording <──turns── speakers <──clusters of embeddings, of all windows─────────────────┘
 *
 * Sources: pyannote segmentation-3.0; the offline algorithm and constants of sherpa-onnx.
 */
import { workerData } from "piscina";
import { joinAll } from "../../src/audio/pcm.ts";
import type { OptionsOf } from "../../src/engine/families/families.ts";
import {
  type Diarization,
  type SpeakersTask,
  type VoiceResult,
  type VoiceTask,
  WINDOW_FRAMES,
  type WindowsResult,
  type WindowsTask,
} from "../../src/engine/protocol/diarization.ts";
import type { CompanionData, EngineData } from "../../src/engine/protocol/engine-data.ts";
import { unknownKind } from "../../src/engine/protocol/task.ts";
import { stack } from "../onnx/tensors.ts";
import { LOCAL_SPEAKERS, type Range, rangesAlone } from "./activity.ts";
import { cluster, normalized } from "./clustering.ts";
import { openSpeakerEmbedding } from "./embedding.ts";
import { matchVoices } from "./known-voices.ts";
import { openSegmentation } from "./pyannote.ts";
import { turnsOf } from "./turns.ts";

const { files, companion, placement } = workerData as EngineData;
const { files: embeddingFiles, options } = companion as CompanionData<OptionsOf<"speaker-embedding">>;
const segment = await openSegmentation(files.model!, placement);
const embed = await openSpeakerEmbedding(embeddingFiles.model!, placement);

export default function diarize(
  task: WindowsTask | VoiceTask | SpeakersTask,
): Promise<WindowsResult | VoiceResult> | Diarization {
  switch (task.kind) {
    case "speaker-voice":
      return embed(task.voice);
    case "speaker-windows":
      return readWindows(task);
    case "speakers":
      return tellSpeakers(task);
    default:
      return unknownKind(task);
  }
}

async function readWindows({ samples, ...layout }: WindowsTask): Promise<WindowsResult> {
  const windows = await segment(samples, layout);
  const speakers: WindowsResult["speakers"] = [];
  const embeddings: Float32Array[] = [];
  for (const [window, activity] of windows.entries()) {
    const from = window * layout.step;
    for (let speaker = 0; speaker < LOCAL_SPEAKERS; speaker++) {
      const speech = speechOf(samples.subarray(from), rangesAlone(activity, speaker), layout);
      const embedding = await embed(speech);
      if (embedding.length === 0) continue;
      speakers.push({ window, speaker });
      embeddings.push(embedding);
    }
  }
  const activity = Float32Array.from(windows.flatMap((each) => [...each]));
  return { activity, speakers, embeddings: embeddings.length > 0 ? stack(embeddings) : new Float32Array(0) };
}

/** The first samples of the ranges, one after the other. */
function speechOf(
  samples: Float32Array,
  ranges: Range[],
  { embeddedSamplesMax }: Pick<WindowsTask, "embeddedSamplesMax">,
): Float32Array {
  const parts = ranges.map(({ start, end }) => samples.subarray(start, end));
  return joinAll(parts).subarray(0, embeddedSamplesMax);
}

function tellSpeakers({ speakerCount, known, ...recording }: SpeakersTask): Diarization {
  const { activity, speakers, embeddings, step, sampleCount } = recording;
  const windows = Array.from({ length: activity.length / WINDOW_FRAMES }, (_, window) =>
    Uint8Array.from(activity.subarray(window * WINDOW_FRAMES, (window + 1) * WINDOW_FRAMES)),
  );
  const width = embeddings.length / Math.max(1, speakers.length);
  const rows = speakers.map((_, row) => normalized(embeddings.subarray(row * width, (row + 1) * width)));
  const threshold = options.known_similarity;
  const isOne = windows.length === 1 && (speakerCount === null || speakers.length <= speakerCount);
  if (isOne) {
    const local = Array.from({ length: LOCAL_SPEAKERS }, (_, speaker) => ({ window: 0, speaker }));
    const labels = local.map(({ speaker }) => speaker); // those of the recording
    return {
      turns: turnsOf({ windows, step, speakers: local, labels, sampleCount }),
      known: matchVoices(known, { rows, labels: speakers.map(({ speaker }) => speaker) }, threshold),
    };
  }
  const labels = cluster(rows, { distance: options.cluster_distance, count: speakerCount });
  return {
    turns: turnsOf({ windows, step, speakers, labels, sampleCount }),
    known: matchVoices(known, { rows, labels }, threshold),
  };
}
