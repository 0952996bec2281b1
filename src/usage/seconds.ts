/** Sums of seconds as they are shown: without what adding fractions left behind. */

/** Seconds to a ten-millionth, which holds every number of samples at 8, 16 and 32 kHz exactly. */
export const roundSeconds = (seconds: number): number => Math.round(seconds * 1e7) / 1e7;
