/**
 * The level at which samples leave every engine: a gain, and a limiter for the rare peaks that it lifts too high.
 *
 *   CEILING ┤           ___----        what is louder than KNEE bends towards CEILING, and never reaches it
 *      KNEE ┤      __--
 *           ┤   /                      below it, only the gain counts
 *           └───────────────────
 *
 * Each sample counts by itself, so that speech in parts has the samples of all of it at once, and no level moves within a
 * text. At the level of all voices, at most 0.6 % of the samples of a built-in voice are bent.
 */
const KNEE = 0.5;
/** -2.2 dBFS: peaks between the samples are higher; of nearly all voices they stay below -1 dBFS, of louder speech too. */
const CEILING = 0.78;
const ROOM = CEILING - KNEE;

/** In place. */
export function amplify(samples: Float32Array, gain: number): void {
  for (let at = 0; at < samples.length; at++) {
    const sample = gain * samples[at]!;
    const above = Math.abs(sample) - KNEE;
    samples[at] = above <= 0 ? sample : Math.sign(sample) * (KNEE + ROOM * Math.tanh(above / ROOM));
  }
}
