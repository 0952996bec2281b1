/** Formats money, counts and times in the browser's language and time zone. */
import { systemClock, unixSeconds } from "../../clock.ts";

/** Micros as US dollars, with as many decimals as needed: fractions of a cent are not rounded away. */
export function money(micros: number): string {
  const dollars = micros / 1e6;
  return dollars.toLocaleString("en-US", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: decimalsOf(micros),
  });
}

function decimalsOf(micros: number): number {
  if (micros % 10_000 === 0) return 2;
  return micros % 100 === 0 ? 4 : 6;
}

const CENT = 10_000;

/** For headlines: whole cents, rounded down so that a balance is never overstated. */
export function cents(micros: number): string {
  if (micros > 0 && micros < CENT) return "< $0.01";
  return money(Math.floor(micros / CENT) * CENT);
}

/** For rows: at most four decimals. */
export function amount(micros: number): string {
  if (micros > 0 && micros < 50) return "< $0.0001";
  const isWhole = micros % CENT === 0;
  return (micros / 1e6).toLocaleString("en-US", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: isWhole ? 2 : 4,
    maximumFractionDigits: isWhole ? 2 : 4,
  });
}

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

/** Unix seconds as a date and a time of day, with the time zone. */
export const moment = (time: number): string =>
  new Date(time * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });

/** Unix seconds as a time of day, to the second. */
export const clockTime = (time: number): string =>
  new Date(time * 1000).toLocaleTimeString(undefined, { timeStyle: "medium" });

/** The time zone of the browser, which all local times are in: "Europe/Berlin". */
export const zone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const day = (time: number): string =>
  new Date(time * 1000).toLocaleDateString(undefined, { dateStyle: "medium" });

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

/** "3 days ago", "in 12 hours"; both times in Unix seconds. */
export function distance(time: number, now = unixSeconds(systemClock)): string {
  const away = time - now;
  const [unit, size] = STEPS.find(([, step]) => Math.abs(away) >= step) ?? STEPS.at(-1)!;
  return relative.format(Math.round(away / size), unit);
}

export const isWithinDay = (time: number, now = unixSeconds(systemClock)): boolean =>
  Math.abs(time - now) < 86_400;

const SPANS: [string, number][] = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
];

/** A duration in its two largest units: "29 d 4 h", "3 min 10 s". */
export function span(seconds: number): string {
  let left = Math.max(0, Math.floor(seconds));
  const parts = SPANS.flatMap(([unit, size]) => {
    const amount = Math.floor(left / size);
    left -= amount * size;
    return amount > 0 ? [`${amount} ${unit}`] : [];
  });
  return parts.slice(0, 2).join(" ") || "0 s";
}

/** Unix seconds as ISO 8601. */
export const isoOf = (time: number): string => new Date(time * 1000).toISOString();
