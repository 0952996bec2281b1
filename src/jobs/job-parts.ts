/** What is kept of jobs, encrypted for its place: their requests, addresses, titles, covers, and what was recognized of each piece or is heard in it. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Picture } from "../audio/tags.ts";
import type { Encryption } from "../db/encryption.ts";
import type { JobRows } from "../db/queries/job-rows.ts";
import type { KnownSpeaker } from "../metered/transcription.ts";
import type { RenderRequest } from "../speech/synthesizer.ts";
import type { Caption } from "../speech/words/captions.ts";
import type { Recognition } from "../transcription/recognize.ts";
import type { Segment } from "../transcription/transcript.ts";

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** What a job recognizes, and how. `diarizer`: the engine that tells speakers apart; null: they are not. */
export type JobRequest = {
  engine: string;
  diarizer: string | null;
  hints: Pick<Recognition, "language" | "languages" | "translate" | "prompt" | "keywords" | "mustPrefer">;
  speakers: { known: readonly KnownSpeaker[]; count: number | null };
};

/** `language`: that the engine detected in the piece, or in one before it; null: none was. */
export type Piece = { language: string | null; segments: Segment[] };

/** The text of each chapter, and who speaks it, how. `ownVoiceId`: of the organization's voice that is made of a recording. */
export type SpeechJobRequest = {
  voice: Omit<RenderRequest, "text" | "script" | "claim" | "style">;
  ownVoiceId: string | null;
  texts: string[];
};

/** Titles. Of a text that is not divided, its only chapter has none. */
export type JobLabels = { title: string | null; author: string | null; chapters: string[] };

/** When the words of a piece are heard, in seconds of it. `start`: of the piece in its chapter, in samples. */
type PieceCaptions = { start: number; captions: Caption[] };

export type JobParts = {
  encryptRequest(jobId: string, request: JobRequest): Promise<Buffer>;
  request(jobId: string): Promise<JobRequest>;
  encryptSpeech(jobId: string, request: SpeechJobRequest): Promise<Buffer>;
  speech(jobId: string): Promise<SpeechJobRequest>;
  encryptLabels(jobId: string, labels: JobLabels): Promise<Buffer>;
  labels(jobId: string, sealed: Buffer): Promise<JobLabels>;
  encryptCaptions(jobId: string, piece: number, captions: PieceCaptions): Promise<Buffer>;
  captions(jobId: string, piece: number): Promise<PieceCaptions>;
  encryptCover(jobId: string, cover: Picture): Promise<Buffer>;
  /** Null: it has none. */
  cover(jobId: string): Promise<Picture | null>;
  encryptUrl(jobId: string, url: string): Promise<Buffer>;
  url(jobId: string, sealed: Buffer): Promise<string>;
  encryptPiece(jobId: string, position: number, piece: Piece): Promise<Buffer>;
  /** Throws where there is none. */
  piece(jobId: string, position: number): Promise<Piece>;
};

export function openJobParts(rows: Pick<JobRows, "part">, encryption: Encryption): JobParts {
  const place = (jobId: string, part: string) => `${jobId}/${part}`;
  const encrypted = async (at: string, value: unknown) =>
    encryption.encrypt(at, await zip(JSON.stringify(value)));
  async function open<T>(at: string, sealed: Buffer | null): Promise<T> {
    const zipped = sealed && (await encryption.decrypt(at, sealed));
    if (!zipped) throw new Error(`${at} is ${sealed ? "not as it was written" : "missing"}`);
    return JSON.parse((await unzip(zipped)).toString("utf8")) as T;
  }
  return {
    encryptRequest: (jobId, request) => encrypted(place(jobId, "request"), stored(request)),
    async request(jobId) {
      const sealed = await rows.part(jobId, "request", 0);
      return read(await open<StoredRequest>(place(jobId, "request"), sealed));
    },
    encryptSpeech: (jobId, request) => encrypted(place(jobId, "speech"), request),
    speech: async (jobId) => open(place(jobId, "speech"), await rows.part(jobId, "request", 0)),
    encryptLabels: (jobId, labels) => encrypted(place(jobId, "labels"), labels),
    labels: (jobId, sealed) => open(place(jobId, "labels"), Buffer.from(sealed)),
    encryptCaptions: (jobId, piece, captions) => encrypted(place(jobId, `captions ${piece}`), captions),
    captions: async (jobId, piece) =>
      open(place(jobId, `captions ${piece}`), await rows.part(jobId, "piece", piece)),
    encryptCover: (jobId, { type, bytes }) =>
      encrypted(place(jobId, "cover"), { type, base64: bytes.toString("base64") }),
    async cover(jobId) {
      const sealed = await rows.part(jobId, "cover", 0);
      if (sealed === null) return null;
      const { type, base64 } = await open<StoredCover>(place(jobId, "cover"), sealed);
      return { type, bytes: Buffer.from(base64, "base64") };
    },
    encryptUrl: (jobId, url) => encrypted(place(jobId, "url"), url),
    url: (jobId, sealed) => open<string>(place(jobId, "url"), Buffer.from(sealed)),
    encryptPiece: (jobId, position, piece) => encrypted(place(jobId, `piece ${position}`), piece),
    piece: async (jobId, position) =>
      open<Piece>(place(jobId, `piece ${position}`), await rows.part(jobId, "piece", position)),
  };
}

type StoredCover = { type: Picture["type"]; base64: string };

type StoredRequest = Omit<JobRequest, "speakers"> & {
  speakers: { known: { name: string; reference: string }[]; count: number | null };
};

const stored = ({ speakers: { known, count }, ...request }: JobRequest): StoredRequest => ({
  ...request,
  speakers: {
    known: known.map(({ name, reference }) => ({
      name,
      reference: Buffer.from(reference).toString("base64"),
    })),
    count,
  },
});

const read = ({ speakers: { known, count }, ...request }: StoredRequest): JobRequest => ({
  ...request,
  speakers: {
    known: known.map(({ name, reference }) => ({ name, reference: Buffer.from(reference, "base64") })),
    count,
  },
});
