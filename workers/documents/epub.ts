/**
 * Reads an EPUB: its text in the order of its spine, with chapters from its headings and its table of contents, its title and its cover.
 * One whose text is encrypted is refused, by the name of what protects it.
 */
import {
  COVER_BYTES_MAX,
  type Cover,
  type DocumentText,
  pictureType,
} from "../../src/documents/document-text.ts";
import { DocumentFailure } from "./document-failure.ts";
import {
  type EpubPackage,
  navigationEntries,
  ncxEntries,
  packagePathIn,
  parsePackage,
  readXml,
} from "./epub-package.ts";
import { openSections, type Starts } from "./spoken-sections.ts";
import { openZip, type ZipEntries } from "./zip-entries.ts";

export type ReadingLimits = { textMax: number; titleMax: number };

export function readEpub(bytes: Buffer, limits: ReadingLimits): DocumentText {
  const zip = openZip(bytes);
  const container = zip.read("META-INF/container.xml");
  if (container === null) throw new DocumentFailure("damaged");
  refuseProtected(zip);
  const path = pathFrom("", packagePathIn(textOf(container))).path;
  const found = parsePackage(textOf(required(zip, path)));
  const starts = startsIn(zip, path, found);
  const sections = openSections(limits);
  for (const { href } of found.documents) {
    const { path: name } = pathFrom(path, href);
    sections.add(textOf(required(zip, name)), starts.get(name) ?? NOWHERE);
  }
  const all = sections.end();
  if (all.length === 0) throw new DocumentFailure("empty");
  const title = found.title?.slice(0, limits.titleMax).toWellFormed() ?? null;
  const author = found.author?.slice(0, limits.titleMax).toWellFormed() ?? null;
  return { title, author, sections: all, cover: coverIn(zip, path, found) };
}

const NOWHERE: Starts = new Map();

function required(zip: ZipEntries, name: string): Buffer {
  const bytes = zip.read(name);
  if (bytes === null) throw new DocumentFailure("damaged");
  return bytes;
}

/** XML is in UTF-8 or UTF-16, by its first bytes. */
function textOf(bytes: Buffer): string {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/** Addresses within the archive, from the file that names them. Refuses one that leads out of it. */
function pathFrom(file: string, href: string): { path: string; fragment: string } {
  const hash = href.indexOf("#");
  const fragment = hash < 0 ? "" : decoded(href.slice(hash + 1));
  const name = decoded(hash < 0 ? href : href.slice(0, hash));
  if (name === "") return { path: file, fragment };
  if (/^(?:[a-z][\w+.-]*:|\/|\\)/i.test(name)) throw new DocumentFailure("outside");
  const folders = file.split("/").slice(0, -1);
  for (const part of name.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") folders.push(part);
    else if (folders.pop() === undefined) throw new DocumentFailure("outside");
  }
  return { path: folders.join("/"), fragment };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Algorithms that only hide fonts from being copied. */
const OF_FONTS = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];
const FONTS = /\.(?:[ot]tf|ttc|woff2?)$/i;

/** Which files tell who protects a book. */
const SYSTEMS: [file: string, name: string][] = [
  ["META-INF/license.lcpl", "Readium LCP"],
  ["META-INF/sinf.xml", "Apple FairPlay"],
  ["META-INF/rights.xml", "Adobe ADEPT"],
];

function refuseProtected(zip: ZipEntries): void {
  const encryption = zip.read("META-INF/encryption.xml");
  if (encryption === null) return;
  let algorithm = "";
  let isProtected = false;
  readXml(textOf(encryption), {
    open(name, { Algorithm, URI = "" }) {
      if (name === "EncryptedData") algorithm = "";
      if (name === "EncryptionMethod") algorithm = Algorithm ?? "";
      if (name === "CipherReference" && !OF_FONTS.includes(algorithm) && !FONTS.test(URI)) isProtected = true;
    },
  });
  if (!isProtected) return;
  const system = SYSTEMS.find(([file]) => zip.has(file));
  throw new DocumentFailure("protected", system?.[1] ?? "encryption");
}

/** By the paths of the documents. A table of contents that cannot be read is as none. */
function startsIn(zip: ZipEntries, path: string, { contents }: EpubPackage): Map<string, Starts> {
  const starts = new Map<string, Map<string, { title: string; level: 1 | 2 }>>();
  const [table] = contents;
  if (!table) return starts;
  const { path: name } = pathFrom(path, table.href);
  const xml = zip.read(name);
  if (xml === null) return starts;
  const entries = (table.type.includes("ncx") ? ncxEntries : navigationEntries)(textOf(xml));
  for (const { title, level, href } of entries) {
    const to = pathFrom(name, href);
    const known = starts.get(to.path) ?? new Map();
    starts.set(to.path, known);
    if (title !== "" && !known.has(to.fragment)) known.set(to.fragment, { title, level });
  }
  return starts;
}

/** One that is no picture, or too large, is left out. */
function coverIn(zip: ZipEntries, path: string, { cover }: EpubPackage): Cover | null {
  if (cover === null) return null;
  const bytes = zip.read(pathFrom(path, cover.href).path);
  if (bytes === null || bytes.length > COVER_BYTES_MAX) return null;
  const type = pictureType(bytes);
  return type && { type, base64: bytes.toString("base64") };
}
