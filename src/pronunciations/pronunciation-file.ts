/**
 * Files of pronunciations, as spreadsheets and the exports of the page have them: what each line says, or what is wrong with it.
 *
 *   CSV    word,alias,phonemes      the first line names the columns; separated by commas, semicolons or tabs
 *   JSON   [{ "word": "nginx", "alias": "engine x", "phonemes": null }]      or { "data": [...] }
 */
import { type Detail, Refusal } from "../errors.ts";
import { type DictionaryEntry, keyOf } from "../speech/script/dictionary.ts";

/** `at`: where it stands, as "line 3". */
type Placed = { at: string; fields: Record<string, unknown> };

export type FileContent = { entries: DictionaryEntry[]; problems: Detail[] };

const COLUMNS = ["word", "alias", "phonemes"] as const;
const PROBLEMS_MAX = 50;

/** What begins as JSON is JSON. `check`: as the entry is kept; refuses what is no entry. */
export function readPronunciationFile(
  text: string,
  check: (entry: DictionaryEntry) => DictionaryEntry,
): FileContent {
  const content = text.replace(/^\uFEFF/, "");
  const rows = /^\s*[[{]/.test(content) ? jsonRows(content) : csvRows(content);
  if ("problem" in rows) return { entries: [], problems: [rows.problem] };
  const entries: DictionaryEntry[] = [];
  const problems: Detail[] = [];
  const places = new Map<string, string>();
  for (const { at, fields } of rows.placed) {
    try {
      const entry = check(entryOf(fields));
      const key = keyOf(entry.word);
      const before = places.get(key);
      if (before) throw problemOf("word", `is on ${before} already`);
      places.set(key, at);
      entries.push(entry);
    } catch (error) {
      problems.push(placedProblem(at, error));
      if (problems.length === PROBLEMS_MAX) break;
    }
  }
  return { entries, problems };
}

const problemOf = (field: string, message: string) =>
  new Refusal("validation_error", message, { details: [{ field, code: "malformed", message }] });

/** "line 3" as the field, so that each line has its own message. */
function placedProblem(at: string, error: unknown): Detail {
  if (!(error instanceof Refusal)) throw error;
  const { field = "", code = "malformed", message = error.message } = error.details?.[0] ?? {};
  return { field: at, code, message: field === "" ? message : `is wrong: ${field} ${message}` };
}

/** Empty cells are absent. */
function entryOf(fields: Record<string, unknown>): DictionaryEntry {
  const [word, alias, phonemes] = COLUMNS.map((name) => {
    const value = fields[name] ?? null;
    if (value !== null && typeof value !== "string") throw problemOf(name, "must be text");
    if (value !== null && /[\p{Cc}\p{Cs}]/u.test(value))
      throw problemOf(name, "contains an invalid character");
    return value === null || value.trim() === "" ? null : value;
  });
  if (!word) throw problemOf("word", "is missing");
  return { word, alias: alias ?? null, phonemes: phonemes ?? null };
}

type Rows = { placed: Placed[] } | { problem: Detail };

const unreadable = (message: string): Rows => ({ problem: { field: "text", code: "malformed", message } });

function jsonRows(text: string): Rows {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return unreadable(`is not valid JSON: ${(error as Error).message}`);
  }
  const all = Array.isArray(value) ? value : (value as { data?: unknown }).data;
  if (!Array.isArray(all)) return unreadable("must be a list of words, or an object with one in data");
  const placed = all.map((fields: unknown, index) => ({
    at: `entry ${index + 1}`,
    fields: typeof fields === "object" && fields !== null ? (fields as Record<string, unknown>) : {},
  }));
  return { placed };
}

function csvRows(text: string): Rows {
  const [first = ""] = text.split(/\r?\n/, 1);
  const separator = SEPARATORS.find((each) => first.includes(each)) ?? ",";
  const [header, ...records] = recordsOf(text, separator);
  const names = header?.cells.map((name) => name.trim().toLowerCase()) ?? [];
  if (!names.includes("word") || !(names.includes("alias") || names.includes("phonemes")))
    return unreadable("must begin with a line that names the columns: word, and alias or phonemes");
  const placed = records.map(({ line, cells }) => ({
    at: `line ${line}`,
    fields: Object.fromEntries(names.map((name, index) => [name, plain(cells[index] ?? "")])),
  }));
  return { placed };
}

/** Without the apostrophe of exports, which keeps spreadsheets from running a cell as a formula. */
const plain = (cell: string): string => cell.replace(/^'(?=\s*[=+\-@＝＋－＠])/, "");

const SEPARATORS = [",", ";", "\t"] as const;
type Separator = (typeof SEPARATORS)[number];

/** What ends a cell that has no quotes. */
const ENDS: Record<Separator, RegExp> = { ",": /[,\r\n]/g, ";": /[;\r\n]/g, "\t": /[\t\r\n]/g };

type CsvRecord = { line: number; cells: string[] };

/** RFC 4180, without empty lines. A quoted cell may have separators, line breaks and doubled quotes. */
function recordsOf(text: string, separator: Separator): CsvRecord[] {
  const records: CsvRecord[] = [];
  for (let at = 0, line = 1; at < text.length; ) {
    const record: CsvRecord = { line, cells: [] };
    for (;;) {
      const { value, end } = cellAt(text, at, ENDS[separator]);
      record.cells.push(value);
      line += text.slice(at, end).split("\n").length - 1;
      at = end;
      if (text[at] !== separator) break;
      at++;
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    line++;
    if (record.cells.some((each) => each.trim() !== "")) records.push(record);
  }
  return records;
}

/** What follows a closing quote is ignored; a quote that is never closed is text. */
function cellAt(text: string, start: number, ends: RegExp): { value: string; end: number } {
  const close = text[start] === '"' ? closingQuote(text, start + 1) : -1;
  ends.lastIndex = Math.max(start, close);
  const end = ends.exec(text)?.index ?? text.length;
  return {
    value: close < 0 ? text.slice(start, end) : text.slice(start + 1, close).replaceAll('""', '"'),
    end,
  };
}

/** The next quote that is not doubled, or -1. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}
