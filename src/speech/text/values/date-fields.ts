/**
 * The fields of a date that a caller marks as one, in the order of its format. Checked against the calendar, so that
 * 31/2 is no date. A text takes a time linear in its length.
 *
 *   12/25/2024  mdy        25 Dec  dm        20241225, yyyymmdd  ymd        ????1225  yyyymmdd, without its year
 */
import { accentOf, fullYear, MONTHS } from "../english/dates.ts";
import type { Value } from "./value.ts";

/** A field that is not there is null. */
export type DateFields = { year: number | null; month: number | null; day: number | null };

const ORDERS = new Set(["mdy", "dmy", "ymd", "ydm", "md", "dm", "ym", "my", "y", "m", "d"]);
const WIDTHS: Record<string, number> = { y: 4, m: 2, d: 2 }; // digits, where nothing parts the fields
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** "yyyymmdd" and "ymd" -> "ymd"; null: no format of a date. */
export function dateOrder(format: string): string | null {
  const order = format.toLowerCase().replace(/(.)\1+/g, "$1");
  return format.length <= 8 && ORDERS.has(order) ? order : null;
}

/** Without a format, a date is read in the first order that makes one; the locale decides between month and day. */
export function dateFields({ text, format }: Value, locale: string): DateFields | null {
  const order = format && dateOrder(format);
  for (const each of order ? [order] : usualOrders(text, locale)) {
    const fields = fieldsIn(each, text);
    if (fields) return fields;
  }
  return null;
}

function usualOrders(text: string, locale: string): string[] {
  if (/^\d{4}/.test(text)) return ["ymd", "ym", "y"];
  const { isMonthFirst } = accentOf(locale);
  const dated = isMonthFirst ? ["mdy", "dmy"] : ["dmy", "mdy"];
  return /\d{4}$/.test(text) ? [...dated, "my"] : [...dated, ...(isMonthFirst ? ["md", "dm"] : ["dm", "md"])];
}

function fieldsIn(order: string, text: string): DateFields | null {
  const parts = partsOf(order, text);
  if (parts.length !== order.length) return null;
  const fields: DateFields = { year: null, month: null, day: null };
  for (const [index, part] of parts.entries()) {
    if (/^\?{1,4}$/.test(part)) continue;
    if (order[index] === "y") fields.year = yearOf(part);
    if (order[index] === "m") fields.month = monthOf(part);
    if (order[index] === "d") fields.day = dayOf(part);
  }
  return isDate(fields) ? fields : null;
}

/** Digits without a mark between them have the widths of their fields. */
function partsOf(order: string, text: string): string[] {
  const fields = [...order];
  const width = (count: number) => fields.slice(0, count).reduce((sum, field) => sum + WIDTHS[field]!, 0);
  return fields.length > 1 && text.length === width(fields.length) && /^[\d?]+$/.test(text)
    ? fields.map((_, index) => text.slice(width(index), width(index + 1)))
    : text.replace(/\.$/, "").split(/[ ./,-]{1,3}/, 4);
}

// a part that is none is NaN

const yearOf = (part: string) =>
  /^\d{1,4}$/.test(part) ? Number(part.length === 2 ? fullYear(part) : part) : Number.NaN;

const dayOf = (part: string) => Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(part)?.[1] ?? Number.NaN);

/** In figures, or by its English name, of which three letters are enough. */
function monthOf(part: string): number {
  if (/^\d{1,2}$/.test(part)) return Number(part);
  const name = /^([a-z]{3,9})\.?$/i.exec(part)?.[1]?.toLowerCase();
  const index = name ? MONTHS.findIndex((month) => month.toLowerCase().startsWith(name)) : -1;
  return index === -1 ? Number.NaN : index + 1;
}

function isDate({ year, month, day }: DateFields): boolean {
  if (year === null && month === null && day === null) return false;
  if (year !== null && !(year >= 1)) return false;
  if (month !== null && !(month >= 1 && month <= 12)) return false;
  if (day === null) return true;
  const isLeap = year === null || (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return day >= 1 && day <= (month === 2 && !isLeap ? 28 : DAYS[(month ?? 1) - 1]!);
}
