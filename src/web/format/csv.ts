/** Rows as comma-separated values. */

export type Row = Record<string, string | number | boolean | null>;

/** RFC 4180 with a header row. Text that a spreadsheet would run as a formula is escaped with an apostrophe. */
export function csvOf(rows: Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))];
  return `${lines.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;
}

function cell(value: string | number | boolean): string {
  const text = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
