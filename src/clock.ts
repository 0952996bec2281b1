/** The only reader of the time. Everything else takes a `Clock`, so that tests control the time. */
export type Clock = {
  /** Unix time in milliseconds. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };

export const unixSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000);

/** Of a date that a library uses. */
export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);
