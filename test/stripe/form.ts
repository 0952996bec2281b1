/** Bodies and queries as Stripe reads them: form-encoded, nested by brackets, checked against what a call may take. */

type Value = string | Value[] | { [name: string]: Value };
export type Params = { [name: string]: Value };

/** What a parameter may be. A list in an array is a list, an array of words is a choice. */
export type Spec =
  | "text"
  | "integer"
  | "boolean"
  | "words"
  | readonly string[]
  | { list: Spec }
  /** An empty text clears it. */
  | { emptyOr: Spec }
  | { fields: Fields };
/** A name that ends in "!" is required. */
export type Fields = { [name: string]: Spec };

/** What the API refuses, as its error object says it. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: { error: Record<string, unknown> };

  constructor(status: number, error: { type?: string; message: string; [field: string]: unknown }) {
    super(error.message);
    this.status = status;
    this.body = { error: { type: "invalid_request_error", ...error } };
  }
}

/** `a[b][0]=c` as {a: {b: ["c"]}}. */
export function parseForm(text: string): Params {
  const params: Params = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [first, ...rest] = name.split(/\[|\]\[?/).filter((part, index) => index === 0 || part !== "");
    if (first === undefined || first === "") throw new Refusal(400, { message: `Invalid request: ${name}` });
    place(params, [first, ...rest], value);
  }
  return listed(params) as Params;
}

function place(into: Params, [first, ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    into[first!] = value;
    return;
  }
  into[first!] ??= {};
  place(into[first!] as Params, rest, value);
}

/** What is named 0, 1, 2… was a list. */
function listed(value: Value): Value {
  if (typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, one]) => [name, listed(one)] as const);
  const isList = entries.length > 0 && entries.every(([name], index) => name === String(index));
  return isList ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

/** Refuses what is unknown, missing or of another type, with the parameter's name. */
export function check(params: Params, fields: Fields, inside = ""): void {
  const nameOf = (name: string) => (inside === "" ? name : `${inside}[${name}]`);
  const known = new Map(Object.entries(fields).map(([name, spec]) => [name.replace("!", ""), spec]));
  for (const [name, value] of Object.entries(params)) {
    const spec = known.get(name);
    if (spec === undefined) {
      const message = `Received unknown parameter: ${nameOf(name)}`;
      throw new Refusal(400, { code: "parameter_unknown", message, param: nameOf(name) });
    }
    checkValue(value, spec, nameOf(name));
  }
  for (const name of Object.keys(fields)) {
    if (!name.endsWith("!") || params[name.slice(0, -1)] !== undefined) continue;
    const param = nameOf(name.slice(0, -1));
    throw new Refusal(400, {
      code: "parameter_missing",
      message: `Missing required param: ${param}.`,
      param,
    });
  }
}

function checkValue(value: Value, spec: Spec, param: string): void {
  const refuse = (code: string, message: string) => {
    throw new Refusal(400, { code, message, param });
  };
  if (spec === "words") {
    if (typeof value !== "object" || Object.values(value).some((one) => typeof one !== "string"))
      refuse("parameter_invalid", `Invalid hash: ${param}`);
  } else if (typeof spec === "object" && "emptyOr" in spec) {
    if (value !== "") checkValue(value, spec.emptyOr, param);
  } else if (typeof spec === "object" && "fields" in spec) {
    if (typeof value !== "object" || Array.isArray(value)) refuse("parameter_invalid", "Invalid object");
    check(value as Params, spec.fields, param);
  } else if (typeof spec === "object" && "list" in spec) {
    if (!Array.isArray(value)) refuse("parameter_invalid", "Invalid array");
    for (const [index, one] of (value as Value[]).entries()) checkValue(one, spec.list, `${param}[${index}]`);
  } else if (typeof value !== "string") refuse("parameter_invalid", `Invalid string: ${param}`);
  else if (spec === "integer" && !/^-?\d+$/.test(value))
    refuse("parameter_invalid_integer", `Invalid integer: ${value}`);
  else if (spec === "boolean" && value !== "true" && value !== "false")
    refuse("parameter_invalid_boolean", `Invalid boolean: ${value}`);
  else if (typeof spec === "object" && !(spec as readonly string[]).includes(value))
    refuse("parameter_invalid", `Invalid ${param}: must be one of ${(spec as readonly string[]).join(", ")}`);
  else if (value === "" && spec === "text") refuse("parameter_invalid_empty", `${param} cannot be empty`);
}
