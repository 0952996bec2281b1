/**
 * Postprocessing of synthesized samples, common to the neural voices: the part of the pace that the model cannot reach,
 * trimming, resampling, gain, and the announced length.
 */
import { move } from "piscina";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { timeStretch } from "../../src/audio/time-stretch.ts";
import type { SpokenWord, SynthesisTask, TimedSamples } from "../../src/engine/protocol/synthesis.ts";
import { moving } from "../moving.ts";
import { amplify } from "./level.ts";
import { prosodyOf } from "./prosody.ts";
import { fitted, trimEdges } from "./trim-silence.ts";
import { afterFinishing } from "./words/spoken-words.ts";

/** The requested pace: the factor that the model applies, and the one that is left for time stretching; and the gain. */
export type Pace = { modelSpeed: number; rest: number; gain: number };

export function paceOf(task: SynthesisTask, { min, max }: { min: number; max: number }): Pace {
  const { rate, gain } = prosodyOf(task);
  const requested = task.speed * rate;
  const modelSpeed = Math.min(max, Math.max(min, requested));
  return { modelSpeed, rest: requested / modelSpeed, gain };
}

/** Parts one after another, with as many samples of silence between them. */
export function joined(parts: Float32Array[], silence = 0): Float32Array {
  if (parts.length === 1) return parts[0]!;
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length + silence, -silence));
  let offset = 0;
  for (const part of parts) {
    samples.set(part, offset);
    offset += part.length + silence;
  }
  return samples;
}

/** Of a model: samples at its own rate, and the words in them where they were asked for. */
export type Synthesized = { samples: Float32Array; rate: number; words: SpokenWord[] | null };

export function finish({ samples, rate, words }: Synthesized, { rest, gain }: Pace): Result {
  const paced = resample(timeStretch(samples, rest, rate), rate, TTS_SAMPLE_RATE);
  const { samples: trimmed, cut } = trimEdges(paced, TTS_SAMPLE_RATE);
  amplify(trimmed, gain);
  return withWords(trimmed, words, { scale: paced.length / samples.length, cut });
}

/** Cuts or pads the samples to the announced length. */
export function finishWithLength(
  { samples, rate, words }: Synthesized,
  { gain }: Pace,
  length: number,
): Result {
  const paced = resample(samples, rate, TTS_SAMPLE_RATE);
  const cut = fitted(paced, length, TTS_SAMPLE_RATE);
  amplify(cut, gain);
  return withWords(cut, words, { scale: paced.length / samples.length, cut: 0 });
}

type Result = Float32Array | TimedSamples;

function withWords(
  samples: Float32Array,
  words: SpokenWord[] | null,
  { scale, cut }: { scale: number; cut: number },
): Result {
  if (words === null) return move(samples) as Float32Array;
  const timed = afterFinishing(words, { scale, cut, length: samples.length });
  return moving({ samples, words: timed }, samples.buffer);
}
