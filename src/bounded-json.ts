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

export const JSON_LIMITS: JsonLimits = { depthMax: 32, valuesMax: 2000 };

/** `problem` completes a sentence: "The body is not valid JSON at character 12." */
export type ParsedJson = { value: unknown; problem: null } | { value: null; problem: string };

/** `isCut`: something was taken out of the text, so that its places say nothing to who sent it. */
export function parseJson(
  text: string,
  limits: JsonLimits = JSON_LIMITS,
  { isCut = false } = {},
): ParsedJson {
  const problem = excessOf(text, limits);
  if (problem !== null) return { value: null, problem };
  try {
    return { value: JSON.parse(text), problem: null };
  } catch {
    return { value: null, problem: `is not valid JSON${isCut ? "" : ` at character ${faultIn(text)}`}` };
  }
}

const NEXT_TOKEN = /[ \t\n\r]*([{}[\],:]|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|")?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const SPACE = 0x20; // what comes before it is no letter of a string

/** What may follow: a key only where an object is open. */
type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or end";

/** Where invalid JSON stops being JSON, from 1: the token that may not be there, or what is missing at the end. @internal */
export function faultIn(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let index = 0;
  for (;;) {
    NEXT_TOKEN.lastIndex = index;
    const [all, token = ""] = NEXT_TOKEN.exec(text)!;
    const start = index + all.length - token.length;
    index += all.length;
    const isKey: boolean = expected.startsWith("key");
    if (token === "" || (token !== '"' && isKey && token !== "}")) return start + 1;
    if (token === "}" || token === "]") {
      const isEmpty = expected === "key or }" || expected === "value or ]";
      if (open.pop() !== token || !(isEmpty || expected === ", or end")) return start + 1;
      expected = ", or end";
    } else if (token === ":" || token === ",") {
      if (expected !== (token === ":" ? ":" : ", or end") || open.length === 0) return start + 1;
      expected = token === "," && open.at(-1) === "}" ? "key" : "value";
    } else {
      if (!isKey && !expected.startsWith("value")) return start + 1;
      if (token === '"') {
        index = lettersEnd(text, index);
        if (text.charCodeAt(index) !== QUOTE) return index + 1;
        index++;
      }
      if (token === "{" || token === "[") open.push(token === "{" ? "}" : "]");
      expected = token === "{" ? "key or }" : token === "[" ? "value or ]" : isKey ? ":" : ", or end";
    }
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

/** Where the letters of a string end: its quote, what may not be in it, or the end of the text. */
function lettersEnd(text: string, start: number): number {
  let index = start;
  for (; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE || code < SPACE) return index;
    if (code !== BACKSLASH) continue;
    ESCAPE.lastIndex = index;
    const escaped = ESCAPE.exec(text);
    if (escaped === null) return index;
    index += escaped[0].length - 1;
  }
  return index;
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
