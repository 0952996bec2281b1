/** Date ranges and their division into minutes, hours, days or months, all in UTC. Pure. */
import { LOCALE } from "../language/chosen.ts";

/** Half-open, in Unix seconds. */
export type Span = { start: number; end: number };
export type Size = "minute" | "hour" | "day" | "month";
/** `before` is the previous range of the same length; `name` describes the length. */
export type Range = Span & { size: Size; before: Span; name: string };

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

export const PRESETS = {
  "1h": "hour",
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  "12m": "12 months",
} as const;
export type Preset = keyof typeof PRESETS;

export const isPreset = (name: string | null): name is Preset => name !== null && name in PRESETS;

const DAYS = { "7d": 7, "30d": 30, "90d": 90 };
/** Ranges longer than three days are divided into days, ranges longer than half a year into months. */
const BY_HOURS = 3 * DAY;
const BY_DAYS = 184 * DAY;
/** The management API sums at most 400 days; rounding to whole days may add one. */
const LENGTH_MAX = 399 * DAY;

/** Ends with the minute, hour, day or month of `now`, in Unix seconds. */
export function presetRange(preset: Preset, now: number): Range {
  const name = PRESETS[preset];
  if (preset === "12m") {
    const end = monthStart(now, 1);
    return { ...rangeFrom(monthStart(now, -11), end, "month"), name };
  }
  if (preset === "1h") {
    const end = (Math.floor(now / MINUTE) + 1) * MINUTE;
    return { ...rangeFrom(end - HOUR, end, "minute"), name };
  }
  const unit = preset === "24h" ? HOUR : DAY;
  const end = (Math.floor(now / unit) + 1) * unit;
  const length = preset === "24h" ? DAY : DAYS[preset] * DAY;
  return { ...rangeFrom(end - length, end, preset === "24h" ? "hour" : "day"), name };
}

/** Rounded out to whole hours or days, and cut to the longest range the API sums. */
export function customRange({ start, end }: Span): Range {
  const length = Math.min(Math.max(end - start, HOUR), LENGTH_MAX);
  const size = sizeFor(length);
  const unit = size === "hour" ? HOUR : DAY;
  const from = Math.floor(start / unit) * unit;
  const range = rangeFrom(from, Math.ceil((start + length) / unit) * unit, size);
  return { ...range, name: lengthOf(range) };
}

/** The whole days of a range, divided into days at least. */
export function byDays(range: Range): Range {
  if (range.size === "day" || range.size === "month") return range;
  const start = Math.floor(range.start / DAY) * DAY;
  const end = Math.ceil(range.end / DAY) * DAY;
  return { ...rangeFrom(start, end, "day"), name: lengthOf({ start, end }) };
}

function sizeFor(length: number): Size {
  if (length <= BY_HOURS) return "hour";
  return length <= BY_DAYS ? "day" : "month";
}

function rangeFrom(start: number, end: number, size: Size): Omit<Range, "name"> {
  return { start, end, size, before: { start: start - (end - start), end: start } };
}

function lengthOf({ start, end }: Span): string {
  const hours = (end - start) / HOUR;
  if (hours % 24 !== 0) return hours === 1 ? "hour" : `${hours} hours`;
  return hours === 24 ? "day" : `${hours / 24} days`;
}

/** The minutes, hours, days or calendar months of a range; the first and the last month may be partial. */
export function bucketsOf({ start, end, size }: Pick<Range, "start" | "end" | "size">): Span[] {
  const buckets: Span[] = [];
  for (let bucketStart = start; bucketStart < end; ) {
    const next = Math.min(end, nextStart(bucketStart, size));
    buckets.push({ start: bucketStart, end: next });
    bucketStart = next;
  }
  return buckets;
}

function nextStart(time: number, size: Size): number {
  if (size === "month") return monthStart(time, 1);
  return time + { minute: MINUTE, hour: HOUR, day: DAY }[size];
}

/** The start of the month that is `months` after the month of `at`. */
export function monthStart(time: number, months: number): number {
  const date = new Date(time * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / 1000;
}

const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const AXIS: Record<Size, Intl.DateTimeFormatOptions> = {
  minute: CLOCK,
  hour: CLOCK,
  day: { month: "short", day: "numeric" },
  month: { month: "short", year: "2-digit" },
};
const WHOLE: Record<Size, Intl.DateTimeFormatOptions> = {
  minute: { ...AXIS.day, ...CLOCK },
  hour: { ...AXIS.day, ...CLOCK },
  day: { weekday: "short", ...AXIS.day, year: "numeric" },
  month: { month: "long", year: "numeric" },
};

const utc = (time: number, options: Intl.DateTimeFormatOptions) =>
  new Date(time * 1000).toLocaleString(LOCALE, { ...options, timeZone: "UTC" });

/** On the axis of a chart, and in full. */
export const namesOf = ({ start }: Span, size: Size): { name: string; title: string } => ({
  name: utc(start, AXIS[size]),
  title: utc(start, WHOLE[size]),
});

/** The value of a date input, a day in UTC. */
const TIME_MAX = Date.UTC(9999, 11, 31) / 1000; // later years have more digits than the fields of dates

/** A bound of the address in Unix seconds; null where it has none that is a time. */
export function timeIn(search: URLSearchParams, bound: "start" | "end"): number | null {
  const time = Math.floor(Number(search.get(bound)));
  return time > 0 && time <= TIME_MAX ? time : null;
}

export const dateText = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10);
/** The inverse; NaN for an empty input. */
export const dateAt = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 1000;

/** The value of a date and time input, in the browser's time zone. */
export function localText(time: number): string {
  const date = new Date(time * 1000);
  return dateTimeText(time - date.getTimezoneOffset() * 60);
}
const dateTimeText = (time: number) => new Date(time * 1000).toISOString().slice(0, 16);
export const localAt = (text: string): number => Math.floor(new Date(text).getTime() / 1000);
