/** What commands print: tables and sentences for people, JSON for programs. */

/** A command that cannot be carried out as written; the message says what to write instead. Exit code 2. */
export class UsageError extends Error {}

/** The option of every command that lists or reports. */
export const JSON_OPTION = ["--json", "print JSON"] as const;

type Row = Record<string, unknown>;
type Listing = { columns: string[]; json: boolean | undefined };

/** Rows as aligned columns under their names, or as the API's list object. */
export function printList(rows: Row[], { columns, json }: Listing): void {
  if (json) printJson({ object: "list", data: rows });
  else printTable(rows, columns);
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

export function printTable(rows: Row[], columns: string[]): void {
  const cells = rows.map((row) => columns.map((name) => cell(row[name])));
  const widths = columns.map((name, index) =>
    Math.max(name.length, ...cells.map((texts) => texts[index]!.length)),
  );
  const aligned = (texts: string[]) =>
    texts
      .map((text, index) => text.padEnd(widths[index]!))
      .join("  ")
      .trimEnd();
  printLine([aligned(columns.map((name) => name.toUpperCase())), ...cells.map(aligned)].join("\n"));
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return Array.isArray(value) ? value.join(" ") : String(value);
}
