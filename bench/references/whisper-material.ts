/** What Whisper and its reference are given: the shared recordings, ten minutes of them with pauses, and sounds without speech. */
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { clip, references } from "../../test/clips.ts";
import { openRandom } from "../../testing/packages/random.ts";

/** `samples` at 16 kHz; `text`: what is spoken in it. */
export type Material = { name: string; samples: Float32Array; text: string };

const LONG_SECONDS = 590;
const PAUSE_SECONDS = { least: 0.5, most: 2 };
const HISS = 0.001; // of full scale: a quiet room

export const recordings = (): Promise<Material[]> =>
  Promise.all(references().map(async ([name, text]) => ({ name, samples: await clip(name), text })));

/** The recordings in any order again and again, with pauses between them. */
export function withPauses(all: Material[], seconds = LONG_SECONDS): Material {
  const random = openRandom(3);
  const samples = Float32Array.from({ length: seconds * ASR_SAMPLE_RATE }, () => HISS * (2 * random() - 1));
  const texts: string[] = [];
  for (let at = ASR_SAMPLE_RATE; ; ) {
    const next = all[Math.floor(all.length * random())]!;
    if (at + next.samples.length > samples.length) break;
    for (const [index, sample] of next.samples.entries()) samples[at + index]! += sample;
    texts.push(next.text);
    const pause = PAUSE_SECONDS.least + (PAUSE_SECONDS.most - PAUSE_SECONDS.least) * random();
    at += next.samples.length + Math.round(pause * ASR_SAMPLE_RATE);
  }
  return { name: "ten minutes with pauses", samples, text: texts.join(" ") };
}

/** Thirty seconds each. */
export function withoutSpeech(): Material[] {
  const random = openRandom(5);
  const noise = (level: number) => () => level * (2 * random() - 1);
  const sounds: Record<string, (second: number) => number> = {
    silence: () => 0,
    "quiet noise": noise(0.01),
    "loud noise": noise(0.2),
    music,
    "mains hum": (second) =>
      [1, 2, 3, 5].reduce((sum, part) => sum + (0.1 / part) * Math.sin(2 * Math.PI * 50 * part * second), 0),
  };
  return Object.entries(sounds).map(([name, at]) => ({
    name,
    samples: Float32Array.from({ length: 30 * ASR_SAMPLE_RATE }, (_, index) => at(index / ASR_SAMPLE_RATE)),
    text: "",
  }));
}

const CHORDS = [
  [220, 261.6, 329.6],
  [174.6, 220, 261.6],
  [196, 246.9, 293.7],
];

/** Chords of decaying tones with overtones, one every half a second, and a drum on each. */
function music(second: number): number {
  const since = second % 0.5;
  const chord = CHORDS[Math.floor(second / 2) % CHORDS.length]!;
  const tones = chord.flatMap((hertz) => [hertz, 2 * hertz, 3 * hertz]);
  const tone = tones.reduce((sum, hertz) => sum + Math.sin(2 * Math.PI * hertz * second) / tones.length, 0);
  const drum = Math.sin(2 * Math.PI * 60 * since) * Math.exp(-30 * since);
  return 0.3 * tone * Math.exp(-3 * since) + 0.4 * drum;
}
