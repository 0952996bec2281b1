/**
 * multipart/form-data as real clients send it: part order free, arrays as `name[]`, `name[0]`, a repeated `name` or
 * one JSON array, objects as one JSON string or flattened `name[key]`, booleans and numbers as text, and the words
 * "null" and "" for absent. File names and part types are ignored: the format is detected from the bytes.
 */

import { parseJson } from "../../../bounded-json.ts";
import { invalidInput, type Refusal } from "../../../errors.ts";
import { Gathered } from "../../../memory/spool.ts";
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";
import { malformed } from "./body.ts";
import { MultipartError, MultipartReader, type Part, type PartVisitor } from "./multipart.ts";
import {
  type Hold,
  LONG_FIELD,
  LONG_LIMIT,
  type Parsed,
  TEXT_LIMIT,
  tooLarge,
  type UploadParser,
} from "./upload-parser.ts";

/** How a field's text is parsed. Text that does not parse is kept, for the schema to refuse. `texts`: an object of texts. */
export type Kind = "text" | "number" | "boolean" | "list" | "object" | "texts";

/** The refusal of a form without a file, by its fields; null: it needs none, and its file is empty. */
export type NoFile = (text: Parsed["text"]) => Refusal | null;

const fileRequired: NoFile = () =>
  invalidInput([{ field: "file", code: "required", message: "is required" }]);

type FormOptions = { hold: Hold; announcedBytes: number; noFile: NoFile | undefined };

export class FormParser implements UploadParser {
  readonly #reader: MultipartReader;
  readonly #parts: FormParts;

  constructor(boundary: string, options: FormOptions) {
    this.#parts = new FormParts(options);
    this.#reader = new MultipartReader(boundary, this.#parts);
  }

  push(chunk: Uint8Array): void {
    asRefusal(() => this.#reader.push(chunk));
  }

  end(): Parsed {
    asRefusal(() => this.#reader.end());
    return this.#parts.parsed();
  }

  free(): void {
    this.#parts.free();
  }
}

/** What is not multipart is refused in the words of the API. */
export function asRefusal(parse: () => void): void {
  try {
    parse();
  } catch (cause) {
    if (!(cause instanceof MultipartError)) throw cause;
    throw malformed(cause.isTooLong ? "too_long" : "malformed", cause.message);
  }
}

type Field = { name: string; isFile: boolean; kept: Gathered | null };

/** Keeps the first part named "file" and the text of all other fields; other files are ignored. */
class FormParts implements PartVisitor {
  readonly #hold: Hold;
  readonly #announcedBytes: number;
  readonly #noFile: NoFile;
  readonly #text = new Map<string, string[]>();
  #textBytes = 0;
  #longBytes = 0;
  #file: Field | null = null;
  #current: Field = { name: "", isFile: false, kept: null };

  constructor({ hold, announcedBytes, noFile = fileRequired }: FormOptions) {
    this.#hold = hold;
    this.#announcedBytes = announcedBytes;
    this.#noFile = noFile;
  }

  begin({ name, isFile }: Part): void {
    const isTheFile = name === "file" && this.#file === null;
    const kept = isFile && !isTheFile ? null : new Gathered(isTheFile ? this.#announcedBytes : 0);
    this.#current = { name, isFile, kept };
    if (isTheFile) this.#file = this.#current;
  }

  content(bytes: Uint8Array): void {
    const { isFile, kept, name } = this.#current;
    if (kept === null) return;
    if (isFile) {
      if (kept.sizeBytes + bytes.length > FILE_BYTES_MAX) throw tooLarge();
      this.#hold(bytes.length);
    } else if (name.startsWith(LONG_FIELD)) {
      this.#longBytes += bytes.length;
      if (this.#longBytes > LONG_LIMIT)
        throw new MultipartError(`has more than ${LONG_LIMIT} bytes of ${LONG_FIELD}`, true);
      this.#hold(bytes.length);
    } else {
      this.#textBytes += bytes.length;
      if (this.#textBytes > TEXT_LIMIT)
        throw new MultipartError(`has more than ${TEXT_LIMIT} bytes of fields beside the file`, true);
    }
    kept.append(bytes);
  }

  end(): void {
    const { name, isFile, kept } = this.#current;
    if (isFile || kept === null) return;
    const values = this.#text.get(name);
    const value = kept.bytes().toString("utf8");
    if (values) values.push(value);
    else this.#text.set(name, [value]);
  }

  parsed(): Parsed {
    if (this.#file === null) return this.#withoutFile();
    if (!this.#file.isFile) {
      throw invalidInput([
        { field: "file", code: "wrong_type", message: "must be a file part, with a filename" },
      ]);
    }
    return { file: this.#file.kept!.bytes(), text: this.#text };
  }

  #withoutFile(): Parsed {
    const refusal = this.#noFile(this.#text);
    if (refusal) throw refusal;
    return { file: new Uint8Array(), text: this.#text };
  }

  free(): void {
    this.#file?.kept?.clear();
  }
}

/** The form's fields as body values: those named in `kinds` that are present. */
export function fieldsOf(text: Texts, kinds: Record<string, Kind>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const value = READERS[kind](text, name);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

type Texts = Parsed["text"];

const READERS: Record<Kind, (texts: Texts, name: string) => unknown> = {
  text: only,
  number: (texts, name) => readNumber(only(texts, name)),
  boolean: (texts, name) => readBoolean(only(texts, name)),
  list: (texts, name) => readList(texts, name),
  object: (texts, name) => readObject(texts, name, (text) => readJson(text) ?? text),
  texts: (texts, name) => readObject(texts, name, (text) => text),
};

function only(texts: Texts, name: string): string | undefined {
  const value = texts.get(name)?.at(-1);
  return value === "" || value === "null" ? undefined : value;
}

function readNumber(value: string | undefined): unknown {
  const number = Number(value);
  return value === undefined || value.trim() === "" || Number.isNaN(number) ? value : number;
}

const BOOLEANS = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function readBoolean(value: string | undefined): unknown {
  return value === undefined ? undefined : (BOOLEANS.get(value.trim().toLowerCase()) ?? value);
}

function readList(texts: Texts, name: string): unknown {
  const indexed = [...texts].filter(([key]) => key.startsWith(`${name}[`) && /\[\d*\]$/.test(key));
  const values = [...indexed.flatMap(([, list]) => list), ...(texts.get(name) ?? [])];
  const present = values.filter((value) => value !== "" && value !== "null");
  if (present.length === 0) return undefined;
  const json = present.length === 1 ? readJson(present[0]!) : null;
  return Array.isArray(json) ? json : present;
}

function readObject(texts: Texts, name: string, readMember: (text: string) => unknown): unknown {
  const whole = only(texts, name);
  if (whole !== undefined) return readJson(whole) ?? whole;
  const flattened = [...texts].flatMap(([key, list]) => {
    const inner = key.startsWith(`${name}[`) && key.endsWith("]") ? key.slice(name.length + 1, -1) : "";
    return inner ? [[inner, readMember(list.at(-1)!)] as const] : [];
  });
  return flattened.length > 0 ? Object.fromEntries(flattened) : undefined;
}

const readJson = (text: string): unknown => parseJson(text).value;
