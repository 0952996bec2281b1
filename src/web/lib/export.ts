/** Downloads rows as a file: CSV for spreadsheets, JSON for programs. */

import { csvOf, type Row } from "./csv.ts";

export function download(name: string, format: "csv" | "json", rows: Row[]): void {
  const text = format === "csv" ? csvOf(rows) : `${JSON.stringify(rows, null, 2)}\n`;
  const type = format === "csv" ? "text/csv" : "application/json";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = `${name}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
