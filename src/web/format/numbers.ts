/** Counts, durations, sizes and shares as text. */
import { byteAmount } from "../../byte-text.ts";
import { LANGUAGE, LOCALE } from "../language/chosen.ts";

export const count = (value: number): string => value.toLocaleString(LOCALE);

const SYMBOLS = { day: "d", hour: "h", minute: "min", second: "s", millisecond: "ms" };
type TimeUnit = keyof typeof SYMBOLS;

/** A number of units as the language writes it: "3,5 Std."; in English with the symbols of units, not "3.5 hr". */
export function inUnits(value: number, unit: TimeUnit): string {
  if (LANGUAGE === "en") return `${trim(value)} ${SYMBOLS[unit]}`;
  return value.toLocaleString(LOCALE, { style: "unit", unit, maximumFractionDigits: 1 });
}

/** 42 s, 3.5 min, 2.1 h. */
export function seconds(value: number): string {
  if (value < 60) return inUnits(value, "second");
  return value < 3600 ? inUnits(value / 60, "minute") : inUnits(value / 3600, "hour");
}

export const ms = (value: number): string =>
  value < 1000 ? inUnits(value, "millisecond") : inUnits(value / 1000, "second");

/** 840 kB, 2.4 MB, 163 MB, 1.1 GB. */
export function byteSize(bytes: number): string {
  const { value, unit } = byteAmount(bytes);
  return value.toLocaleString(LOCALE, { style: "unit", unit });
}

const trim = (value: number): string => value.toLocaleString(LOCALE, { maximumFractionDigits: 1 });

/** 3.0, 12.5. */
export const oneDecimal = (value: number): string =>
  value.toLocaleString(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A part of 1 as per cent, without decimals. */
export const percent = (part: number): string =>
  part.toLocaleString(LOCALE, { style: "percent", maximumFractionDigits: 0 });

/** A part of 1 as per cent, with one decimal. */
export const share = (part: number): string =>
  part.toLocaleString(LOCALE, {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
