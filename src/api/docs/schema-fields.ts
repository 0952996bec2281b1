/** A JSON schema as a list of fields for people, those inside others folded; HTML. */
import type { JsonSchema, Schemas } from "./api-parts.ts";
import { htmlOf } from "./docs-markdown.ts";

const DEPTH_MAX = 6;

/** `schemas`: what references name. */
export function fieldsOf(schema: JsonSchema, schemas: Schemas, depth = 0): string {
  const fields = childrenOf(schema, schemas);
  if (fields.length === 0 || depth > DEPTH_MAX) return "";
  const items = fields.map(({ name, schema: child, isRequired }) =>
    fieldOf({ name, schema: child, isRequired, schemas, depth }),
  );
  return `<ul class="fields">${items.join("")}</ul>`;
}

type Field = { name: string; schema: JsonSchema; isRequired: boolean; schemas: Schemas; depth: number };

export function fieldOf({ name, schema, isRequired, schemas, depth }: Field): string {
  const whole = resolved(schema, schemas);
  const inner = fieldsOf(whole, schemas, depth + 1);
  const count = childrenOf(whole, schemas).length;
  const folded =
    inner && `<details><summary>${count} field${count === 1 ? "" : "s"}</summary>${inner}</details>`;
  const needed = isRequired ? '<span class="needed">required</span>' : "";
  const description = schema.description ?? whole.description ?? "";
  const type = Bun.escapeHTML(typeOf(schema, schemas));
  return `<li><p class="field"><code>${Bun.escapeHTML(name)}</code> <span class="type">${type}</span> ${needed}</p>${textOf(description)}${limitsOf(whole)}${folded}</li>`;
}

/** In words: a list of what, or one of which values. @internal */
export function typeOf(schema: JsonSchema, schemas: Schemas): string {
  const { type, items, anyOf, oneOf, ...rest } = resolved(schema, schemas);
  if (rest.const !== undefined) return JSON.stringify(rest.const);
  if (rest.enum)
    return rest.enum.length > 8
      ? "one of the values below"
      : rest.enum.map((value) => JSON.stringify(value)).join(" or ");
  const choices = anyOf ?? oneOf;
  if (choices) return [...new Set(choices.map((each) => typeOf(each, schemas)))].join(" or ");
  if (type === "array") return items ? `list of ${typeOf(items, schemas)}` : "list";
  if (rest.format === "binary") return "file";
  return [type ?? "any"].flat().join(" or ");
}

type Child = Pick<Field, "name" | "schema" | "isRequired">;

/** The fields of an object, of the objects in a list, or of all objects that it may be. */
function childrenOf(schema: JsonSchema, schemas: Schemas): Child[] {
  const {
    properties = {},
    patternProperties = {},
    additionalProperties,
    required = [],
    ...rest
  } = resolved(schema, schemas);
  const named = Object.entries(properties).map(([name, child]) => ({
    ...{ name, schema: child },
    isRequired: required.includes(name),
  }));
  const open = typeof additionalProperties === "object" ? [additionalProperties] : [];
  const others = [...Object.values(patternProperties), ...open].filter(
    (each) => Object.keys(each).length > 0,
  );
  const inner = rest.items ? childrenOf(rest.items, schemas) : [];
  const choices = [...(rest.anyOf ?? []), ...(rest.oneOf ?? []), ...(rest.allOf ?? [])];
  const all = [
    ...named,
    ...others.map((child) => ({ name: "any name", schema: child, isRequired: false })),
    ...inner,
    ...choices.flatMap((each) => childrenOf(each, schemas)),
  ];
  const isEverywhere = choices.length < 2 || rest.allOf !== undefined;
  const first = new Map(all.toReversed().map((child) => [child.name, child]));
  return all
    .filter((child) => first.get(child.name) === child)
    .map((child) => (isEverywhere ? child : { ...child, isRequired: false }));
}

export function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const { $ref, ...rest } = schema;
  if ($ref === undefined) return schema;
  return { ...schemas[$ref.split("/").at(-1) ?? ""], ...rest };
}

export const textOf = (markdown: string): string =>
  markdown === "" ? "" : `<div class="text">${htmlOf(markdown)}</div>`;

function limitsOf(schema: JsonSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const limits = [
    schema.default === undefined ? null : `Default ${JSON.stringify(schema.default)}`,
    rangeOf(minimum, maximum, ""),
    rangeOf(minLength, maxLength, " characters"),
    rangeOf(minItems, maxItems, " entries"),
    schema.enum && schema.enum.length > 8
      ? `One of ${schema.enum.map((value) => String(value)).join(", ")}`
      : null,
  ].filter((each) => each !== null);
  return limits.length === 0 ? "" : `<p class="limits">${Bun.escapeHTML(limits.join(" · "))}</p>`;
}

function rangeOf(from: number | undefined, to: number | undefined, unit: string): string | null {
  if (from === undefined && to === undefined) return null;
  if (to === undefined) return from === 0 ? null : `At least ${from}${unit}`;
  return from === undefined || from === 0 ? `At most ${to}${unit}` : `${from} to ${to}${unit}`;
}
