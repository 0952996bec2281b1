/** Counts, durations, sizes and shares as text, in the browser's language. */

export const count = (value: number): string => value.toLocaleString();

/** 42 s, 3.5 min, 2.1 h. */
export function seconds(value: number): string {
  if (value < 60) return `${trim(value)} s`;
  return value < 3600 ? `${trim(value / 60)} min` : `${trim(value / 3600)} h`;
}

export const ms = (value: number): string => (value < 1000 ? `${value} ms` : `${trim(value / 1000)} s`);

const trim = (value: number): string => value.toLocaleString(undefined, { maximumFractionDigits: 1 });

export function bytes(value: number): string {
  if (value < 1e6) return `${trim(value / 1e3)} kB`;
  return value < 1e9 ? `${trim(value / 1e6)} MB` : `${trim(value / 1e9)} GB`;
}

/** A part of 1 as per cent, with one decimal. */
export const share = (part: number): string =>
  part.toLocaleString(undefined, {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
