/** HTML and SSML inside a text: entities become their characters, tags are removed, blocks end a line. */

/** Elements that are words apart from what stands around them. */
const BLOCKS = new Set(
  "address answer article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead title tr ul".split(
    " ",
  ),
);
const INLINE = new Set(
  "a abbr audio b bdi bdo body button canvas cite code col colgroup data del dfn em font head html i iframe img input ins kbd label link mark meta meter noscript option output picture q rp rt ruby s samp select small source span strike strong sub sup svg template textarea time tt u var video wbr speak break prosody say-as phoneme emphasis voice audio lang".split(
    " ",
  ),
);
/** What some voices speak; engines that do not drop the tag. */
const EXPRESSIONS = new Set(["laugh", "breath", "sigh"]);
/** What only other voices speak. */
const UNKNOWN_EXPRESSIONS = new Set("chuckle giggle cough sniffle sniff groan yawn gasp whisper".split(" "));

const TAG =
  /<(\/?)([A-Za-z][A-Za-z0-9-]{0,20})((?:\s{1,20}[\w:@-]{1,40}(?:\s?=\s?(?:"[^"<>]{0,2000}"|'[^'<>]{0,2000}'|[^\s"'<>]{1,200}))?){0,20})\s{0,20}\/?>/g;
const END_TAG = /<\/([A-Za-z][A-Za-z0-9-]{0,20})\s{0,20}>/g;
const COMMENT = /<!--(?:[^-]|-(?!->)){0,20000}-->|<!DOCTYPE[^<>]{0,500}>/gi;
const SILENT = /<(script|style)\b[^<>]{0,500}>(?:[^<]|<(?!\/\1)){0,20000}<\/\1\s?>/gi;
const AUTOLINK = /<((?:https?:\/\/|mailto:)?[^\s<>]{1,2000}[.@:][^\s<>]{1,2000})>/g;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}[1-4]{0,2}));/gi;

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  ensp: " ",
  emsp: " ",
  thinsp: "\u2009",
  shy: "",
  zwj: "\u200D",
  zwnj: "\u200C",
  lrm: "",
  rlm: "",
  frasl: "/",
  ndash: "–",
  mdash: "—",
  hellip: "...",
  lsquo: "'",
  rsquo: "'",
  ldquo: '"',
  rdquo: '"',
  laquo: '"',
  raquo: '"',
  bull: "•",
  middot: "·",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  plusmn: "±",
  times: "×",
  divide: "÷",
  frac12: "½",
  frac14: "¼",
  frac34: "¾",
  sup2: "²",
  sup3: "³",
  micro: "µ",
  cent: "¢",
  pound: "£",
  euro: "€",
  yen: "¥",
  sect: "§",
  para: "¶",
  larr: "←",
  rarr: "→",
  le: "≤",
  ge: "≥",
  ne: "≠",
};

export const decodeEntities = (text: string): string =>
  text.includes("&") ? text.replace(ENTITY, readEntity) : text;

export function withoutTags(text: string): string {
  if (!text.includes("<")) return text;
  const ended = new Set(Array.from(text.matchAll(END_TAG), ([, name]) => name!.toLowerCase()));
  const readTag = (tag: string, ...[, name, attributes]: string[]) => {
    const key = name!.toLowerCase();
    return ended.has(key) && !isKnown(key) ? " " : readKnown(tag, key, attributes!);
  };
  return text.replace(COMMENT, " ").replace(SILENT, " ").replace(TAG, readTag).replace(AUTOLINK, "$1");
}

const isKnown = (name: string): boolean =>
  [BLOCKS, INLINE, EXPRESSIONS, UNKNOWN_EXPRESSIONS].some((names) => names.has(name));

/** What is no element may be a word, unless it is ended: the type in `List<String>`. */
function readKnown(tag: string, name: string, attributes: string): string {
  if (BLOCKS.has(name)) return "\n";
  if (INLINE.has(name)) return "";
  if (EXPRESSIONS.has(name)) return tag;
  if (UNKNOWN_EXPRESSIONS.has(name) || tag.endsWith("/>")) return " ";
  return attributes === "" ? ` ${name.length > 1 ? tag.replace(/[</>]/g, "") : tag} ` : tag;
}

function readEntity(entity: string, ...[code, hex, name]: string[]): string {
  if (name !== undefined) return ENTITIES[name] ?? ENTITIES[name.toLowerCase()] ?? entity;
  const point = code === undefined ? Number.parseInt(hex!, 16) : Number(code);
  return point > 31 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : " ";
}
