/** The only reader of the time. Parts take a `Clock`, so that a test can hold it. */
export type Clock = {
  /** Unix time in milliseconds. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };

export const unixSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000);
