/** Validates queries and bodies against a route's schema; handlers receive known fields only. */
import type { TSchema } from "typebox";
import { type Detail, invalidInput } from "../../errors.ts";
import { checker } from "../../schema.ts";
import { type BodyTimeouts, ignoreBody, readJson } from "../middleware/body/body.ts";

const TIMEOUTS: BodyTimeouts = { idleMs: 10_000, totalMs: 30_000 };

type Fields = Record<string, unknown>;
type Shape = TSchema & { properties: Record<string, { type?: string }> };

export type Input = (request: Request) => Promise<Fields | undefined>;

/** Without a schema there is no query. Unknown parameters are ignored. */
export function queryInput(schema: TSchema | undefined): Input {
  if (!schema) return async () => ({});
  const known = Object.entries((schema as Shape).properties);
  const checked = checkedBy(schema);
  return async ({ url }) => {
    const { searchParams } = new URL(url);
    const parameters = known.flatMap(([name, { type }]) => {
      const text = searchParams.get(name);
      return text === null ? [] : [[name, type === "integer" ? wholeOf(text) : text] as const];
    });
    return checked(Object.fromEntries(parameters));
  };
}

export function bodyInput(schema: TSchema | undefined): Input {
  if (!schema) return async (request) => void (await ignoreBody(request, TIMEOUTS));
  const names = Object.keys((schema as Shape).properties);
  const checked = checkedBy(schema);
  return async (request) => {
    const body = checked(await readJson(request, TIMEOUTS, { whenEmpty: {} }));
    return Object.fromEntries(names.flatMap((name) => (name in body ? [[name, body[name]]] : [])));
  };
}

function checkedBy(schema: TSchema) {
  const { check } = checker(schema);
  return (input: unknown): Fields => {
    const { value, details } = check(input);
    if (details !== null) throw invalidInput(details);
    const bad = Object.entries(value as Fields).flatMap(([field, kept]) => unstorable(field, kept));
    if (bad.length > 0) throw invalidInput(bad);
    return value as Fields;
  };
}

/** Text that is not an integer is kept, for the schema to refuse. */
const wholeOf = (text: string): number | string => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);

/** Values that are well formed but cannot be stored. */
function unstorable(field: string, value: unknown): Detail[] {
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return [{ field, code: "out_of_range", message: "is too large" }];
  if (typeof value === "string" && value.includes("\0"))
    return [{ field, code: "malformed", message: "contains an invalid character" }];
  return [];
}
