/**
 * Marked values in languages other than English, where the engine reads numbers: a cardinal as it is written, and a date as
 * the language writes it in full. Other kinds have no reading here.
 *
 *   25/12/2024, dmy        de  25. Dezember 2024        fr  25 décembre 2024        ja  2024年12月25日
 */
import { type DateFields, dateFields } from "./date-fields.ts";
import type { ReadValue } from "./value.ts";

const NUMBER = /^[-−+]?\d(?:[.,'’\u00A0\u202F ]?\d){0,24}$/;

const readCardinal: ReadValue = ({ text }) =>
  NUMBER.test(text) ? text.replace(/^([-−+]?)0+(?=\d)/, "$1") : null;

/** A date with letters is in its own language, so it is read as it stands. */
const readMarkedDate: ReadValue = (value, language) => {
  if (/\p{L}/u.test(value.text)) return /\d/.test(value.text) ? value.text : null;
  const fields = dateFields(value, language);
  return fields && written(fields, language);
};

/** Null for a language whose names of months are not known. */
function written({ year, month, day }: DateFields, language: string): string | null {
  if (month === null) return String(day ?? year);
  const tag = language.replaceAll("_", "-");
  try {
    if (Intl.DateTimeFormat.supportedLocalesOf(tag).length === 0) return null;
    const format = new Intl.DateTimeFormat(tag, {
      ...(year === null ? {} : { year: "numeric" }),
      month: "long",
      ...(day === null ? {} : { day: "numeric" }),
      calendar: "gregory",
      numberingSystem: "latn",
      timeZone: "UTC",
    });
    const date = new Date(0);
    date.setUTCFullYear(year ?? 2000, month - 1, day ?? 1);
    return format.format(date).replace(/(?<=\d)(?: г)?\.$/u, ""); // a stop would end the sentence
  } catch {
    return null; // no tag of a language
  }
}

export const LOCAL_VALUES: Record<string, ReadValue> = {
  cardinal: readCardinal,
  number: readCardinal,
  date: readMarkedDate,
};
