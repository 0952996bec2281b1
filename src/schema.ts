/**
 * The door to validation: a TypeBox schema compiled once, whose violations read as the envelope's `details`.
 */
import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Clean } from "typebox/value";
import type { Detail } from "./errors.ts";

type Checked<T> = { value: T; details: null } | { value: null; details: Detail[] };

export type Checker<S extends TSchema> = {
  readonly schema: S;
  check(value: unknown): Checked<Static<S>>;
  /** What passed, without the properties that the schema does not know. It changes the value itself. */
  clean(value: Static<S>): Static<S>;
};

export function checker<S extends TSchema>(schema: S): Checker<S> {
  const compiled = Compile(schema);
  return {
    schema,
    clean: (value) => Clean(schema, value) as Static<S>,
    check(value) {
      if (compiled.Check(value)) return { value: value as Static<S>, details: null };
      return { value: null, details: distinct(compiled.Errors(value).flatMap(toDetails)) };
    },
  };
}

type Violation = { keyword: string; instancePath: string; params: object; message: string };

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

function toDetails({ keyword, instancePath, params, message }: Violation): Detail[] {
  const path = instancePath.split("/").slice(1);
  const at = (...names: string[]) => [...path, ...names].join(".");
  if (keyword === "required") {
    const missing = (params as { requiredProperties: string[] }).requiredProperties;
    return missing.map((name) => ({ field: at(name), code: "required", message: "is required" }));
  }
  if (keyword === "additionalProperties") {
    const unknown = (params as { additionalProperties: string[] }).additionalProperties;
    return unknown.map((name) => ({ field: at(name), code: "unknown", message: "is not a known field" }));
  }
  const allowed = (params as { allowedValues?: unknown[] }).allowedValues;
  const told = allowed ? `must be one of ${allowed.join(", ")}` : message;
  return [{ field: at(), code: KEYWORDS[keyword] ?? "malformed", message: told }];
}

/** The first violation of each field: a union reports every branch it failed, and then itself. */
function distinct(details: Detail[]): Detail[] {
  const byField = new Map<string, Detail>();
  for (const detail of details) if (!byField.has(detail.field)) byField.set(detail.field, detail);
  return [...byField.values()];
}
