/**
 * Tells the speakers of a recording apart: sends its windows to an engine, a few at a time, and lets it find the speakers
 * when all have been read.
 *
 *   samples  ├── window ──┤           10 s, each 2.5 s after the last; the last is filled with silence
 *               ├── window ──┤
 *   task     ├───────────────┤        some windows; several tasks at once, where the engine has threads
 */
import { joinAll } from "../../audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import {
  type Diarization,
  type SpeakersTask,
  WINDOW_FRAMES,
  WINDOW_SAMPLES,
  type WindowsResult,
  type WindowsTask,
} from "../../engine/protocol/diarization.ts";
import type { Engine } from "../../engine/registry.ts";
import type { Claim } from "../../engine/runner.ts";
import { Refusal } from "../../errors.ts";

/** `step`: samples from window to window. `embeddedSeconds`: of a speaker in a window, at most. */
type Windowing = { step: number; embeddedSeconds: number };

/**
 * As published, the step is a tenth of a window, and all speech is embedded. This is an eighth of the work: each moment is in
 * four windows, and an embedding changes little beyond some seconds of speech.
 */
const USUAL: Windowing = { step: WINDOW_SAMPLES / 4, embeddedSeconds: 3 };

/** `voices`: samples of people who may speak, 16 kHz. `speakerCount`: how many speak; null: unknown. */
export type DiarizationOptions = {
  voices: Float32Array[];
  speakerCount: number | null;
  claim: Claim;
  windowing?: Windowing;
  /** Called with the seconds that are read. */
  progress?: (seconds: number) => void;
};

/** More need too much memory to be compared: a pair of embeddings takes four bytes. */
const HOURS_MAX = 4;

const TASK_WINDOWS = 8;
const TASKS_AT_ONCE = 4;

export async function diarize(
  engine: Engine,
  samples: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  { voices, speakerCount, claim, windowing = USUAL, progress = () => {} }: DiarizationOptions,
): Promise<Diarization> {
  const { step, embeddedSeconds } = windowing;
  const known = await Promise.all(voices.map((voice) => engine.run({ kind: "speaker-voice", voice }, claim)));
  const results: Promise<WindowsResult>[] = [];
  let sampleCount = 0;
  for await (const part of partsOf(samples, step)) {
    if (results.length >= TASKS_AT_ONCE) await results[results.length - TASKS_AT_ONCE];
    const task: WindowsTask = {
      kind: "speaker-windows",
      samples: part.samples,
      step,
      count: part.count,
      embeddedSamplesMax: embeddedSeconds * ASR_SAMPLE_RATE,
    };
    sampleCount = part.end;
    if (sampleCount > HOURS_MAX * 3600 * ASR_SAMPLE_RATE)
      throw new Refusal("audio_too_long", `Speakers are told apart in up to ${HOURS_MAX} hours.`);
    progress(sampleCount / ASR_SAMPLE_RATE);
    const result = engine.run(task, claim, [part.samples.buffer as ArrayBuffer]);
    result.catch(() => {}); // of an earlier one, if that failed too
    results.push(result);
  }
  const task: SpeakersTask = {
    kind: "speakers",
    ...joined(await Promise.all(results)),
    step,
    sampleCount,
    speakerCount,
    known,
  };
  return engine.run(task, claim);
}

/** The windows of all tasks, in order. */
function joined(results: WindowsResult[]): WindowsResult {
  let before = 0;
  const speakers = results.flatMap((result) => {
    const from = before;
    before += result.activity.length / WINDOW_FRAMES;
    return result.speakers.map(({ window, speaker }) => ({ window: window + from, speaker }));
  });
  return {
    activity: joinAll(results.map(({ activity }) => activity)),
    speakers,
    embeddings: joinAll(results.map(({ embeddings }) => embeddings)),
  };
}

/** The samples of some windows, in their own buffer; they end at `end` of the recording. */
type Part = { samples: Float32Array; count: number; end: number };

/** @internal */
export async function* partsOf(
  chunks: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  step: number,
): AsyncGenerator<Part> {
  const advance = TASK_WINDOWS * step;
  const held = new Float32Array(WINDOW_SAMPLES - step + advance);
  let [start, count] = [0, 0];
  for await (let chunk of chunks) {
    while (chunk.length > 0) {
      const taken = chunk.subarray(0, held.length - count);
      held.set(taken, count);
      count += taken.length;
      chunk = chunk.subarray(taken.length);
      if (count < held.length) continue;
      yield { samples: held.slice(), count: TASK_WINDOWS, end: start + count };
      held.copyWithin(0, advance);
      start += advance;
      count -= advance;
    }
  }
  const left = lastWindows(count, { step, isFirst: start === 0 });
  if (left > 0) yield { samples: held.slice(0, count), count: left, end: start + count };
}

/** Of which the last may need silence. A recording of one window or less is one. */
function lastWindows(count: number, { step, isFirst }: { step: number; isFirst: boolean }): number {
  if (count >= WINDOW_SAMPLES) return Math.ceil((count - WINDOW_SAMPLES) / step) + 1;
  const isLeft = isFirst ? count > 0 : count > WINDOW_SAMPLES - step;
  return isLeft ? 1 : 0;
}
