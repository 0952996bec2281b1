/** An uploaded recording and its fields, as a form, as JSON or alone, in memory that is counted and limited. */

import type { Holding } from "../../../memory/budget.ts";
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";
import { AudioJson } from "./audio-json.ts";
import { announcedBytes, type BodyTimeouts, malformed, mediaTypeOf, readChunks } from "./body.ts";
import { FormParser, type NoFile } from "./form.ts";
import { boundaryOf } from "./multipart.ts";
import { LONG_LIMIT, type Parsed, TEXT_LIMIT, tooLarge, type UploadParser } from "./upload-parser.ts";
import { WholeBody } from "./whole-body.ts";

const FORM_LIMIT = FILE_BYTES_MAX + TEXT_LIMIT + LONG_LIMIT;
const JSON_LIMIT = Math.ceil(FILE_BYTES_MAX / 3) * 4 + TEXT_LIMIT; // three bytes are four characters of base64

/** Its file holds memory, and counts among its organization's uploads, until it is disposed of. */
export type Upload = Disposable & Parsed;

/** `noFile`: the refusal of a form that has none, by its fields. `noAudio`: of JSON. */
export type UploadReading = {
  timeouts: BodyTimeouts;
  holding: Pick<Holding, "take" | "upload">;
  noFile?: NoFile;
  noAudio?: NoFile;
};

/** Reading starts once other uploads leave room. */
export const readUpload = (request: Request, reading: UploadReading): Promise<Upload> =>
  readWith(request, reading, (lengthBytes) => parserOf(request, reading, lengthBytes));

/** The body is the recording. `header`: what raw samples need before them. */
export const readRecording = (
  request: Request,
  reading: UploadReading,
  header: Uint8Array | null,
): Promise<Upload> =>
  readWith(request, reading, (lengthBytes) => ({
    parser: new WholeBody(reading.holding.take, Math.min(lengthBytes, FILE_BYTES_MAX), header),
    limit: FILE_BYTES_MAX,
  }));

async function readWith(
  request: Request,
  { holding, timeouts }: UploadReading,
  parsing: (lengthBytes: number) => Parsing,
): Promise<Upload> {
  const lengthBytes = announcedBytes(request) ?? 0;
  const { parser, limit } = parsing(lengthBytes);
  const sizeBytes = Math.min(lengthBytes || FORM_LIMIT, FORM_LIMIT);
  const entered = await holding.upload(sizeBytes, request.signal);
  return parsedUpload(entered, parser, (push) => readChunks(request, { limit, tooLarge, timeouts }, push));
}

/** `entered`: its place among uploads. `read`: gives the parser all chunks. */
export async function parsedUpload(
  entered: Disposable,
  parser: UploadParser,
  read: (push: (chunk: Uint8Array) => void) => Promise<void>,
): Promise<Upload> {
  const over = () => {
    parser.free();
    entered[Symbol.dispose]();
  };
  try {
    await read((chunk) => parser.push(chunk));
    return { ...parser.end(), [Symbol.dispose]: over };
  } catch (cause) {
    over();
    throw cause;
  }
}

type Parsing = { parser: UploadParser; limit: number };

function parserOf(request: Request, reading: UploadReading, lengthBytes: number): Parsing {
  const { holding, noFile, noAudio } = reading;
  const hold = holding.take;
  const type = mediaTypeOf(request);
  if (type === "application/json")
    return {
      parser: new AudioJson({
        ...{ hold, announcedBytes: Math.min(Math.ceil(lengthBytes * 0.75), FILE_BYTES_MAX), noAudio },
      }),
      limit: JSON_LIMIT,
    };
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  if (type !== "multipart/form-data" || boundary === null)
    throw malformed("malformed", "must be multipart/form-data with a file, or JSON with input_audio");
  const announced = Math.min(lengthBytes, FILE_BYTES_MAX);
  return { parser: new FormParser(boundary, { hold, announcedBytes: announced, noFile }), limit: FORM_LIMIT };
}
