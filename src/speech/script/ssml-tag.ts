/** One tag of SSML: its name and attributes, within bounds. Each pattern is tried at one place only. */
import { wrongInput } from "./script.ts";

export type Attributes = ReadonlyMap<string, string>;
export type Tag = { kind: "open" | "close" | "empty"; name: string; attributes: Attributes };

const NAME = /<(\/?)([A-Za-z][A-Za-z-]{0,20})/y;
const ATTRIBUTE = /\s{1,20}([A-Za-z:-]{1,20})\s{0,5}=\s{0,5}(?:"([^"<]{0,300})"|'([^'<]{0,300})')/y;
const END = /\s{0,20}(\/?)>/y;
const ENTITY = /&(amp|lt|gt|quot|apos);/g;
/** What the entities that XML itself has stand for. */
export const XML_ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export function readTag(input: string, at: number): { tag: Tag; end: number } {
  const name = matchAt(NAME, input, at);
  if (name === null) throw wrongInput(`has a < that begins no element: ${input.slice(at, at + 20)}`);
  const [, slash, element] = name;
  const attributes = new Map<string, string>();
  let end = at + name[0].length;
  for (let each = matchAt(ATTRIBUTE, input, end); each; each = matchAt(ATTRIBUTE, input, end)) {
    const [whole, attribute, double, single] = each;
    if (attributes.has(attribute!)) throw wrongInput(`has <${element} ${attribute}> twice`);
    attributes.set(
      attribute!,
      (double ?? single)!.replace(ENTITY, (_all, entity: string) => XML_ENTITIES[entity]!),
    );
    end += whole.length;
  }
  const last = matchAt(END, input, end);
  if (last === null || (slash && (last[1] || attributes.size > 0)))
    throw wrongInput(`has a tag <${slash}${element}> that is not well-formed`);
  const kind = slash ? "close" : last[1] ? "empty" : "open";
  return { tag: { kind, name: element!, attributes }, end: end + last[0].length };
}

function matchAt(pattern: RegExp, input: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(input);
}
