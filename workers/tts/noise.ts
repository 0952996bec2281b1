/**
 * The noise that speech is generated from, the same for every text of a voice: neighbouring segments begin alike, so
 * that pitch and timbre do not jump between them, and a text always sounds the same.
 *
 *   frame 0 [channels]  frame 1 [channels] …     a longer text has more frames, of which the first are the same
 */

import { openRandom } from "../random.ts";

/** The noise of a voice: a function from a number of frames to their values, frame after frame. */
export function openNoise(voice: string, channels: number): (frames: number) => Float32Array {
  const random = openRandom(seedOf(voice));
  let values = new Float32Array(0);
  return (frames) => {
    const count = frames * channels;
    if (values.length < count) {
      const grown = new Float32Array(Math.max(count, 2 * values.length));
      grown.set(values);
      for (let index = values.length; index < grown.length; index++) grown[index] = normal(random);
      values = grown;
    }
    return values.subarray(0, count);
  };
}

/** Normally distributed (Box and Muller). */
function normal(random: () => number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return radius * Math.cos(2 * Math.PI * random());
}

/** FNV-1a. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193);
  return hash;
}
