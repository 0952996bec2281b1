/** Option and argument values: how they are parsed, and how money and times are printed for people. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { systemClock, unixSeconds } from "../../clock.ts";
import { fromFault } from "../../plans.ts";

const DAY_SECONDS = 86_400;

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError("Expected a whole number.");
  return value;
}

/** US dollars as text, to micros; six decimals at most. */
export function dollarAmount(text: string): number {
  const micros = Math.round(Number(text) * 1e6);
  if (!/^\d+(\.\d{1,6})?$/.test(text) || !Number.isSafeInteger(micros))
    throw new InvalidArgumentError("Expected an amount in US dollars, such as 5 or 2.50.");
  return micros;
}

const REASON_MAX = 200;

/** Why credit is given or taken back. */
export function reasonText(text: string): string {
  const reason = text.trim();
  if (reason === "" || reason.length > REASON_MAX)
    throw new InvalidArgumentError(`Expected a reason of at most ${REASON_MAX} characters.`);
  return reason;
}

export const dollarAmountOrNone = (text: string): number | "none" =>
  text === "none" ? text : dollarAmount(text); // not null: the parser turns null into ""

export const formatDollars = (micros: number): string =>
  `$${(micros / 1e6).toFixed(6).replace(/0{1,4}$/, "")}`;

/** The local date and time of Unix seconds, such as 2026-11-22 14:05; null for none. */
export function formatTime(seconds: number | null): string | null {
  if (seconds === null) return null;
  const time = new Date(seconds * 1000);
  const date = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(twoDigits).join("-");
  return `${date} ${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
}

const twoDigits = (number: number) => String(number).padStart(2, "0");

/** In Unix seconds. */
export const daysFromNow = (days: number): number => unixSeconds(systemClock) + days * DAY_SECONDS;

/** In Unix seconds. */
export const daysAgo = (days: number): number => unixSeconds(systemClock) - days * DAY_SECONDS;

/** A day to come, as the Unix second in which it begins in UTC. `what`: what is to hold from then on. */
export const futureDay = (what: string) => (text: string) => {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError("Expected a day, such as 2026-12-01.");
  const fault = fromFault(ms / 1000, unixSeconds(systemClock), what);
  if (fault !== null) throw new InvalidArgumentError(`It ${fault}.`);
  return ms / 1000;
};
