/**
 * The text of HTML as it is read aloud, divided where chapters begin.
 *
 *   elements ──> paragraphs, headings, lines ──> │ section: heading, paragraphs │ section …
 *
 * A chapter begins at a heading of the first two levels, and where the table of contents says so. What is no text of the author,
 * such as navigation, notes of pages and pronunciations beside a word, is left out.
 */
import { Parser } from "htmlparser2";
import type { Section } from "../../src/documents/document-text.ts";
import { DocumentFailure } from "./document-failure.ts";

/** Where a chapter begins: by the id of its element; "" is the beginning of the document. */
export type Starts = ReadonlyMap<string, Pick<Section, "title" | "level">>;

export type Sections = {
  add(html: string, starts: Starts): void;
  /** Those with something to read. */
  end(): Section[];
};

const BLOCKS = new Set(
  "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main ol option p pre section summary table tr ul".split(
    " ",
  ),
);
const SILENT = new Set(
  "audio button canvas embed head iframe input math nav noscript object rp rt script select style svg template textarea title video".split(
    " ",
  ),
);
/** By the types and the roles that EPUB gives them. */
const SILENT_TYPES =
  /^(?:doc-)?(?:footnotes?|endnotes?|rearnotes?|noteref|backlink|pagebreak|page-list|toc|landmarks|index|annoref)$/;
const CELLS = new Set(["td", "th"]);
const HEADING = /^h([1-6])$/;
const DEPTH_MAX = 500;

type Attributes = Record<string, string>;

const isSilent = (name: string, attributes: Attributes): boolean =>
  SILENT.has(name) ||
  "hidden" in attributes ||
  attributes["aria-hidden"] === "true" ||
  [attributes["epub:type"], attributes.role].some((types) =>
    types?.split(/\s+/, 8).some((type) => SILENT_TYPES.test(type)),
  );

/** `textMax`: of all, in UTF-16 code units; `titleMax`: of a title, which is cut. */
export function openSections({ textMax, titleMax }: { textMax: number; titleMax: number }): Sections {
  const finished: Section[] = [];
  let section: Section = { title: "", level: 1, text: "" };
  let isNamed = false; // by the table of contents, whose title stays
  let hasBody = false;
  let length = 0;
  const put = (paragraph: string) => {
    length += paragraph.length + 2;
    if (length > textMax) throw new DocumentFailure("too_long");
    section.text += section.text === "" ? paragraph : `\n\n${paragraph}`;
  };
  const begin = ({ title, level }: Pick<Section, "title" | "level">) => {
    if (hasBody) {
      finished.push(section);
      section = { title, level, text: "" };
      isNamed = false;
      hasBody = false;
    } else if (!isNamed) section = { ...section, title, level };
  };
  return {
    add(html, starts) {
      const named = (id: string) => {
        const start = starts.get(id);
        if (!start) return;
        begin({ ...start, title: shortened(start.title, titleMax) });
        isNamed = true;
      };
      named("");
      readBlocks(html, {
        id: named,
        heading(text, level) {
          if (level <= 2)
            begin({ title: shortened(text.replaceAll("\n", " "), titleMax), level: level as 1 | 2 });
          else hasBody = true;
          put(text);
        },
        paragraph(text) {
          hasBody = true;
          put(text);
        },
      });
    },
    end: () => (section.text === "" ? finished : [...finished, section]),
  };
}

const shortened = (title: string, max: number) => title.slice(0, max).toWellFormed();

type Blocks = {
  id(id: string): void;
  heading(text: string, level: number): void;
  paragraph(text: string): void;
};

/** The blocks of HTML one by one, without their marks. */
function readBlocks(html: string, { id, heading, paragraph }: Blocks): void {
  let line = "";
  let level = 0; // of the heading that is open
  let depth = 0;
  let silentFrom = 0; // the depth of what is left out; 0: nothing is
  let preFrom = 0;
  let hasCell = false; // with text, in the row that is open
  let isNextCell = false; // whose text has not begun
  const endBlock = () => {
    const text = tidied(line);
    line = "";
    if (text === "") return;
    if (level > 0) heading(text, level);
    else paragraph(text);
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > DEPTH_MAX) throw new DocumentFailure("nested");
        if (silentFrom > 0) return;
        if (isSilent(name, attributes)) {
          silentFrom = depth;
          return;
        }
        if (BLOCKS.has(name)) endBlock();
        const found = attributes.id ?? (name === "a" ? attributes.name : undefined);
        if (found !== undefined && found !== "") {
          if (name !== "a" && name !== "span") endBlock();
          id(found);
        }
        if (name === "br") line += "\n";
        if (name === "tr") hasCell = isNextCell = false;
        if (CELLS.has(name)) isNextCell = hasCell;
        if (name === "pre" && preFrom === 0) preFrom = depth;
        level = Number(HEADING.exec(name)?.[1] ?? level);
      },
      ontext(text) {
        if (silentFrom > 0) return;
        if (/\S/.test(text)) {
          if (isNextCell) line += ", ";
          isNextCell = false;
          hasCell = true;
        }
        line += preFrom > 0 ? text : text.replace(/\s+/g, " ");
      },
      onclosetag(name) {
        depth--;
        if (silentFrom > 0) {
          if (depth < silentFrom) silentFrom = 0;
          return;
        }
        if (BLOCKS.has(name)) endBlock();
        if (HEADING.test(name)) level = 0;
        if (depth < preFrom) preFrom = 0;
      },
    },
    { recognizeSelfClosing: true, lowerCaseTags: true, decodeEntities: true },
  );
  for (let from = 0; from < html.length; from += WRITTEN) parser.write(html.slice(from, from + WRITTEN));
  parser.end();
  endBlock();
}

const WRITTEN = 64 * 1024;

/** Lines without spaces around them, none of which is empty. */
const tidied = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
