/**
 * Decodes uploads to samples. The format is detected from the bytes, never from a name; the duration is counted, never
 * read from a header.
 *
 *   RIFF ──> our own reader, on a thread ──┐
 *   else ──> a child process, confined  ───┴──> mono samples at `ASR_SAMPLE_RATE`, or a refusal
 *
 * A child decodes one upload and ends with its result, when the caller leaves, or at the time limit. Organizations take
 * turns for the thread and the children, as they do for engines.
 */
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import type { Claim } from "../claim.ts";
import type { Runner } from "../runner.ts";
import { openScheduler } from "../scheduler.ts";
import { DECODE_EXIT } from "./decode-exit.ts";
import { openMediaProcess, samplesIn } from "./media-process.ts";

/** Float32 at `ASR_SAMPLE_RATE`, mono. */
export type Decoded = { samples: Float32Array; durationSeconds: number };

export type DecodeRefusal = { refusal: "invalid_audio" | "audio_too_long"; message: string };

export type Decoder = { decode(bytes: Uint8Array, claim: Claim): Promise<Decoded | DecodeRefusal> };

export type DecoderOptions = {
  maxSeconds: number;
  timeoutMs: number;
  /** How many children may decode at once; further uploads wait. */
  childrenMax: number;
  /** Runs `workers/media/wav.ts`. */
  wavReader: Runner;
  /** The decoding process, and whether what it needs is installed. */
  script: URL;
  installed: boolean;
};

const WAITING_PER_CHILD = 8; // each may hold an upload of 25 MB
const WAITING_WAVS = 64;

export function openDecoder(options: DecoderOptions): Decoder {
  const { childrenMax } = options;
  const wavs = openScheduler(runnerOf(readWav, options), { size: 1, queueMax: WAITING_WAVS });
  const children = openScheduler(runnerOf(decodeInChild, options), {
    size: childrenMax,
    queueMax: WAITING_PER_CHILD * childrenMax,
    shareMax: Math.max(1, Math.floor((childrenMax - 1) / 2)), // with three or more children, two organizations leave one free
  });
  return {
    async decode(bytes, claim) {
      const upload: Upload = { bytes, signal: claim.signal };
      const turn: Claim = { ...claim, urgency: "batch" }; // decoding for streams has no precedence over files
      claim.signal.throwIfAborted();
      if (bytes.length === 0) return invalid("The file is empty.");
      const wav = isRiff(bytes) ? await wavs.run<Result | null>(upload, turn) : null;
      if (wav !== null) return wav;
      if (!options.installed) return NOT_INSTALLED;
      return children.run<Result>(upload, turn);
    },
  };
}

type Upload = { bytes: Uint8Array; signal: AbortSignal };
type Result = Decoded | DecodeRefusal;

/** What a scheduler runs: one upload at a time. */
function runnerOf(
  read: (upload: Upload, options: DecoderOptions) => Promise<Result | null>,
  options: DecoderOptions,
): Runner {
  return {
    run: <T>(upload: object) => read(upload as Upload, options) as Promise<T>,
    async [Symbol.asyncDispose]() {},
  };
}

async function readWav({ bytes }: Upload, { wavReader, maxSeconds }: DecoderOptions) {
  const copy = new Uint8Array(bytes); // the child may still need the original; a Buffer's slice() would share it
  const samples = await wavReader.run<Float32Array | string | null>({ bytes: copy, maxSeconds }, [
    copy.buffer,
  ]);
  if (samples === null) return null;
  return typeof samples === "string" ? tooLong(maxSeconds) : counted(samples);
}

async function decodeInChild({ bytes, signal }: Upload, { script, maxSeconds, timeoutMs }: DecoderOptions) {
  const args = [maxSeconds, bytes.length].map(String);
  await using child = openMediaProcess({ script, args, input: chunksOf(bytes), timeoutMs, signal });
  const samples = await collect(samplesIn(child.output), maxSeconds * ASR_SAMPLE_RATE);
  if (samples === null) return invalid("The file could not be decoded.");
  return refusalOf(await child.exited(), maxSeconds) ?? counted(samples);
}

const FORMATS = "WAV, MP3, FLAC, Ogg, Opus, M4A, MP4 or WebM";

/** What the exit code of a child refuses; null where it decoded everything. */
export function refusalOf(exitCode: number, maxSeconds: number): DecodeRefusal | null {
  switch (exitCode) {
    case DECODE_EXIT.decoded:
      return null;
    case DECODE_EXIT.tooLong:
      return tooLong(maxSeconds);
    case DECODE_EXIT.noAudio:
      return invalid("The file has no audio stream.");
    case DECODE_EXIT.empty:
      return invalid("The file holds no sound.");
    case DECODE_EXIT.unreadable:
      return invalid(`The file is damaged, or not audio in a format that is read here: ${FORMATS}.`);
    default:
      return invalid("The file could not be decoded.");
  }
}

const WRITE_BYTES = 256 * 1024;

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let position = 0; position < bytes.length; position += WRITE_BYTES)
    yield bytes.subarray(position, position + WRITE_BYTES);
}

/** Null where the child writes more than the longest recording, so that it cannot be trusted. */
async function collect(blocks: AsyncIterable<Float32Array>, countMax: number): Promise<Float32Array | null> {
  const samples = new Float32Array(countMax); // uses no memory until it is written
  let count = 0;
  for await (const block of blocks) {
    if (count + block.length > countMax) return null;
    samples.set(block, count);
    count += block.length;
  }
  return new Float32Array(samples.buffer.transfer(count * 4));
}

function counted(samples: Float32Array): Decoded | DecodeRefusal {
  if (samples.length === 0) return invalid("The file holds no sound.");
  return { samples, durationSeconds: samples.length / ASR_SAMPLE_RATE };
}

const invalid = (message: string): DecodeRefusal => ({ refusal: "invalid_audio", message });

export const NOT_INSTALLED = invalid(
  "Only WAV files can be read here: the optional decoder is not installed.",
);

const tooLong = (maxSeconds: number): DecodeRefusal => ({
  refusal: "audio_too_long",
  message: `The recording is longer than ${maxSeconds} seconds.`,
});

export const isRiff = (bytes: Uint8Array) =>
  /^(RIFF|RF64)....WAVE/s.test(Buffer.from(bytes.subarray(0, 12)).toString("latin1"));
