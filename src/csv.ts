/** Rows as comma-separated values. */

export type Row = Record<string, string | number | boolean | null>;

/**
 * RFC 4180 with a header row. Text is always quoted, since some spreadsheets separate at semicolons, and gets an apostrophe
 * where a spreadsheet would run it as a formula: where it begins with a sign of one, full-width or after white space too.
 */
export const csvOf = (rows: Row[]): string =>
  [csvLine(Object.keys(rows[0] ?? {})), ...rows.map((row) => csvLine(Object.values(row)))].join("");

/** One row or the header, with its line break. All rows of a file have the same names in the same order. */
export const csvLine = (values: Row[string][]): string =>
  `${values.map((value) => cell(value ?? "")).join(",")}\r\n`;

const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

function cell(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  if (value === "") return "";
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}
