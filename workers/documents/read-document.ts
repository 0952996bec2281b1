/**
 * Reads one book or web page, which is hostile, in a process of its own that confines itself before it reads a byte.
 *
 *   PROGRAM epub|page <bytes> <characters> <of a title> [<charset>]
 *
 *   stdin (the file) ──> title, chapters, cover ──> stdout, as JSON: what was read, or why it was not
 */
import { readSync } from "node:fs";
import type { DocumentAnswer } from "../../src/documents/document-text.ts";
import { DECODE_CPU_SECONDS } from "../../src/engine/media/decode-exit.ts";
import { writeAll } from "../media/source/upload.ts";
import { confine } from "../sandbox/confine.ts";
import { DocumentFailure } from "./document-failure.ts";
import { readEpub } from "./epub.ts";
import { readPage } from "./web-article.ts";

const [kind, sizeMax, textMax, titleMax, charset = ""] = process.argv.slice(2);
confine({ cpuSeconds: DECODE_CPU_SECONDS });
writeAll(Buffer.from(JSON.stringify(answer())));
process.exit(0);

function answer(): DocumentAnswer {
  const limits = { textMax: Number(textMax), titleMax: Number(titleMax) };
  try {
    const bytes = input(Number(sizeMax));
    return { document: kind === "epub" ? readEpub(bytes, limits) : readPage(bytes, charset, limits) };
  } catch (error) {
    if (error instanceof DocumentFailure) return { fault: error.fault, by: error.by };
    return { fault: "damaged", by: "" };
  }
}

/** Until its end, or more than there may be. */
function input(sizeMax: number): Buffer {
  const piece = Buffer.alloc(256 * 1024);
  const pieces: Buffer[] = [];
  let size = 0;
  for (;;) {
    const read = readSync(0, piece, 0, piece.length, null);
    if (read === 0) return Buffer.concat(pieces, size);
    size += read;
    if (size > sizeMax) throw new DocumentFailure("too_large");
    pieces.push(Buffer.from(piece.subarray(0, read)));
  }
}
