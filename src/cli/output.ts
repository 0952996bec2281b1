/** What commands print: a table for people, JSON for programs. */

/** A command that was not understood; the message says what to write instead. */
export class UsageError extends Error {}

/** Rows as aligned columns under their names, or as the API's list object with `--json`. */
export function printList(rows: Record<string, unknown>[], columns: string[], json: boolean): void {
  process.stdout.write(
    `${json ? JSON.stringify({ object: "list", data: rows }, null, 2) : table(rows, columns)}\n`,
  );
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printTable(rows: Record<string, unknown>[], columns: string[]): void {
  printLine(table(rows, columns));
}

function table(rows: Record<string, unknown>[], columns: string[]): string {
  const cells = rows.map((row) => columns.map((name) => cell(row[name])));
  const widths = columns.map((name, at) => Math.max(name.length, ...cells.map((line) => line[at]!.length)));
  const line = (texts: string[]) =>
    texts
      .map((text, at) => text.padEnd(widths[at]!))
      .join("  ")
      .trimEnd();
  return [line(columns.map((name) => name.toUpperCase())), ...cells.map(line)].join("\n");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return Array.isArray(value) ? value.join(" ") : String(value);
}
