/** Rows as comma-separated values. */

export type Row = Record<string, string | number | boolean | null>;

/**
 * RFC 4180 with a header row. Text is always quoted, since some spreadsheets separate at semicolons, and gets an apostrophe
 * where a spreadsheet would run it as a formula: where it begins with a sign of one, full-width or after white space too.
 */
export function csvOf(rows: Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))];
  return `${lines.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;
}

const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

function cell(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  if (value === "") return "";
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}
