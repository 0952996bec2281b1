/**
 * Names the fields of a request that had no effect in a header of the response: unknown fields are ignored, as stock
 * clients expect, but not silently.
 */
export const IGNORED_FIELDS = "x-ignored-fields";

const NAME = /^[\w.[\]-]{1,64}$/;
const NAMES_MAX = 20;

/** Only plain words, because the names are the client's. */
export function ignoredFieldsHeader(names: Iterable<string>): Record<string, string> {
  const plain = [...new Set(names)].filter((name) => NAME.test(name)).slice(0, NAMES_MAX);
  return plain.length > 0 ? { [IGNORED_FIELDS]: plain.join(", ") } : {};
}
