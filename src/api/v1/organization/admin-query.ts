/** Reads the parameters of the organization API as its clients write them: lists as `name[]`, as a repeated name, or with commas. */
import type { TSchema } from "typebox";
import { invalidInput } from "../../../errors.ts";
import type { Checker } from "../../../schema.ts";

type Shape = { properties?: Record<string, { type?: string }> };

/** Of a long address, no more values are read: one more than any list may have. */
const VALUES_MAX = 101;

/** What is not known is ignored, and a value that is not of its type is refused by the schema. */
export function readQuery<S extends TSchema>(checked: Checker<S>, url: string) {
  const { searchParams } = new URL(url);
  const fields = Object.entries((checked.schema as Shape).properties ?? {}).flatMap(([name, { type }]) => {
    if (type === "array") {
      const values = listOf(searchParams, name);
      return values.length > 0 ? [[name, values] as const] : [];
    }
    const text = searchParams.get(name);
    return text === null || text === "" ? [] : [[name, typed(text, type)] as const];
  });
  const { value, details } = checked.check(Object.fromEntries(fields));
  if (details !== null) throw invalidInput(details);
  return value;
}

/** A comma before a space belongs to the value: line items are `svc-tts1, characters`. */
const BETWEEN = /,(?! )/;

function listOf(parameters: URLSearchParams, name: string): string[] {
  const written = [...parameters.getAll(name), ...parameters.getAll(`${name}[]`)];
  return written
    .flatMap((text) => text.split(BETWEEN, VALUES_MAX))
    .filter((text) => text !== "")
    .slice(0, VALUES_MAX);
}

function typed(text: string, type: string | undefined): unknown {
  if (type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === "boolean") return { true: true, false: false }[text] ?? text;
  return text;
}
