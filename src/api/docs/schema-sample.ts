/** An example of what a JSON schema describes: what it names as an example or default, else a value of its type. */
import type { JsonSchema, Media, Schemas } from "./api-parts.ts";
import { resolved } from "./schema-fields.ts";

const DEPTH_MAX = 5;
/** In place of a text that is not known. */
export const UNKNOWN = "…";

/** `onlyRequired`: as short as it may be. */
type Sampling = { schemas: Schemas; onlyRequired: boolean };

/** The example of a body; undefined: it is no JSON. */
export function exampleOf(media: Media, sampling: Sampling): unknown {
  if (media.example !== undefined) return media.example;
  const [first] = Object.values(media.examples ?? {});
  if (first?.value !== undefined) return first.value;
  return media.schema && sampleOf(media.schema, sampling);
}

export function sampleOf(schema: JsonSchema, sampling: Sampling, depth = 0): unknown {
  const whole = resolved(schema, sampling.schemas);
  const given = whole.example ?? whole.const ?? whole.default ?? whole.enum?.[0];
  if (given !== undefined) return given;
  const choice = (whole.anyOf ?? whole.oneOf)?.[0];
  if (choice) return sampleOf(choice, sampling, depth);
  const type = [whole.type].flat()[0];
  if (type === "array")
    return whole.items && depth < DEPTH_MAX ? [sampleOf(whole.items, sampling, depth + 1)] : [];
  if (type === "object" || whole.properties) return objectOf(whole, sampling, depth);
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return whole.minimum ?? 1;
  return type === "null" ? null : UNKNOWN;
}

function objectOf({ properties = {}, required = [] }: JsonSchema, sampling: Sampling, depth: number): object {
  if (depth >= DEPTH_MAX) return {};
  const shown = Object.entries(properties).filter(
    ([name]) => !sampling.onlyRequired || required.includes(name),
  );
  return Object.fromEntries(shown.map(([name, child]) => [name, sampleOf(child, sampling, depth + 1)]));
}
