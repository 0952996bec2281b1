/**
 * Reads the JSON of a package's files, which may be damaged since they were installed. What is too large, nested too deep,
 * or not what the family's schema says is refused before anything is allocated or looped over by its numbers.
 */
import { readFileSync, statSync } from "node:fs";
import type { Static, TSchema } from "typebox";
import type { Checker } from "../../schema.ts";

const MAX_BYTES = 16 * 1024 * 1024; // the largest published file, the tokenizer of Whisper large, has 2.5 MB
const MAX_DEPTH = 32; // of published files: 6

/** Throws an `Error` that names the file and what is wrong with it. */
export function readJsonFile<S extends TSchema>(path: string, schema: Checker<S>): Static<S> {
  return parseJsonFile(path, readJsonText(path), schema);
}

export function readJsonText(path: string): string {
  const { size } = statSync(path);
  if (size > MAX_BYTES) throw new Error(`${path}: has ${size} bytes, more than ${MAX_BYTES}`);
  return readFileSync(path, "utf8");
}

/** `path` stands in the messages. */
export function parseJsonFile<S extends TSchema>(path: string, text: string, schema: Checker<S>): Static<S> {
  const { value, details } = schema.check(parseJson(path, text));
  if (details === null) return value;
  throw new Error(
    `${path}: ${details.map(({ field, message }) => `${field || "the file"} ${message}`).join("; ")}`,
  );
}

/** For what is checked where it is used. */
export function parseJson(path: string, text: string): unknown {
  if (depthOf(text) > MAX_DEPTH) throw new Error(`${path}: is nested deeper than ${MAX_DEPTH}`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path}: is not JSON: ${(cause as Error).message}`, { cause });
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN, CLOSED] = [new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])]; // brackets, braces

function depthOf(text: string): number {
  let [depth, deepest, isText] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isText && code === BACKSLASH) at++;
    else if (code === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (OPEN.has(code)) deepest = Math.max(deepest, ++depth);
    else if (CLOSED.has(code)) depth--;
  }
  return deepest;
}
