/**
 * The form of a new voice or consent, as stock clients send it: a name, a recording, and of a voice its consent, as a recording,
 * a statement or an id.
 * Its two files are kept in memory that is counted and limited; others are ignored.
 */
import { Refusal } from "../../../errors.ts";
import type { Room } from "../../../memory/budget.ts";
import { Gathered } from "../../../memory/spool.ts";
import {
  announcedBytes,
  type BodyTimeouts,
  malformed,
  mediaTypeOf,
  readChunks,
} from "../../middleware/body/body.ts";
import { formFingerprint } from "../../middleware/body/idempotency.ts";
import {
  boundaryOf,
  MultipartError,
  MultipartReader,
  type Part,
  type PartVisitor,
} from "../../middleware/body/multipart.ts";
import type { Hold } from "../../middleware/body/upload-parser.ts";

const VOICE_FILE_LIMIT = 10 * 1024 * 1024; // thirty seconds of the largest formats, with room
const TEXT_LIMIT = 64 * 1024;
export const VOICE_FORM_LIMIT = 2 * VOICE_FILE_LIMIT + TEXT_LIMIT;

/** The names of parts that hold files, and what they mean. */
const FILES = new Map([
  ["audio_sample", "recording"],
  ["recording", "recording"],
  ["file", "recording"],
  ["files", "recording"],
  ["consent", "consent"],
] as const);

type FileName = "recording" | "consent";

export type VoiceForm = { files: Map<FileName, Uint8Array>; text: Map<string, string[]> };

/** `expected`: what a refusal says that the body must be. */
type FormReading = {
  timeouts: BodyTimeouts;
  hold: Hold;
  uploads: Room;
  organizationId: string;
  expected: string;
};

/** Reading starts once the organization's other uploads leave room. */
export async function readVoiceForm(
  request: Request,
  { timeouts, hold, uploads, organizationId, expected }: FormReading,
): Promise<VoiceForm> {
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  if (mediaTypeOf(request) !== "multipart/form-data" || boundary === null)
    throw malformed("malformed", `must be ${expected}`);
  const sizeBytes = Math.min(announcedBytes(request) || VOICE_FORM_LIMIT, VOICE_FORM_LIMIT);
  using _turn = await uploads.enter({ organizationId, sizeBytes, signal: request.signal });
  const parts = new VoiceParts(hold);
  const reader = new MultipartReader(boundary, parts);
  try {
    await readChunks(request, { limit: VOICE_FORM_LIMIT, tooLarge: parts.tooLarge, timeouts }, (chunk) =>
      reader.push(chunk),
    );
    reader.end();
  } catch (cause) {
    if (!(cause instanceof MultipartError)) throw cause;
    throw malformed(cause.isTooLong ? "too_long" : "malformed", cause.message);
  }
  return parts.form();
}

type Current = { name: string; file: FileName | null; kept: Gathered | null };

class VoiceParts implements PartVisitor {
  readonly #hold: Hold;
  readonly #files = new Map<FileName, Gathered>();
  readonly #text = new Map<string, string[]>();
  #textBytes = 0;
  #current: Current = { name: "", file: null, kept: null };

  constructor(hold: Hold) {
    this.#hold = hold;
  }

  /** Names the file that is being read. */
  readonly tooLarge = () => {
    const { name: param } = this.#current;
    const message = `A recording is larger than 10 MB (${VOICE_FILE_LIMIT} bytes).`;
    return new Refusal("file_too_large", message, param === "" ? {} : { param });
  };

  begin({ name, isFile }: Part): void {
    const file = isFile ? (FILES.get(name as never) ?? null) : null;
    const isKept = !isFile || (file !== null && !this.#files.has(file));
    this.#current = { name, file, kept: isKept ? new Gathered() : null };
    if (isKept && file !== null) this.#files.set(file, this.#current.kept!);
  }

  content(bytes: Uint8Array): void {
    const { kept, file } = this.#current;
    if (kept === null) return;
    if (file === null) {
      this.#textBytes += bytes.length;
      if (this.#textBytes > TEXT_LIMIT)
        throw new MultipartError(`has more than ${TEXT_LIMIT} bytes of fields beside the recordings`, true);
    } else {
      if (kept.sizeBytes + bytes.length > VOICE_FILE_LIMIT) throw this.tooLarge();
      this.#hold(bytes.length);
    }
    kept.append(bytes);
  }

  end(): void {
    const { name, file, kept } = this.#current;
    if (file !== null || kept === null) return;
    const value = kept.bytes().toString("utf8");
    this.#text.set(name, [...(this.#text.get(name) ?? []), value]);
  }

  form(): VoiceForm {
    return { files: new Map([...this.#files].map(([name, kept]) => [name, kept.bytes()])), text: this.#text };
  }
}

/** Of what a form says, without its boundaries. */
export const fingerprintOf = ({ text, files }: VoiceForm): Promise<string> => {
  const sizes = [...files].map(([name, { length }]) => [name, length]);
  return formFingerprint({ text: Object.fromEntries(text), sizes }, [...files.values()]);
};
