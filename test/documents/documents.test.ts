/**
 * Promise: of an EPUB and of a web page the text is read in its order, with chapters, title, author and cover; what is protected,
 * damaged or made to do harm is refused by name, in bounded time and memory.
 */
import { afterAll, expect, test } from "bun:test";
import Zip from "adm-zip";
import { openDocuments } from "../../src/documents/document-reader.ts";
import { parseDocument } from "../../src/documents/document-text.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { containerOf, type EpubContents, epubOf, xhtmlOf } from "./epub-file.ts";

const documents = openDocuments();
afterAll(() => documents[Symbol.asyncDispose]());

const limits = { textMax: 100_000, titleMax: 40 };

async function* chunksOf(bytes: Uint8Array) {
  for (let from = 0; from < bytes.length; from += 100_000) yield bytes.subarray(from, from + 100_000);
}

const read = (kind: "epub" | "page", bytes: Uint8Array, charset = "") =>
  documents.read({ kind, content: chunksOf(bytes), charset, limits, field: "input_file_id" }, soleClaim());
const readBook = (contents: EpubContents) => read("epub", epubOf(contents));
const readPage = (html: string) => read("page", Buffer.from(html));

const PNG = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");

test("a book is read in the order of its spine, with chapters from its table of contents and its headings", async () => {
  const book = await readBook({
    title: "The <![CDATA[old]]> house &amp; more",
    authors: ["A. Writer", "B. Writer"],
    chapters: [
      {
        name: "text/one.xhtml",
        body: `<h1>By the river</h1><p>We are at the <em>old</em> house<a epub:type="noteref" href="#n">1</a> by&nbsp;the river.<br/>Yes.</p>
<aside epub:type="footnote" id="n">A note.</aside><p hidden="">Unseen.</p><script>no()</script><table><tr><td>a</td><td/><td>b</td></tr></table>`,
      },
      {
        name: "text/two%20b.xhtml",
        body: `<p>Still the first.</p><div id="away"><p>We go away.</p><ul><li>One</li><li><p>Two</p></li></ul></div><h2>Home</h2><h3>At last</h3><p>We are at home.</p>`,
      },
    ],
    navigation: `<li><a href="text/one.xhtml">1. <b>By the river</b></a><ol><li><a href="text/two%20b.xhtml#away">Away</a></li></ol></li>`,
    cover: { bytes: PNG },
  });
  expect(book).toEqual({
    title: "The old house & more",
    author: "A. Writer, B. Writer",
    sections: [
      {
        title: "1. By the river",
        level: 1,
        text: "By the river\n\nWe are at the old house by the river.\nYes.\n\na, b\n\nStill the first.",
      },
      { title: "Away", level: 2, text: "We go away.\n\nOne\n\nTwo" },
      { title: "Home", level: 2, text: "Home\n\nAt last\n\nWe are at home." },
    ],
    cover: { type: "image/png", base64: PNG.toString("base64") },
  });
});

test("an EPUB 2 has its chapters in an NCX, and its cover by its metadata", async () => {
  const book = await readBook({
    chapters: [{ name: "all.html", body: '<p>Before.</p><p id="a">First.</p><p id="b">Second.</p>' }],
    ncx: `<navPoint><navLabel><text>One</text></navLabel><content src="all.html#a"/></navPoint>
<navPoint><navLabel><text>Two</text></navLabel><content src="all.html#b"/></navPoint>`,
    cover: { bytes: PNG, isNamedByMeta: true },
  });
  expect(book.sections).toEqual([
    { title: "", level: 1, text: "Before." },
    { title: "One", level: 1, text: "First." },
    { title: "Two", level: 1, text: "Second." },
  ]);
  expect([book.title, book.author, book.cover?.type]).toEqual([null, null, "image/png"]);
});

const ONE = [{ name: "a.xhtml", body: "<p>One.</p>" }];
const encryptionOf = (algorithm: string, uri: string) =>
  `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/><enc:CipherData><enc:CipherReference URI="${uri}"/></enc:CipherData></enc:EncryptedData></encryption>`;
const AES = "http://www.w3.org/2001/04/xmlenc#aes256-cbc";

test("fonts that are hidden from copying protect no book", async () => {
  const font = encryptionOf("http://www.idpf.org/2008/embedding", "OEBPS/font.otf");
  const book = await readBook({ chapters: ONE, more: { "META-INF/encryption.xml": font } });
  expect(book.sections).toEqual([{ title: "", level: 1, text: "One." }]);
});

test.each([
  ["Readium LCP", { "META-INF/license.lcpl": "{}" }],
  ["Apple FairPlay", { "META-INF/sinf.xml": "<sinf/>" }],
  ["Adobe ADEPT", { "META-INF/rights.xml": "<rights/>" }],
  ["encryption", {}],
])("a book that %s protects is refused by this name", async (name, more) => {
  const encryption = { "META-INF/encryption.xml": encryptionOf(AES, "OEBPS/a.xhtml") };
  await expect(readBook({ chapters: ONE, more: { ...encryption, ...more } })).rejects.toMatchObject({
    ...{ code: "validation_error", param: "input_file_id" },
    message: expect.stringContaining(`that is protected by ${name}`),
  });
});

test("an entry with a password is refused by name", async () => {
  const bytes = epubOf({ chapters: ONE });
  for (let at = bytes.indexOf("PK\x01\x02"); at >= 0; at = bytes.indexOf("PK\x01\x02", at + 4))
    bytes[at + 8] = bytes[at + 8]! | 1;
  await expect(read("epub", bytes)).rejects.toMatchObject({
    message: expect.stringContaining("protected by a password"),
  });
});

/** An archive whose only document is so many times the same megabyte. */
const bomb = (megabytes: number, count: number) => {
  const body = `<p>${"a ".repeat(megabytes * 512 * 1024)}</p>`;
  return Array.from({ length: count }, (_, index) => ({ name: `${index}.xhtml`, body }));
};
const WITHOUT_PACKAGE = { "META-INF/container.xml": "<container/>" };
const OUTSIDE = { "META-INF/container.xml": containerOf("../../etc/passwd") };
const AT_ROOT = { "META-INF/container.xml": containerOf("/etc/passwd") };

test.each([
  ["is none", () => Buffer.from("PK and no more"), "damaged"],
  ["is cut off", () => epubOf({ chapters: ONE }).subarray(0, 400), "damaged"],
  ["has no package", () => epubOf({ chapters: ONE, more: WITHOUT_PACKAGE }), "damaged"],
  ["names a file outside", () => epubOf({ chapters: ONE, more: OUTSIDE }), "outside of itself"],
  ["names a file of the system", () => epubOf({ chapters: ONE, more: AT_ROOT }), "outside of itself"],
  [
    "has no text",
    () => epubOf({ chapters: [{ name: "a.xhtml", body: '<img src="a.png"/>' }] }),
    "without text",
  ],
  [
    "has a document that is too large",
    () => epubOf({ chapters: bomb(17, 1) }),
    "more content than may be read",
  ],
  ["has too many documents", () => epubOf({ chapters: bomb(0.04, 120) }), "more text than a job may speak"],
  [
    "is nested too deeply",
    () => epubOf({ chapters: [{ name: "a.xhtml", body: "<div>".repeat(100_000) }] }),
    "nested too deeply",
  ],
  [
    "has a package that is nested too deeply",
    () => epubOf({ chapters: ONE, more: { "OEBPS/book.opf": "<a>".repeat(100_000) } }),
    "nested too deeply",
  ],
])("a book that %s is refused", async (_, make, said) => {
  await expect(read("epub", make())).rejects.toMatchObject({
    code: "validation_error",
    message: expect.stringContaining(said),
  });
});

test("an entry that inflates to more than it announces is refused", async () => {
  const zip = new Zip(epubOf({ chapters: [{ name: "a.xhtml", body: "<p>a</p>".repeat(100_000) }] }));
  const bytes = zip.toBuffer();
  const name = bytes.lastIndexOf("OEBPS/a.xhtml");
  bytes.writeUInt32LE(100, name - 46 + 24); // the size in the central directory
  await expect(read("epub", bytes)).rejects.toMatchObject({ message: expect.stringContaining("damaged") });
});

test("entities that would grow without end are not expanded", async () => {
  const entities = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`;
  const body = xhtmlOf("<p>Text &b; more.</p>").replace("<!DOCTYPE html>", entities);
  const { sections } = await readBook({ chapters: ONE, more: { "OEBPS/a.xhtml": body } });
  expect(sections.map(({ text }) => text.length < 200)).toEqual([true]);
});

const PARAGRAPH =
  "This is a paragraph of the article, with some commas, so that it is known as such, and with enough words to be one. ".repeat(
    4,
  );
const ARTICLE = `<html><head><title>The river rises</title></head><body><nav><a href="/">Home</a> Menu</nav>
<article><h1>The river rises</h1><p>${PARAGRAPH}</p><h2>What is known</h2><p>${PARAGRAPH}</p><h2>What is not</h2><p>${PARAGRAPH}</p></article>
<aside>Read also</aside><footer>Imprint</footer></body></html>`;

test("a web page is read without what stands around its article", async () => {
  const { title, sections } = await readPage(ARTICLE);
  expect(title).toBe("The river rises");
  expect(sections.map((each) => each.title)).toEqual(["The river rises", "What is known", "What is not"]);
  const text = sections.map((each) => each.text).join("\n");
  expect(text).toContain("enough words to be one.");
  for (const other of ["Menu", "Read also", "Imprint"]) expect(text).not.toContain(other);
});

test("a page without an article is read as a whole, in its own characters", async () => {
  const page = '<meta charset="windows-1252"><title>Short</title><p>Caf\xe9.';
  const { sections } = await read("page", Buffer.from(page, "latin1"));
  expect(sections).toEqual([{ title: "Short", level: 1, text: "Short\n\nCafé." }]);
  const said = await read("page", Buffer.from("<p>Caf\xe9.", "latin1"), "iso-8859-1");
  expect(said.sections.map(({ text }) => text)).toEqual(["Café."]);
});

test.each([
  ["without text", "<title>Only a title</title><script>text()</script>", "without text"],
  ["that is nested too deeply", "<div>".repeat(100_000), "nested too deeply"],
  ["with too many elements", "<i></i>".repeat(150_000), "more content than may be read"],
  ["that is too large", "x".repeat(11 * 1024 * 1024), "more content than may be read"],
])("a page %s is refused", async (_, html, said) => {
  await expect(readPage(html)).rejects.toMatchObject({ message: expect.stringContaining(said) });
});

test("who leaves ends the reading, and content that breaks off is no fault of the document", async () => {
  const leaving = new AbortController();
  async function* endless() {
    yield Buffer.from("<p>");
    leaving.abort(new Error("left"));
    for (;;) {
      await new Promise(setImmediate);
      yield Buffer.from("<p>");
    }
  }
  const source = { kind: "page", charset: "", limits, field: "input_url" } as const;
  const left = documents.read({ ...source, content: endless() }, soleClaim(leaving.signal));
  await expect(left).rejects.toThrow("left");
  async function* broken() {
    yield Buffer.from("<p>");
    throw new Error("broke off");
  }
  await expect(documents.read({ ...source, content: broken() }, soleClaim())).rejects.toThrow("broke off");
});

test.each([
  "",
  "[]",
  '{"fault":"other","by":""}',
  '{"fault":"empty","by":"<b>"}',
  '{"document":{"title":1,"author":null,"sections":[],"cover":null}}',
  '{"document":{"title":null,"author":null,"sections":[{"title":"","level":3,"text":""}],"cover":null}}',
  `{"document":{"title":null,"author":null,"sections":[{"title":"","level":1,"text":"${"x".repeat(100_001)}"}],"cover":null}}`,
  '{"document":{"title":null,"author":null,"sections":[],"cover":{"type":"text/html","base64":"AAAA"}}}',
])("an answer that no reader gives is not believed: %s", (json) => {
  expect(parseDocument(json, limits)).toBeNull();
});
