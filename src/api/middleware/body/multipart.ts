/**
 * A streaming parser of multipart/form-data (RFC 7578). Only the visitor keeps any of the content.
 *
 *   preamble ─> --boundary ─> headers ─> content ─┬─> --boundary ─> headers …
 *                                                 └─> --boundary--   (the epilogue is ignored)
 *
 * Runs in linear time; the number of parts and the size of their headers are limited.
 */
/** `filename` null: it is no file, or has no name. */
export type Part = { name: string; isFile: boolean; filename: string | null };

/** Called with each part, then with chunks of its content. Chunks are views that are valid only during the call. */
export type PartVisitor = { begin(part: Part): void; content(bytes: Uint8Array): void; end(): void };

/** The body is not multipart, or exceeds a limit. The message continues "The request body …". */
export class MultipartError extends Error {
  readonly isTooLong: boolean;

  constructor(message: string, isTooLong = false) {
    super(message);
    this.isTooLong = isTooLong;
  }
}

const PARTS_MAX = 256;
const HEADERS_MAX = 8192; // bytes, of one part
const BOUNDARY = /boundary=(?:"([^"]{1,256})"|([^;\s"]{1,256}))/i;

/** Null if the header names no boundary. */
export function boundaryOf(contentType: string): string | null {
  const match = BOUNDARY.exec(contentType.slice(0, 1024));
  return match?.[1] ?? match?.[2] ?? null;
}

type State = "content" | "delimiter" | "headers" | "done";

export class MultipartReader {
  readonly #delimiter: Buffer;
  readonly #visitor: PartVisitor;
  #state: State = "content";
  #isPreamble = true;
  #partCount = 0;
  #rest: Buffer = Buffer.from("\r\n"); // so that the first boundary is matched like all others

  constructor(boundary: string, visitor: PartVisitor) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#visitor = visitor;
  }

  push(chunk: Uint8Array): void {
    if (this.#state === "done") return;
    this.#rest = this.#behindRest(viewOf(chunk));
    while (this.#step());
    this.#rest = Buffer.from(this.#rest); // copies the small remainder, so that the chunk can be freed
  }

  /** Throws if the closing boundary is missing. */
  end(): void {
    if (this.#state !== "done") throw malformed();
  }

  /** Content that no boundary begins in is passed on by itself: the chunk would be copied to stand behind it. */
  #behindRest(chunk: Buffer): Buffer {
    if (this.#rest.length === 0) return chunk;
    if (this.#state === "content" && chunk.length >= this.#delimiter.length) {
      const seam = Buffer.concat([this.#rest, chunk.subarray(0, this.#delimiter.length)]);
      const position = seam.indexOf(this.#delimiter);
      if (position < 0 || position >= this.#rest.length) {
        if (!this.#isPreamble) this.#visitor.content(this.#rest);
        return chunk;
      }
    }
    return Buffer.concat([this.#rest, chunk]);
  }

  /** Advances to the next state; false if more bytes are needed. */
  #step(): boolean {
    switch (this.#state) {
      case "content":
        return this.#readContent();
      case "delimiter":
        return this.#readDelimiter();
      case "headers":
        return this.#readHeaders();
      case "done":
        this.#rest = Buffer.alloc(0);
        return false;
    }
  }

  #readContent(): boolean {
    const position = this.#rest.indexOf(this.#delimiter);
    const sure = position >= 0 ? position : Math.max(0, this.#rest.length - this.#delimiter.length + 1);
    if (!this.#isPreamble && sure > 0) this.#visitor.content(this.#rest.subarray(0, sure));
    this.#rest = this.#rest.subarray(position >= 0 ? position + this.#delimiter.length : sure);
    if (position >= 0) this.#state = "delimiter";
    return position >= 0;
  }

  /** After a boundary: "--" at the end of the body, else optional blanks and a line end. */
  #readDelimiter(): boolean {
    const lineEnd = this.#rest.indexOf("\r\n");
    if (this.#rest.length >= 2 && this.#rest.toString("latin1", 0, 2) === "--") {
      this.#endPart();
      this.#state = "done";
      return true;
    }
    if (lineEnd < 0 && this.#rest.length <= HEADERS_MAX) return false;
    if (lineEnd < 0 || this.#rest.toString("latin1", 0, lineEnd).trim() !== "") throw malformed();
    this.#endPart();
    this.#rest = this.#rest.subarray(lineEnd + 2);
    this.#state = "headers";
    return true;
  }

  #readHeaders(): boolean {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (end > HEADERS_MAX || (end < 0 && this.#rest.length > HEADERS_MAX))
      throw new MultipartError("has a part with too many headers", true);
    if (end < 0) return false;
    this.#partCount++;
    if (this.#partCount > PARTS_MAX) throw new MultipartError(`has more than ${PARTS_MAX} parts`, true);
    this.#visitor.begin(partOf(this.#rest.toString("utf8", 0, end)));
    this.#rest = this.#rest.subarray(end + 4);
    this.#state = "content";
    this.#isPreamble = false;
    return true;
  }

  #endPart(): void {
    if (!this.#isPreamble) this.#visitor.end();
  }
}

function partOf(headers: string): Part {
  const disposition = headers
    .split("\r\n")
    .map((line) => line.trim())
    .find((line) => line.slice(0, 20).toLowerCase() === "content-disposition:");
  const parameters = parametersOf(disposition ?? "");
  const name = parameters.get("name");
  if (name === undefined) throw malformed();
  const isFile = parameters.has("filename") || parameters.has("filename*");
  return {
    name,
    isFile,
    filename: extended(parameters.get("filename*")) ?? parameters.get("filename") ?? null,
  };
}

/** A name as RFC 5987 writes it, in UTF-8. */
function extended(value: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? "")?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

/** The parameters of a header's value, by lower-case name. Quoted values may contain backslash escapes. */
function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let position = header.indexOf(";");
  while (position >= 0 && position < header.length) {
    const equals = header.indexOf("=", position);
    if (equals < 0) break;
    const name = header
      .slice(position + 1, equals)
      .trim()
      .toLowerCase();
    const { value, end } =
      header[equals + 1] === '"' ? quoted(header, equals + 2) : plain(header, equals + 1);
    if (!parameters.has(name)) parameters.set(name, value);
    position = header.indexOf(";", end);
  }
  return parameters;
}

function quoted(header: string, start: number): { value: string; end: number } {
  let value = "";
  let position = start;
  for (; position < header.length && header[position] !== '"'; position++) {
    const isEscape =
      header[position] === "\\" && (header[position + 1] === '"' || header[position + 1] === "\\");
    if (isEscape) position++;
    value += header[position];
  }
  return { value, end: position };
}

function plain(header: string, start: number): { value: string; end: number } {
  const semicolon = header.indexOf(";", start);
  const end = semicolon < 0 ? header.length : semicolon;
  return { value: header.slice(start, end).trim(), end };
}

const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
const malformed = () => new MultipartError("is not well-formed multipart/form-data");
