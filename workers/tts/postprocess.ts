/**
 * What every neural voice does with what its model said: the rest of the pace, the edges, the rate of the API, and the
 * length that was promised.
 */
import { move } from "piscina";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample.ts";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { amplify, type Prosody, parseProsody } from "./prosody.ts";
import { timeStretch } from "./time-stretch.ts";
import { fitted, trimEdges } from "./trim-silence.ts";

/** The pace asked for, as much of it as the model takes, and what is left for the samples. */
export type Pace = { own: number; rest: number; delivery: Prosody };

export function paceOf(
  { speed, instructions }: SynthesisTask,
  { min, max }: { min: number; max: number },
): Pace {
  const delivery = parseProsody(instructions);
  const wanted = speed * delivery.rate;
  const own = Math.min(max, Math.max(min, wanted));
  return { own, rest: wanted / own, delivery };
}

/** `rate` is the model's. */
export function finish(samples: Float32Array, rate: number, { rest, delivery }: Pace): Float32Array {
  const said = trimEdges(resample(timeStretch(samples, rest, rate), rate, TTS_SAMPLE_RATE), TTS_SAMPLE_RATE);
  amplify(said, delivery.gain);
  return move(said) as Float32Array;
}

/** As long as was promised, whatever the model made of it. */
export function finishPromised(samples: Float32Array, rate: number, length: number): Float32Array {
  const said = fitted(resample(samples, rate, TTS_SAMPLE_RATE), length, TTS_SAMPLE_RATE);
  amplify(said, 1);
  return move(said) as Float32Array;
}
