/** Recordings that recognizers may take long for: they sound like speech everywhere, and like no words or like too many. */
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { openRandom } from "../../../workers/random.ts";

const samplesOf = (seconds: number) => Math.round(seconds * ASR_SAMPLE_RATE);

/** Speech cut into frames, in another order. The same seed is the same order. */
export function shuffledFrames(speech: Float32Array, frameSamples: number, seed = 1): Float32Array {
  const random = openRandom(seed);
  const count = Math.floor(speech.length / frameSamples);
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  const shuffled = new Float32Array(count * frameSamples);
  for (const [to, from] of order.entries())
    shuffled.set(speech.subarray(from * frameSamples, (from + 1) * frameSamples), to * frameSamples);
  return shuffled;
}

/** So many voices at once: the same speech from different places. */
export function babble(speech: Float32Array, voices: number): Float32Array {
  const starts = Array.from({ length: voices }, (_, voice) => Math.floor((speech.length * voice) / voices));
  return speech.map(
    (_, at) =>
      starts.reduce((sum, start) => sum + speech[(start + at) % speech.length]!, 0) / Math.sqrt(voices),
  );
}

/** The same again and again. */
export const repeated = (part: Float32Array, seconds: number): Float32Array =>
  Float32Array.from({ length: samplesOf(seconds) }, (_, at) => part[at % part.length]!);

const FORMANTS = [700, 1200, 2600];
const BANDWIDTH = 80;

/** One vowel of a voice whose pitch and loudness swing, so that it is taken for speech. */
export function endlessVowel(seconds: number): Float32Array {
  const samples = new Float32Array(samplesOf(seconds));
  for (let at = 0, phase = 0; at < samples.length; at++) {
    const time = at / ASR_SAMPLE_RATE;
    phase += (120 + 15 * Math.sin(2 * Math.PI * 5 * time)) / ASR_SAMPLE_RATE;
    if (phase < 1) continue;
    phase -= 1;
    samples[at] = 0.5 + 0.45 * Math.sin(2 * Math.PI * 3 * time);
  }
  return scaled(FORMANTS.reduce(resonating, samples));
}

function resonating(samples: Float32Array, hertz: number): Float32Array {
  const radius = Math.exp((-Math.PI * BANDWIDTH) / ASR_SAMPLE_RATE);
  const turn = 2 * radius * Math.cos((2 * Math.PI * hertz) / ASR_SAMPLE_RATE);
  let [last, before] = [0, 0];
  return samples.map((sample) => {
    [last, before] = [sample + turn * last - radius * radius * before, last];
    return last;
  });
}

/** To a peak of a half. */
function scaled(samples: Float32Array): Float32Array {
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-9);
  return samples.map((sample) => (0.5 * sample) / peak);
}

/** White noise that comes and goes as often as syllables do. */
export function burstsOfNoise(seconds: number): Float32Array {
  const random = openRandom(2);
  return Float32Array.from({ length: samplesOf(seconds) }, (_, at) => {
    const isOn = Math.floor((at / ASR_SAMPLE_RATE) * 8) % 2 === 0;
    return isOn ? 0.4 * (2 * random() - 1) : 0;
  });
}

/** Single samples in digital silence, so many a second. */
export function clicks(seconds: number, aSecond: number): Float32Array {
  const samples = new Float32Array(samplesOf(seconds));
  for (let at = 0; at < samples.length; at += Math.round(ASR_SAMPLE_RATE / aSecond)) samples[at] = 0.9;
  return samples;
}
