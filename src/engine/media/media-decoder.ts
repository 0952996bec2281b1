/**
 * Decodes uploads to samples. The format is detected from the bytes, never from a name; the duration is counted, never
 * read from a header.
 *
 *   RIFF ──> our own reader, on a thread ──┐
 *   else ──> a child process, confined  ───┴──> mono samples at one rate, or a refusal
 *
 * A child decodes one upload and ends with its result, when the caller leaves, or at the time limit. Organizations take
 * turns for the thread and the children, as they do for engines.
 */
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import type { WorkerEnded } from "../back-off.ts";
import type { Claim } from "../claim.ts";
import type { Runner } from "../runner.ts";
import { openScheduler } from "../scheduler.ts";
import { type DecodeProgram, type DecodeRefusal, invalid, refusalOf, tooLong } from "./decode-program.ts";
import { openMediaProcess, samplesIn } from "./media-process.ts";

/** Float32 at `ASR_SAMPLE_RATE`, or the rate that was asked for, mono. */
export type Decoded = { samples: Float32Array; durationSeconds: number };

/** What is decoded instead of recordings to transcribe; `maxSeconds`: at most those of the decoder. */
type Decoding = { sampleRate: number; maxSeconds: number };

export type Decoder = {
  decode(bytes: Uint8Array, claim: Claim, decoding?: Decoding): Promise<Decoded | DecodeRefusal>;
};

export type DecoderOptions = {
  maxSeconds: number;
  timeoutMs: number;
  /** How many children may decode at once; further uploads wait. */
  childrenMax: number;
  /** Runs `workers/media/wav.ts`. */
  wavReader: Runner;
  /** What a child runs. */
  program: DecodeProgram;
  ended?: WorkerEnded | undefined;
};

const WAITING_PER_CHILD = 8; // each may hold an upload of 25 MB
const WAITING_WAVS = 64;

export function openDecoder(options: DecoderOptions): Decoder {
  const { childrenMax } = options;
  const wavs = openScheduler(runnerOf(readWav, options), {
    size: 1,
    queueMax: WAITING_WAVS,
    traced: "wav",
  });
  const children = openScheduler(runnerOf(decodeInChild, options), {
    traced: "decode",
    size: childrenMax,
    queueMax: WAITING_PER_CHILD * childrenMax,
    shareMax: Math.max(1, Math.floor((childrenMax - 1) / 2)), // with three or more children, two organizations leave one free
  });
  return {
    async decode(bytes, claim, decoding = { sampleRate: ASR_SAMPLE_RATE, maxSeconds: options.maxSeconds }) {
      const upload: Upload = { ...decoding, bytes, signal: claim.signal };
      const turn: Claim = { ...claim, urgency: "batch" }; // decoding for streams has no precedence over files
      claim.signal.throwIfAborted();
      if (bytes.length === 0) return invalid("The file is empty.");
      const wav = isRiff(bytes) ? await wavs.run<Result | null>(upload, turn) : null;
      if (wav !== null) return wav;
      return children.run<Result>(upload, turn);
    },
  };
}

type Upload = Decoding & { bytes: Uint8Array; signal: AbortSignal };
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

async function readWav({ bytes, sampleRate, maxSeconds }: Upload, { wavReader }: DecoderOptions) {
  const copy = new Uint8Array(bytes); // the child may still need the original; a Buffer's slice() would share it
  const samples = await wavReader.run<Float32Array | string | null>({ bytes: copy, maxSeconds, sampleRate }, [
    copy.buffer,
  ]);
  if (samples === null) return null;
  return typeof samples === "string" ? tooLong(maxSeconds) : counted(samples, sampleRate);
}

async function decodeInChild({ bytes, signal, sampleRate, maxSeconds }: Upload, options: DecoderOptions) {
  const { program, timeoutMs, ended } = options;
  const { script } = program;
  const args = [maxSeconds, bytes.length, sampleRate].map(String);
  await using child = openMediaProcess({
    ...{ script, args, input: chunksOf(bytes), timeoutMs },
    ...{ signal, ended },
  });
  const samples = await collect(samplesIn(child.output), maxSeconds * sampleRate);
  if (samples === null) return invalid("The file could not be decoded.");
  return refusalOf(await child.exited(), maxSeconds, program) ?? counted(samples, sampleRate);
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

function counted(samples: Float32Array, sampleRate: number): Decoded | DecodeRefusal {
  if (samples.length === 0) return invalid("The file holds no sound.");
  return { samples, durationSeconds: samples.length / sampleRate };
}

export const isRiff = (bytes: Uint8Array) =>
  /^(RIFF|RF64)....WAVE/s.test(Buffer.from(bytes.subarray(0, 12)).toString("latin1"));
