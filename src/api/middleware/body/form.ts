/**
 * multipart/form-data as real clients send it: part order free, arrays as `name[]`, `name[0]`, a repeated `name` or
 * one JSON array, objects as one JSON string or flattened `name[key]`, booleans and numbers as text, and the words
 * "null" and "" for absent. File names and part types say nothing: the bytes do.
 */
import { invalidInput, Refusal } from "../../../errors.ts";
import { Gathered } from "../../../memory/gathered.ts";
import { openUploads, type Uploads } from "../../../memory/uploads.ts";
import { type BodyTimeouts, malformed, readChunks } from "./body.ts";
import { parseJson } from "./json.ts";
import { boundaryOf, MultipartError, MultipartReader, type Part, type PartVisitor } from "./multipart.ts";

const MIB = 1024 * 1024;
const FILE_LIMIT = 25 * MIB;
const TEXT_LIMIT = MIB; // all other fields, the boundaries and the headers of parts
const FORM_LIMIT = FILE_LIMIT + TEXT_LIMIT;

/** Its file holds memory, and counts among its organization's uploads, until it is disposed of. */
export type Form = Disposable & { file: Uint8Array<ArrayBuffer>; text: ReadonlyMap<string, string[]> };

/** How a field's text is parsed. Text that does not parse is kept, for the schema to refuse. */
export type Kind = "text" | "number" | "boolean" | "list" | "object";

/** `hold` is called with the bytes that the form's file keeps in memory, and throws if there is no room. */
export type FormReading = {
  timeouts: BodyTimeouts;
  hold(sizeBytes: number): void;
  uploads: Uploads;
  organizationId: string;
};

/** Per organization: four of the largest forms at once, or more smaller ones. */
export const openFormUploads = (): Uploads => openUploads(4 * FORM_LIMIT);

const tooLarge = () =>
  new Refusal("file_too_large", `The file is larger than ${FILE_LIMIT / MIB} MB (${FILE_LIMIT} bytes).`, {
    param: "file",
  });

/** Reading starts once the organization's other uploads leave room. */
export async function readForm(request: Request, reading: FormReading): Promise<Form> {
  const type = request.headers.get("content-type") ?? "";
  const boundary = boundaryOf(type);
  if (!type.toLowerCase().startsWith("multipart/form-data") || boundary === null)
    throw malformed("malformed", "must be multipart/form-data");
  const { organizationId, uploads } = reading;
  const { signal, headers } = request;
  const lengthBytes = Number(headers.get("content-length") ?? 0);
  const sizeBytes = Math.min(lengthBytes || FORM_LIMIT, FORM_LIMIT);
  const upload = await uploads.enter({ organizationId, sizeBytes, signal });
  const parts = new FormParts(reading.hold, Math.min(lengthBytes, FILE_LIMIT));
  const over = () => {
    parts.free();
    upload[Symbol.dispose]();
  };
  try {
    const reader = new MultipartReader(boundary, parts);
    const { timeouts } = reading;
    await readChunks(request, { limit: FORM_LIMIT, tooLarge, timeouts }, (chunk) => reader.push(chunk));
    reader.end();
    return { ...parts.form(), [Symbol.dispose]: over };
  } catch (cause) {
    over();
    if (!(cause instanceof MultipartError)) throw cause;
    throw malformed(cause.isTooLong ? "too_long" : "malformed", cause.message);
  }
}

type Field = { name: string; isFile: boolean; kept: Gathered | null };

/** Keeps the first part named "file" and the text of all other fields; other files are ignored. */
class FormParts implements PartVisitor {
  readonly #hold: FormReading["hold"];
  readonly #foretoldBytes: number;
  readonly #text = new Map<string, string[]>();
  #textBytes = 0;
  #file: Field | null = null;
  #current: Field = { name: "", isFile: false, kept: null };

  constructor(hold: FormReading["hold"], foretoldBytes: number) {
    this.#hold = hold;
    this.#foretoldBytes = foretoldBytes;
  }

  begin({ name, isFile }: Part): void {
    const isTheFile = name === "file" && this.#file === null;
    const kept = isFile && !isTheFile ? null : new Gathered(isTheFile ? this.#foretoldBytes : 0);
    this.#current = { name, isFile, kept };
    if (isTheFile) this.#file = this.#current;
  }

  content(bytes: Uint8Array): void {
    const { isFile, kept } = this.#current;
    if (kept === null) return;
    if (isFile) {
      if (kept.sizeBytes + bytes.length > FILE_LIMIT) throw tooLarge();
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

  form(): Omit<Form, typeof Symbol.dispose> {
    if (this.#file === null)
      throw invalidInput([{ field: "file", code: "required", message: "is required" }]);
    if (!this.#file.isFile) {
      throw invalidInput([
        { field: "file", code: "wrong_type", message: "must be a file part, with a filename" },
      ]);
    }
    return { file: this.#file.kept!.bytes(), text: this.#text };
  }

  free(): void {
    this.#file?.kept?.clear();
  }
}

/** The form's fields as body values: those named in `kinds` that are present. */
export function fieldsOf(form: Form, kinds: Record<string, Kind>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    const value = READERS[kind](form.text, name);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

type Texts = Form["text"];

const READERS: Record<Kind, (texts: Texts, name: string) => unknown> = {
  text: only,
  number: (texts, name) => readNumber(only(texts, name)),
  boolean: (texts, name) => readBoolean(only(texts, name)),
  list: (texts, name) => readList(texts, name),
  object: (texts, name) => readObject(texts, name),
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

function readObject(texts: Texts, name: string): unknown {
  const whole = only(texts, name);
  if (whole !== undefined) return readJson(whole) ?? whole;
  const flattened = [...texts].flatMap(([key, list]) => {
    const inner = key.startsWith(`${name}[`) && key.endsWith("]") ? key.slice(name.length + 1, -1) : "";
    return inner ? [[inner, readJson(list.at(-1)!) ?? list.at(-1)] as const] : [];
  });
  return flattened.length > 0 ? Object.fromEntries(flattened) : undefined;
}

const readJson = (text: string): unknown => parseJson(text).value;
