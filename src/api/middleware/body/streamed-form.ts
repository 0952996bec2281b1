/** A form whose file is passed on while it arrives, however large. Fields may come before or after it, and are kept. */
import { invalidInput, type Refusal } from "../../../errors.ts";
import { Gathered } from "../../../memory/spool.ts";
import { type BodyTimeouts, malformed, mediaTypeOf, readChunks } from "./body.ts";
import { asRefusal } from "./form.ts";
import { boundaryOf, MultipartError, MultipartReader, type Part, type PartVisitor } from "./multipart.ts";
import { type Parsed, TEXT_LIMIT } from "./upload-parser.ts";

/** `file`: the field that has it. `bytesMax`: of the file. `write`: called with its content in order. */
type StreamedReading = {
  file: string;
  bytesMax: number;
  tooLarge: () => Refusal;
  timeouts: BodyTimeouts;
  write: (bytes: Uint8Array) => Promise<void>;
};

/** `filename` null: it has no name. */
export type StreamedForm = Pick<Parsed, "text"> & { filename: string | null };

export function streamedBoundary(request: Request): string {
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  if (mediaTypeOf(request) === "multipart/form-data" && boundary !== null) return boundary;
  throw malformed("malformed", "must be multipart/form-data with a file");
}

export async function readStreamedForm(
  request: Request,
  { file, bytesMax, tooLarge, timeouts, write }: StreamedReading,
): Promise<StreamedForm> {
  const parts = new StreamedParts(file);
  const reader = new MultipartReader(streamedBoundary(request), parts);
  await readChunks(request, { limit: bytesMax + 2 * TEXT_LIMIT, tooLarge, timeouts }, async (chunk) => {
    asRefusal(() => reader.push(chunk));
    for (const bytes of parts.taken()) await write(bytes);
  });
  asRefusal(() => reader.end());
  return parts.parsed();
}

type Kept = { name: string; content: Gathered };

class StreamedParts implements PartVisitor {
  readonly #field: string;
  readonly #text = new Map<string, string[]>();
  #textBytes = 0;
  /** Of the file, not passed on yet: views of the chunk that is read. */
  #pending: Uint8Array[] = [];
  #file: { filename: string | null; bytes: number; isFile: boolean } | null = null;
  #current: "file" | "other" | Kept = "other";

  constructor(field: string) {
    this.#field = field;
  }

  begin({ name, isFile, filename }: Part): void {
    if (name === this.#field && this.#file === null) {
      this.#file = { filename, bytes: 0, isFile };
      this.#current = "file";
    } else this.#current = isFile ? "other" : { name, content: new Gathered() };
  }

  content(bytes: Uint8Array): void {
    if (this.#current === "other") return;
    if (this.#current === "file") {
      this.#file!.bytes += bytes.length;
      this.#pending.push(bytes);
      return;
    }
    this.#textBytes += bytes.length;
    if (this.#textBytes > TEXT_LIMIT)
      throw new MultipartError(`has more than ${TEXT_LIMIT} bytes of fields beside the file`, true);
    this.#current.content.append(bytes);
  }

  end(): void {
    if (this.#current === "file" || this.#current === "other") return;
    const { name, content } = this.#current;
    this.#text.set(name, [...(this.#text.get(name) ?? []), content.bytes().toString("utf8")]);
  }

  taken(): Uint8Array[] {
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }

  parsed(): StreamedForm {
    const field = this.#field;
    if (this.#file === null) throw invalidInput([{ field, code: "required", message: "is required" }]);
    const { filename, bytes, isFile } = this.#file;
    if (!isFile)
      throw invalidInput([{ field, code: "wrong_type", message: "must be a file part, with a filename" }]);
    if (bytes === 0) throw invalidInput([{ field, code: "too_short", message: "is empty" }]);
    return { text: this.#text, filename };
  }
}
