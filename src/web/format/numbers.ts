/** Counts, durations and shares as text; sizes are those of byte-text.ts. */
import { LOCALE } from "../language/chosen.ts";

export const count = (value: number): string => value.toLocaleString(LOCALE);

/** 42 s, 3.5 min, 2.1 h. */
export function seconds(value: number): string {
  if (value < 60) return `${trim(value)} s`;
  return value < 3600 ? `${trim(value / 60)} min` : `${trim(value / 3600)} h`;
}

export const ms = (value: number): string =>
  value < 1000 ? `${count(value)} ms` : `${trim(value / 1000)} s`;

const trim = (value: number): string => value.toLocaleString(LOCALE, { maximumFractionDigits: 1 });

/** 3.0, 12.5. */
export const oneDecimal = (value: number): string =>
  value.toLocaleString(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A part of 1 as per cent, with one decimal. */
export const share = (part: number): string =>
  part.toLocaleString(LOCALE, {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
