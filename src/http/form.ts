/**
 * multipart/form-data as real clients send it: part order free, arrays as `name[]`, `name[0]`, a repeated `name` or
 * one JSON array, objects as one JSON string or flattened `name[key]`, booleans and numbers as text, and the words
 * "null" and "" for absent. File names and part types say nothing: the bytes do.
 */
import { Fault, invalidBody } from "../errors.ts";
import { malformed, type Patience, readBytes } from "./body.ts";

const MIB = 1024 * 1024;
const FILE_LIMIT = 25 * MIB;
const FORM_LIMIT = FILE_LIMIT + MIB; // what the other fields and the boundaries may add

export type Form = { file: Uint8Array; text: ReadonlyMap<string, string[]> };

/** How a field's text reads: what cannot be read so stays text, for the schema to refuse by name. */
export type Kind = "text" | "number" | "boolean" | "list" | "object";

const tooLarge = () =>
  new Fault("file_too_large", `The file is larger than ${FILE_LIMIT / MIB} MB (${FILE_LIMIT} bytes).`, {
    param: "file",
  });

export async function readForm(request: Request, patience: Patience): Promise<Form> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type)) throw malformed("malformed", "must be multipart/form-data");
  const bytes = await readBytes(request, { limit: FORM_LIMIT, tooLarge, patience });
  const form = await parse(bytes, type);
  const text = new Map<string, string[]>();
  for (const [name, value] of form.entries()) {
    if (typeof value === "string") text.set(name, [...(text.get(name) ?? []), value]);
  }
  return { file: await onlyFile(form), text };
}

type Parts = Awaited<ReturnType<Response["formData"]>>;

async function parse(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Parts> {
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw malformed("malformed", "is not well-formed multipart/form-data");
  }
}

async function onlyFile(form: Parts): Promise<Uint8Array> {
  const part = form.get("file");
  if (part === null) throw invalidBody([{ field: "file", code: "required", message: "is required" }]);
  if (typeof part === "string") {
    throw invalidBody([
      { field: "file", code: "wrong_type", message: "must be a file part, with a filename" },
    ]);
  }
  if (part.size > FILE_LIMIT) throw tooLarge();
  return part.bytes();
}

/** The form's fields as the values of a body: only those named in `kinds`, and only those present. */
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

const BOOLEANS: Record<string, boolean> = { true: true, "1": true, false: false, "0": false };

function readBoolean(value: string | undefined): unknown {
  return value === undefined ? undefined : (BOOLEANS[value.trim().toLowerCase()] ?? value);
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

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
