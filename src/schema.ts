/**
 * Validation: a TypeBox schema, compiled when it is first needed, whose violations become the `details` of an error.
 */
import type { Static, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/schema"; // "typebox/compile" loads 140 more files, which convert values
import type { Detail } from "./errors.ts";

type Checked<T> = { value: T; details: null } | { value: null; details: Detail[] };

export type Checker<S extends TSchema> = {
  readonly schema: S;
  check(value: unknown): Checked<Static<S>>;
  /** A copy of a valid value without unknown properties. */
  clean(value: Static<S>): Static<S>;
};

export function checker<S extends TSchema>(schema: S): Checker<S> {
  let compiled: Validator | null = null; // takes a millisecond or more: a start has no time for all of them
  return {
    schema,
    clean: (value) => known(schema as Shape, value) as Static<S>,
    check(value) {
      compiled ??= Compile(schema);
      if (compiled.Check(value)) return { value: value as Static<S>, details: null };
      const details = compiled.Errors(value)[1].flatMap((violation) => toDetails(violation, schema, value));
      return { value: null, details: distinct(details) };
    },
  };
}

/** The part of a JSON schema that names properties. */
type Shape = { properties?: Record<string, Shape>; items?: Shape; anyOf?: Shape[] };

/** Faster than the library's `Clean`, which takes a millisecond because it checks each branch of a union again. */
function known(shape: Shape, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const branches = branchesOf(shape);
  if (Array.isArray(value)) {
    const items = branches.find((branch) => branch.items)?.items;
    return items ? value.map((each) => known(items, each)) : value;
  }
  if (!branches.some((branch) => branch.properties)) return value;
  const properties: Record<string, Shape> = Object.assign({}, ...branches.map((branch) => branch.properties));
  const kept = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));
  return Object.fromEntries(kept.map(([name, each]) => [name, known(properties[name]!, each)]));
}

const branchesOf = (shape: Shape): Shape[] => shape.anyOf?.flatMap(branchesOf) ?? [shape];

type Violation = {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: object;
  message: string;
};

const KEYWORDS: Record<string, Detail["code"]> = {
  type: "wrong_type",
  minLength: "too_short",
  minItems: "too_short",
  maxLength: "too_long",
  maxItems: "too_long",
  minimum: "out_of_range",
  maximum: "out_of_range",
  exclusiveMinimum: "out_of_range",
  exclusiveMaximum: "out_of_range",
  enum: "not_one_of",
  const: "not_one_of",
  anyOf: "not_one_of",
  pattern: "malformed",
  format: "malformed",
  additionalProperties: "unknown",
};

function toDetails(violation: Violation, schema: TSchema, value: unknown): Detail[] {
  const { keyword, schemaPath, instancePath, params } = violation;
  const path = instancePath.split("/").slice(1);
  if (keyword === "boolean") return []; // an unknown field, which is named apart
  const fieldAt = (...names: string[]) => [...path, ...names].join(".");
  if (keyword === "required") {
    const missing = (params as { requiredProperties: string[] }).requiredProperties;
    const message = `is required${path.length === 0 ? sentInstead(schema as Shape, value) : ""}`;
    return missing.map((name) => ({ field: fieldAt(name), code: "required", message }));
  }
  if (keyword === "additionalProperties") {
    const unknown = (params as { additionalProperties: string[] }).additionalProperties;
    return unknown.map((name) => ({
      field: fieldAt(name),
      code: "unknown",
      message: "is not a known field",
    }));
  }
  const rule = at(schema, schemaPath.slice(1)) as Rule;
  const message = wording(violation, rule, at(value, instancePath));
  return [{ field: fieldAt(), code: KEYWORDS[keyword] ?? "malformed", message }];
}

const NAMES_MAX = 3;
const NAME_LETTERS_MAX = 32;

/** Names of fields that a schema does not know, which may have been meant. */
function sentInstead({ properties = {} }: Shape, value: unknown): string {
  const unknown = Object.keys(value as object).filter(
    (name) => name.length <= NAME_LETTERS_MAX && !Object.hasOwn(properties, name),
  );
  if (unknown.length === 0 || unknown.length > NAMES_MAX) return "";
  const [verb, noun] = unknown.length === 1 ? ["is", "a field"] : ["are", "fields"];
  return ` (${unknown.join(", ")} ${verb} not ${noun} of this request)`;
}

/** What a JSON pointer leads to. */
const at = (root: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((value, name) => (value as Record<string, unknown>)[name], root);

/** The part of a JSON schema that bounds a value. */
type Rule = { minimum?: number; maximum?: number };

const TYPES: Record<string, string> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

/** What is wrong with a value, to follow the name of its field. */
function wording({ keyword, params, message }: Violation, rule: Rule, value: unknown): string {
  const { allowedValues, limit, type } = params as {
    allowedValues?: unknown[];
    limit?: number;
    type?: string;
  };
  switch (keyword) {
    case "minLength":
    case "maxLength":
      return counted(keyword, limit!, { count: [...(value as string)].length, unit: "character" });
    case "minItems":
    case "maxItems":
      return counted(keyword, limit!, { count: (value as unknown[]).length, unit: "item" });
    case "minimum":
    case "maximum":
      return `must be ${rangeOf(rule)}, not ${value}`;
    case "type":
      return `must be ${TYPES[type!] ?? type}`;
    default:
      return allowedValues ? `must be one of ${allowedValues.join(", ")}` : message;
  }
}

function counted(keyword: string, limit: number, { count, unit }: { count: number; unit: string }): string {
  if (count === 0) return "is empty";
  const bound = keyword.startsWith("min") ? "at least" : "at most";
  return `must have ${bound} ${limit} ${unit}${limit === 1 ? "" : "s"}, not ${count}`;
}

function rangeOf({ minimum, maximum }: Rule): string {
  if (minimum === undefined) return `at most ${maximum}`;
  if (minimum === maximum) return String(minimum);
  return maximum === undefined ? `at least ${minimum}` : `from ${minimum} to ${maximum}`;
}

/** The first violation of each field: a union reports every failed branch, then itself. */
function distinct(details: Detail[]): Detail[] {
  const byField = new Map<string, Detail>();
  for (const detail of details) if (!byField.has(detail.field)) byField.set(detail.field, detail);
  return [...byField.values()];
}
