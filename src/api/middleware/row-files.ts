/** Files that are written as the client takes them: rows, page by page, and what is read at once. */
import { csvLine, type Row } from "../../csv.ts";
import { pulled } from "./stream.ts";

/** Rows of equal fields, after a line of their names; without rows, an empty file. */
export async function* csvFile(pages: AsyncGenerator<Row[]>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const rows of pages) {
    const header = isFirst ? csvLine(Object.keys(rows[0]!)) : "";
    isFirst = false;
    yield header + rows.map((row) => csvLine(Object.values(row))).join("");
  }
}

/** One array. */
export async function* jsonFile(pages: AsyncGenerator<object[]>): AsyncGenerator<string> {
  let separator = "[\n";
  for await (const rows of pages) {
    yield separator + rows.map((row) => JSON.stringify(row)).join(",\n");
    separator = ",\n";
  }
  yield separator === ",\n" ? "\n]\n" : "[]\n";
}

/** One record to a line. */
export async function* linesOf(pages: Iterable<object[]> | AsyncIterable<object[]>): AsyncGenerator<string> {
  for await (const rows of pages) yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** Read when the client has taken what is before it. */
export async function* inOnePiece<T>(read: () => T | Promise<T>): AsyncGenerator<T> {
  yield await read();
}

/** `type`: its media type. */
type File = { name: string; type: string; content: AsyncGenerator<string | Uint8Array> };

/** For the client to save: what is written is read as it takes it, and no more is read once it leaves. */
export function fileOf({ name, type, content }: File): Response {
  const headers = {
    "content-type": type,
    "content-disposition": `attachment; filename="${name}"`,
    "cache-control": "no-store",
  };
  return new Response(
    pulled(bytesOf(content), () => {}),
    { headers },
  );
}

async function* bytesOf(content: File["content"]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of content) yield typeof chunk === "string" ? encoder.encode(chunk) : chunk;
}
