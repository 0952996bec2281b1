/**
 * What is read of a book or a web page: its title, and its text in reading order, divided where chapters begin. The process that
 * reads it has read a hostile file, so what it answers is checked.
 */

/** `level` 2: of a chapter within one of level 1. `title` is empty where it has none; `text` begins with its heading. */
export type Section = { title: string; level: 1 | 2; text: string };

/** A picture of a book, in base64. */
export type Cover = { type: "image/jpeg" | "image/png"; base64: string };

export type DocumentText = {
  title: string | null;
  author: string | null;
  sections: Section[];
  cover: Cover | null;
};

/** By its first bytes; null: it is neither. */
export function pictureType(bytes: Buffer): Cover["type"] | null {
  const head = bytes.toString("latin1", 0, 8);
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  return head === "\x89PNG\r\n\x1a\n" ? "image/png" : null;
}

/** Why none is read. `protected`: it is encrypted. */
const DOCUMENT_FAULTS = [
  "protected",
  "damaged",
  "outside",
  "nested",
  "too_large",
  "too_long",
  "empty",
] as const;
export type DocumentFault = (typeof DOCUMENT_FAULTS)[number];

/** `by`: of one that is protected, the system that does it. */
export type DocumentAnswer = { document: DocumentText } | { fault: DocumentFault; by: string };

/** Of a cover, in bytes. */
export const COVER_BYTES_MAX = 1024 * 1024;
const BY = /^[\w .-]{1,40}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BASE64_MAX = Math.ceil(COVER_BYTES_MAX / 3) * 4;

/** Of so many UTF-16 code units. */
export type DocumentLimits = { titleMax: number; textMax: number };

/** Null where the answer is none that a reader gives. */
export function parseDocument(json: string, limits: DocumentLimits): DocumentAnswer | null {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(json);
  } catch {
    return null;
  }
  if (!isObject(parsed)) return null;
  const { fault, by, document } = parsed;
  if (typeof fault === "string" && typeof by === "string") {
    const known = DOCUMENT_FAULTS.find((each) => each === fault);
    return known && (by === "" || BY.test(by)) ? { fault: known, by } : null;
  }
  if (!isObject(document)) return null;
  const sections = sectionsIn(document.sections, limits);
  const { title, author, cover } = document;
  const isTitle = (text: unknown): text is string | null =>
    text === null || (typeof text === "string" && text.length <= limits.titleMax);
  if (sections === null || !isTitle(title) || !isTitle(author) || !isCover(cover)) return null;
  return { document: { title, author, sections, cover } };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function sectionsIn(list: unknown, { titleMax, textMax }: DocumentLimits): Section[] | null {
  if (!Array.isArray(list)) return null;
  const sections: Section[] = [];
  let length = 0;
  for (const each of list) {
    if (!isObject(each)) return null;
    const { title, text, level } = each;
    if (typeof title !== "string" || title.length > titleMax || typeof text !== "string") return null;
    if (level !== 1 && level !== 2) return null;
    length += text.length;
    if (length > textMax) return null;
    sections.push({ title, level, text });
  }
  return sections;
}

function isCover(cover: unknown): cover is Cover | null {
  if (cover === null) return true;
  if (!isObject(cover)) return false;
  const { type, base64 } = cover;
  if (type !== "image/jpeg" && type !== "image/png") return false;
  return typeof base64 === "string" && base64.length <= BASE64_MAX && BASE64.test(base64);
}
