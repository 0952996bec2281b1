/** Reads a web page: the text of its article, as a browser's reader view has it, with its headings. Without one, all of its text. */
import { Readability } from "@mozilla/readability";
import { Parser } from "htmlparser2";
import { parseHTML } from "linkedom";
import type { DocumentText } from "../../src/documents/document-text.ts";
import { DocumentFailure } from "./document-failure.ts";
import type { ReadingLimits } from "./epub.ts";
import { openSections } from "./spoken-sections.ts";

const ELEMENTS_MAX = 100_000;
const DEPTH_MAX = 500;

/** `charset`: as its sender says; "": it does not. */
export function readPage(bytes: Buffer, charset: string, limits: ReadingLimits): DocumentText {
  const html = decodedPage(bytes, charset);
  const title = oneLine(titleIn(html));
  const { document } = parseHTML(
    /<html[\s>]/i.test(html.slice(0, HEAD_BYTES)) ? html : `<html><body>${html}`,
  );
  const article = new Readability(document as never).parse();
  const name = oneLine(article?.title ?? "") || title;
  const sections = openSections(limits);
  const heading = name === "" ? "" : `<h1>${escaped(name)}</h1>`;
  sections.add(`${heading}${article?.content || html}`, new Map());
  const all = sections.end();
  if (all.every(({ text }) => text === name)) throw new DocumentFailure("empty");
  return {
    title: name === "" ? null : shortened(name, limits),
    author: article?.byline ? shortened(oneLine(article.byline), limits) : null,
    sections: all,
    cover: null,
  };
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
const shortened = (text: string, { titleMax }: ReadingLimits) => text.slice(0, titleMax).toWellFormed();
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Refuses what is endless before a tree is made of it. */
function titleIn(html: string): string {
  let elements = 0;
  let depth = 0;
  let title = "";
  let titles = 0; // a drawing has its own
  let isTitle = false;
  const parser = new Parser({
    onopentagname(name) {
      if (name === "title") {
        titles++;
        isTitle = true;
      }
      if (++elements > ELEMENTS_MAX) throw new DocumentFailure("too_large");
      if (++depth > DEPTH_MAX) throw new DocumentFailure("nested");
    },
    ontext(text) {
      if (isTitle && titles === 1) title += text;
    },
    onclosetag(name) {
      if (name === "title") isTitle = false;
      depth--;
    },
  });
  parser.write(html);
  parser.end();
  return title;
}

const HEAD_BYTES = 1024;

/** By its first bytes, its sender, or itself; UTF-8 where none says. */
function decodedPage(bytes: Buffer, charset: string): string {
  const head = bytes.toString("latin1", 0, HEAD_BYTES);
  const own = /<meta[^>]{0,200}charset\s{0,5}=\s{0,5}["']?([\w-]{1,40})/i.exec(head)?.[1] ?? "";
  const marked = head.startsWith("\xff\xfe") ? "utf-16le" : head.startsWith("\xfe\xff") ? "utf-16be" : "";
  for (const label of [marked, charset, own]) {
    if (label === "") continue;
    try {
      return new TextDecoder(label as "utf-8").decode(bytes);
    } catch {} // another one may be known
  }
  return new TextDecoder().decode(bytes);
}
