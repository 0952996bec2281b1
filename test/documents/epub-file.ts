/** An EPUB that a test describes, as a file. */
import Zip from "adm-zip";

type Chapter = { name: string; body: string };

export type EpubContents = {
  title?: string;
  authors?: string[];
  chapters: Chapter[];
  /** Lines of the table of contents: `<li>` elements of EPUB 3. */
  navigation?: string;
  /** Of EPUB 2: `<navPoint>` elements. */
  ncx?: string;
  /** Bytes of a picture, and whether EPUB 2 names it. */
  cover?: { bytes: Buffer; isNamedByMeta?: boolean };
  /** Beside these, by their paths. */
  more?: Record<string, string | Buffer>;
};

const XHTML = "application/xhtml+xml";

export const containerOf = (path: string) =>
  `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="${path}" media-type="application/oebps-package+xml"/></rootfiles></container>`;

export const xhtmlOf = (body: string) =>
  `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title/><style>p { margin: 0 }</style></head><body>${body}</body></html>`;

function packageOf({ title, authors = [], chapters, navigation, ncx, cover }: EpubContents): string {
  const items = [
    ...chapters.map(({ name }, index) => `<item id="c${index}" href="${name}" media-type="${XHTML}"/>`),
    ...(navigation ? [`<item id="nav" href="nav.xhtml" media-type="${XHTML}" properties="nav"/>`] : []),
    ...(ncx ? ['<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'] : []),
    ...(cover
      ? [
          `<item id="cover" href="cover.img" media-type="image/png"${cover.isNamedByMeta ? "" : ' properties="cover-image"'}/>`,
        ]
      : []),
  ];
  return `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
${title === undefined ? "" : `<dc:title>${title}</dc:title>`}${authors.map((name) => `<dc:creator>${name}</dc:creator>`).join("")}
${cover?.isNamedByMeta ? '<meta name="cover" content="cover"/>' : ""}</metadata><manifest>${items.join("")}</manifest>
<spine${ncx ? ' toc="ncx"' : ""}>${navigation ? '<itemref idref="nav"/>' : ""}${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join("")}</spine></package>`;
}

export function epubOf(contents: EpubContents): Buffer {
  const { chapters, navigation, ncx, cover, more = {} } = contents;
  const zip = new Zip();
  const files: Record<string, string | Buffer> = {
    mimetype: "application/epub+zip",
    "META-INF/container.xml": containerOf("OEBPS/book.opf"),
    "OEBPS/book.opf": packageOf(contents),
    ...Object.fromEntries(
      chapters.map(({ name, body }) => [`OEBPS/${decodeURIComponent(name)}`, xhtmlOf(body)]),
    ),
    ...(navigation && {
      "OEBPS/nav.xhtml": xhtmlOf(`<nav epub:type="toc"><ol>${navigation}</ol></nav>`),
    }),
    ...(ncx && {
      "OEBPS/toc.ncx": `<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>${ncx}</navMap></ncx>`,
    }),
    ...(cover && { "OEBPS/cover.img": cover.bytes }),
    ...more,
  };
  for (const [name, content] of Object.entries(files)) zip.addFile(name, Buffer.from(content));
  return zip.toBuffer();
}
