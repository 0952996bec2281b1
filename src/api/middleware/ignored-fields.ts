/**
 * Names what had no effect: unknown fields are ignored, as stock clients expect, but not silently. The names stand in a
 * header of the response.
 */
export const IGNORED_FIELDS = "x-ignored-fields";

const NAME = /^[\w.[\]-]{1,64}$/;
const NAMES_MAX = 20;

/** Names that are no plain words are left out: they come from the client. */
export function ignoredFieldsHeader(names: Iterable<string>): Record<string, string> {
  const plain = [...new Set(names)].filter((name) => NAME.test(name)).slice(0, NAMES_MAX);
  return plain.length > 0 ? { [IGNORED_FIELDS]: plain.join(", ") } : {};
}
