/**
 * Bounds untrusted JSON before parsing: a few megabytes of brackets would become gigabytes of objects, and overflow the
 * stack of any code that walks them. One pass, in linear time.
 */
export type JsonLimits = {
  /** Nesting of objects and arrays. */
  depthMax: number;
  /** Members and elements, together. */
  valuesMax: number;
};

const JSON_LIMITS: JsonLimits = { depthMax: 32, valuesMax: 2000 };

/** `problem` completes a sentence: "The body is not valid JSON." */
export type ParsedJson = { value: unknown; problem: null } | { value: null; problem: string };

export function parseJson(text: string, limits: JsonLimits = JSON_LIMITS): ParsedJson {
  const problem = excessOf(text, limits);
  if (problem !== null) return { value: null, problem };
  try {
    return { value: JSON.parse(text), problem: null };
  } catch {
    return { value: null, problem: "is not valid JSON" };
  }
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The limit that the text exceeds, or null. Invalid JSON is left to the parser. */
export function excessOf(text: string, { depthMax, valuesMax }: JsonLimits): string | null {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === COMMA) values++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth++;
      values++;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    if (depth > depthMax) return `is nested more than ${depthMax} levels deep`;
    if (values > valuesMax) return `holds more than ${valuesMax} values`;
  }
  return null;
}

/** The end of the string that begins at `start`, or of the text. Each run of backslashes is counted once. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Stock clients send null for a field they leave out. */
export function withoutNulls(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
