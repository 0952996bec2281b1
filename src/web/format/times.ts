/** Points in time and spans between them as text, in the browser's time zone and with 24 hours. */

import { systemClock, unixSeconds } from "../../clock.ts";
import { LOCALE } from "../language/chosen.ts";
import { inUnits } from "./numbers.ts";

/** Unix seconds as a date and a time of day, with the time zone. */
export const moment = (time: number): string =>
  new Date(time * 1000).toLocaleString(LOCALE, { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });

/** Unix seconds as a time of day, to the second. */
export const clockTime = (time: number): string =>
  new Date(time * 1000).toLocaleTimeString(LOCALE, { timeStyle: "medium", hourCycle: "h23" });

/** The day in UTC, such as 2026-12-01. */
export const dayInUtc = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10);

/** Unix seconds as a time of day in UTC, to the minute: "09:05". */
export const minuteInUtc = (time: number): string => new Date(time * 1000).toISOString().slice(11, 16);

/** The time zone of the browser, which all local times are in: "Europe/Berlin". */
export const zone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export const day = (time: number): string =>
  new Date(time * 1000).toLocaleDateString(LOCALE, { dateStyle: "medium" });

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: "auto" });

/** "3 days ago", "in 12 hours"; both times in Unix seconds. */
export function distance(time: number, now = unixSeconds(systemClock)): string {
  const away = time - now;
  const [unit, size] = STEPS.find(([, step]) => Math.abs(away) >= step) ?? STEPS.at(-1)!;
  return relative.format(Math.round(away / size), unit);
}

export const isWithinDay = (time: number, now = unixSeconds(systemClock)): boolean =>
  Math.abs(time - now) < 86_400;

const SPANS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** A duration in its two largest units: "29 d 4 h", "3 min 10 s". */
export function span(seconds: number): string {
  let left = Math.max(0, Math.floor(seconds));
  const parts = SPANS.flatMap(([unit, size]) => {
    const amount = Math.floor(left / size);
    left -= amount * size;
    return amount > 0 ? [inUnits(amount, unit)] : [];
  });
  return parts.slice(0, 2).join(" ") || inUnits(0, "second");
}

/** Unix seconds as ISO 8601. */
export const isoOf = (time: number): string => new Date(time * 1000).toISOString();

/** ISO 8601 to Unix seconds. */
export const unixSecondsOf = (iso: string): number => Date.parse(iso) / 1000;
