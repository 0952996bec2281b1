/**
 * What commands print: results on standard output, as tables and sentences for people or as JSON for programs; everything
 * else, `note`, on standard error.
 */
import { type Color, paint } from "../../terminal.ts";
import { asTyped } from "./as-typed.ts";

/** A command that cannot be carried out as written; the message says what to write instead. Exit code 2. */
export class UsageError extends Error {}

/** The option of every command that lists or reports. */
export const JSON_OPTION = ["--json", "print JSON"] as const;

type Row = Record<string, unknown>;

/**
 * A field by its name, or what people read of a row. `cut`: free text, which may be shortened to fit the line; `wrap`: it is
 * continued below instead. `sparse`: left out where no row has it.
 */
export type Column<R> =
  | (string & keyof R)
  | { title: string; text: (row: R) => unknown; cut?: true; wrap?: true; sparse?: true };

/** `json`: the rows as they are, in the API's list object. */
type Listing<R> = { columns: readonly Column<R>[]; json: boolean | undefined };

/** Rows as aligned columns under their names, or as the API's list object. */
export function printList<R extends Row>(rows: R[], { columns, json }: Listing<R>): void {
  if (json) printJson({ object: "list", data: rows });
  else printTable(rows, columns);
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

const GOOD = /^( *)(ready|ok|installed)(?= {2}| )/;
const BAD = /^( *)(missing|corrupt|failed|differs)(?= {2}| )/;

/** A line that begins with what was found, such as `ready` or `missing`: green or red on a terminal. */
export function printFinding(line: string): void {
  const colored = (color: Color) => (_all: string, indent: string, word: string) =>
    indent + paint(process.stdout, color, word);
  printLine(asTyped(line).replace(GOOD, colored("green")).replace(BAD, colored("red")));
}

/** What is not the result: hints, progress, warnings. */
export function note(line: string): void {
  process.stderr.write(`${asTyped(line)}\n`);
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2));
}

const LINE_WIDTH = 80;
const CUT_MIN = 8;
const EMPTY = "-";

export function printTable<R extends Row>(rows: R[], columns: readonly Column<R>[]): void {
  const table = columns.map((column) => filled(rows, column)).filter((column) => column !== null);
  const room = Math.max(LINE_WIDTH, process.stdout.columns ?? 0);
  let over = table.reduce((sum, { width }) => sum + width + 2, -2) - room;
  for (const column of table.filter(({ cut, wrap }) => cut || wrap).toSorted((a, b) => b.width - a.width)) {
    const width = Math.max(Math.min(CUT_MIN, column.width), column.width - Math.max(0, over));
    over -= column.width - width;
    column.width = width;
  }
  const line = (cellOf: (column: (typeof table)[number]) => string) =>
    table
      .map((column) => shortened(cellOf(column), column.width).padEnd(column.width))
      .join("  ")
      .trimEnd();
  printLine(
    paint(
      process.stdout,
      "bold",
      line(({ title }) => title),
    ),
  );
  for (const index of rows.keys()) {
    const parts = table.map(({ cells, wrap, width }) =>
      wrap ? wrapped(cells[index]!, width) : [cells[index]!],
    );
    const height = Math.max(...parts.map(({ length }) => length));
    for (let row = 0; row < height; row++)
      printLine(line((column) => parts[table.indexOf(column)]![row] ?? ""));
  }
  if (rows.length === 0) note("There is nothing to list.");
}

/** A column with its cells; null: it is left out. */
function filled<R extends Row>(rows: R[], column: Column<R>) {
  const { title, text, ...fit } = typeof column === "string" ? fieldOf<R>(column) : column;
  const cells = rows.map((row) => cellText(text(row)));
  if (fit.sparse && cells.every((cell) => cell === EMPTY)) return null;
  return { title, cells, ...fit, width: Math.max(title.length, ...cells.map((cell) => cell.length)) };
}

const fieldOf = <R extends Row>(name: string & keyof R): Exclude<Column<R>, string> => ({
  title: name.toUpperCase(),
  text: (row: R) => row[name],
});

/** A text in lines between words; a longer word is alone on its line. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined || value === "") return EMPTY;
  return visible(Array.isArray(value) ? value.join(" ") : String(value));
}

/** Control characters, and marks that change the order of others, as their numbers: names are what tenants chose. */
const visible = (text: string) =>
  text.replace(
    /[\p{Cc}\u2028-\u202E\u2066-\u2069]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const shortened = (text: string, width: number) =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;
