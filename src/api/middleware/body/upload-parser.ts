/** A body that carries a file, while it arrives: how much of it may be kept, and who parses it. */
import { Refusal } from "../../../errors.ts";
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";

const MIB = 1024 * 1024;
/** Everything beside the file and long fields. */
export const TEXT_LIMIT = MIB;
/** Fields that hold recordings of their own as text, and all of them together: four of ten seconds, as on a CD. */
export const LONG_FIELD = "known_speaker_references";
export const LONG_LIMIT = 10 * MIB;

export const tooLarge = () =>
  new Refusal(
    "file_too_large",
    `The file is larger than ${FILE_BYTES_MAX / MIB} MB (${FILE_BYTES_MAX} bytes).`,
    {
      param: "file",
    },
  );

/** The file and the text of all fields, by name. */
export type Parsed = { file: Uint8Array<ArrayBuffer>; text: ReadonlyMap<string, string[]> };

export type UploadParser = {
  /** Chunks are valid during the call only. */
  push(chunk: Uint8Array): void;
  end(): Parsed;
  /** Frees the file's memory. */
  free(): void;
};

/** Called with the bytes that a file keeps in memory; throws if there is no room. */
export type Hold = (sizeBytes: number) => void;
