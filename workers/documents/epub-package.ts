/**
 * The package of an EPUB (2.0.1, 3.3): whose book it is, its documents in reading order, and where its table of contents has chapters.
 *
 *   META-INF/container.xml ──> package ──> metadata │ manifest │ spine ──> documents, table of contents
 */
import { Parser } from "htmlparser2";
import type { Section } from "../../src/documents/document-text.ts";
import { DocumentFailure } from "./document-failure.ts";

type Attributes = Record<string, string>;

/** `href`: from the folder of the package. */
type Item = { href: string; type: string; properties: string };

export type EpubPackage = {
  title: string | null;
  author: string | null;
  /** Those of the spine that belong to the text. */
  documents: Item[];
  /** The tables of contents, the better one first. */
  contents: Item[];
  cover: Item | null;
};

const ITEMS_MAX = 20_000;
const DEPTH_MAX = 100;
const AUTHORS_MAX = 20;

type Visit = {
  open?(name: string, attributes: Attributes): void;
  /** `text`: what is in the element, without marks. */
  close?(name: string, text: () => string): void;
};

/** Elements by their names without prefixes. */
export function readXml(xml: string, { open, close }: Visit): void {
  const texts: string[] = [];
  const local = (name: string) => name.slice(name.indexOf(":") + 1);
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (texts.push("") > DEPTH_MAX) throw new DocumentFailure("nested");
        open?.(local(name), attributes);
      },
      ontext(text) {
        if (texts.length > 0) texts[texts.length - 1] += text;
      },
      onclosetag(name) {
        const text = texts.pop() ?? "";
        if (texts.length > 0) texts[texts.length - 1] += text;
        close?.(local(name), () => text.replace(/\s+/g, " ").trim());
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
}

/** The path of the package. */
export function packagePathIn(container: string): string {
  let path: string | null = null;
  readXml(container, {
    open(name, attributes) {
      const type = attributes["media-type"] ?? PACKAGE_TYPE;
      if (name === "rootfile" && type === PACKAGE_TYPE) path ??= attributes["full-path"] ?? null;
    },
  });
  if (path === null) throw new DocumentFailure("damaged");
  return path;
}

const PACKAGE_TYPE = "application/oebps-package+xml";
const DOCUMENT_TYPES = ["application/xhtml+xml", "text/html", "text/x-oeb1-document"];
const NCX_TYPE = "application/x-dtbncx+xml";

export function parsePackage(xml: string): EpubPackage {
  const items = new Map<string, Item>();
  const titles: string[] = [];
  const authors: string[] = [];
  const spine: string[] = [];
  let coverId: string | undefined;
  let ncxId: string | undefined;
  readXml(xml, {
    open(name, { id = "", href = "", idref = "", properties = "", ...others }) {
      if (items.size + spine.length > ITEMS_MAX) throw new DocumentFailure("too_large");
      if (name === "item") items.set(id, { href, type: others["media-type"] ?? "", properties });
      if (name === "itemref" && others.linear !== "no") spine.push(idref);
      if (name === "spine") ncxId = others.toc;
      if (name === "meta" && others.name === "cover") coverId = others.content;
    },
    close(name, text) {
      if (name === "title") titles.push(text());
      if (name === "creator" && authors.length < AUTHORS_MAX) authors.push(text());
    },
  });
  const all = [...items.values()];
  const having = (property: string) =>
    all.find(({ properties }) => properties.split(/\s+/, 8).includes(property));
  const navigation = having("nav");
  const ncx = items.get(ncxId ?? "") ?? all.find(({ type }) => type === NCX_TYPE);
  const documents = spine.flatMap((id) => items.get(id) ?? []);
  return {
    title: titles.find((each) => each !== "") ?? null,
    author: authors.filter((each) => each !== "").join(", ") || null,
    documents: documents.filter((item) => item !== navigation && DOCUMENT_TYPES.includes(item.type)),
    contents: [navigation, ncx].flatMap((item) => item ?? []),
    cover: having("cover-image") ?? items.get(coverId ?? "") ?? null,
  };
}

/** An entry of a table of contents, whose address is from the folder of the table. */
type Entry = Pick<Section, "title" | "level"> & { href: string };

const levelOf = (depth: number) => (depth <= 1 ? 1 : 2);
/** Deeper ones divide a chapter. */
const LEVELS_MAX = 2;

/** Those of an EPUB 3's navigation. */
export function navigationEntries(xhtml: string): Entry[] {
  const entries: Entry[] = [];
  let isContents = false;
  let depth = 0;
  let href: string | null = null;
  readXml(xhtml, {
    open(name, attributes) {
      if (name === "nav")
        isContents = /(?:^|\s)toc(?:\s|$)/.test(attributes["epub:type"] ?? attributes.role ?? "");
      if (name === "ol") depth++;
      if (name === "a") href = attributes.href ?? null;
    },
    close(name, text) {
      if (name === "nav") isContents = false;
      if (name === "ol") depth--;
      if (name !== "a" || href === null) return;
      if (isContents && depth <= LEVELS_MAX) entries.push({ title: text(), href, level: levelOf(depth) });
      href = null;
    },
  });
  return entries;
}

/** Those of an EPUB 2's table. */
export function ncxEntries(xml: string): Entry[] {
  const entries: Entry[] = [];
  let depth = 0;
  let title = "";
  readXml(xml, {
    open(name, attributes) {
      if (name === "navPoint") depth++;
      if (name === "content" && depth >= 1 && depth <= LEVELS_MAX)
        entries.push({ title, href: attributes.src ?? "", level: levelOf(depth) });
    },
    close(name, text) {
      if (name === "navPoint") depth--;
      if (name === "text") title = text();
    },
  });
  return entries;
}
