/** Rounds sums of seconds, which accumulate floating-point errors. */

/** To 0.1 microseconds, which is exact for every number of samples at 8, 16 and 32 kHz. */
export const roundSeconds = (seconds: number): number => Math.round(seconds * 1e7) / 1e7;
