/**
 * Postprocessing of synthesized samples, common to the neural voices: the part of the pace that the model cannot reach,
 * trimming, resampling, gain, and the announced length.
 */
import { move } from "piscina";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample.ts";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { amplify, type Prosody, parseProsody } from "./prosody.ts";
import { timeStretch } from "./time-stretch.ts";
import { fitted, trimEdges } from "./trim-silence.ts";

/** The requested pace: the factor that the model applies, and the one that is left for time stretching. */
export type Pace = { modelSpeed: number; rest: number; prosody: Prosody };

export function paceOf(
  { speed, instructions }: SynthesisTask,
  { min, max }: { min: number; max: number },
): Pace {
  const prosody = parseProsody(instructions);
  const requested = speed * prosody.rate;
  const modelSpeed = Math.min(max, Math.max(min, requested));
  return { modelSpeed, rest: requested / modelSpeed, prosody };
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

/** `rate` is the sample rate of the model. */
export function finish(samples: Float32Array, rate: number, { rest, prosody }: Pace): Float32Array {
  const trimmed = trimEdges(
    resample(timeStretch(samples, rest, rate), rate, TTS_SAMPLE_RATE),
    TTS_SAMPLE_RATE,
  );
  amplify(trimmed, prosody.gain);
  return move(trimmed) as Float32Array;
}

/** Cuts or pads the samples to the announced length. */
export function finishWithLength(samples: Float32Array, rate: number, length: number): Float32Array {
  const cut = fitted(resample(samples, rate, TTS_SAMPLE_RATE), length, TTS_SAMPLE_RATE);
  amplify(cut, 1);
  return move(cut) as Float32Array;
}
