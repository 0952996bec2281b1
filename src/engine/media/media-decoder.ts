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
import { type Claim, type Runner, runnerOf } from "../runner.ts";
import { openScheduler } from "../scheduler.ts";
import { type DecodeProgram, type DecodeRefusal, invalid, refusalOf, tooLong } from "./decode-program.ts";
import { type DecodeReport, parseReport, type WavAnswer, warningsOf } from "./decode-report.ts";
import { openMediaProcess, samplesIn } from "./media-process.ts";

/** Float32 at `ASR_SAMPLE_RATE`, or the rate that was asked for, mono. `warnings`: what of the file is missing in it. */
export type Decoded = { samples: Float32Array; durationSeconds: number; warnings: string[] };

/** What is decoded instead of recordings to transcribe; `maxSeconds`: exactly, and at most those of the decoder. */
type Decoding = { sampleRate: number; maxSeconds: number };

export type Decoder = {
  decode(bytes: Uint8Array, claim: Claim, decoding?: Decoding): Promise<Decoded | DecodeRefusal>;
};

/** `result` null: not a WAV file that it reads. */
export type WavWork = { task: WavTask; result: WavAnswer | null };
export type WavTask = { bytes: Uint8Array; maxSeconds: number; sampleRate: number };

export type DecoderOptions = {
  maxSeconds: number;
  timeoutMs: number;
  /** How many children may decode at once; further uploads wait. */
  childrenMax: number;
  /** Runs `workers/media/wav.ts`. */
  wavReader: Runner<WavWork>;
  /** What a child runs. */
  program: DecodeProgram;
  ended?: WorkerEnded | undefined;
};

/** By so much a recording to transcribe may be too long: programs that cut at the limit overshoot by a frame or a second. */
const LEEWAY_SECONDS = 1;
const SPARE_CHILDREN = 2; // so that neither one organization with slow files nor two keep another waiting

export function openDecoder(options: DecoderOptions): Decoder {
  const { childrenMax } = options;
  const wavs = openScheduler(
    runnerOf((upload: Upload) => readWav(upload, options)),
    {
      size: 1,
      traced: "wav",
    },
  );
  const children = openScheduler(
    runnerOf((upload: Upload) => decodeInChild(upload, options)),
    {
      traced: "decode",
      size: childrenMax,
      spare: SPARE_CHILDREN,
    },
  );
  return {
    async decode(bytes, claim, decoding) {
      const { maxSeconds } = options;
      const whole = { sampleRate: ASR_SAMPLE_RATE, maxSeconds, leewaySeconds: LEEWAY_SECONDS };
      const upload: Upload = { leewaySeconds: 0, ...(decoding ?? whole), bytes, signal: claim.signal };
      const turn: Claim = { ...claim, urgency: "batch" }; // decoding for streams has no precedence over files
      claim.signal.throwIfAborted();
      if (bytes.length === 0) return invalid("The file is empty.");
      const wav = isRiff(bytes) ? await wavs.run(upload, turn) : null;
      if (wav !== null) return wav;
      return children.run(upload, turn);
    },
  };
}

type Upload = Decoding & { bytes: Uint8Array; signal: AbortSignal; leewaySeconds: number };

async function readWav(
  { bytes, sampleRate, maxSeconds, leewaySeconds }: Upload,
  { wavReader }: DecoderOptions,
): Promise<Decoded | DecodeRefusal | null> {
  const copy = new Uint8Array(bytes); // the child may still need the original; a Buffer's slice() would share it
  const task = { bytes: copy, maxSeconds: maxSeconds + leewaySeconds, sampleRate };
  const read = await wavReader.run(task, [copy.buffer]);
  if (read === null) return null;
  const { samples, report } = read;
  return samples === null
    ? tooLong(maxSeconds, report.declaredSeconds)
    : counted(samples, sampleRate, report);
}

async function decodeInChild(upload: Upload, options: DecoderOptions): Promise<Decoded | DecodeRefusal> {
  const { bytes, signal, sampleRate, maxSeconds, leewaySeconds } = upload;
  const { program, timeoutMs, ended } = options;
  const secondsMax = maxSeconds + leewaySeconds;
  await using child = openMediaProcess({
    ...{ script: program.script, args: [secondsMax, bytes.length, sampleRate].map(String) },
    ...{ input: chunksOf(bytes), timeoutMs, signal, ended },
  });
  const samples = await collect(samplesIn(child.output), secondsMax * sampleRate);
  if (samples === null) return invalid("The file could not be decoded.");
  const exitCode = await child.exited();
  const report = parseReport(await child.report());
  const seconds = samples.length / sampleRate;
  return (
    refusalOf({ exitCode, report, seconds }, maxSeconds, program) ?? counted(samples, sampleRate, report)
  );
}

const WRITE_BYTES = 256 * 1024;

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let position = 0; position < bytes.length; position += WRITE_BYTES)
    yield bytes.subarray(position, position + WRITE_BYTES);
}

/** Null where the child writes more than the longest recording, so that it cannot be trusted. */
async function collect(blocks: AsyncIterable<Float32Array>, countMax: number): Promise<Float32Array | null> {
  let samples = new Float32Array(0);
  let count = 0;
  for await (const block of blocks) {
    if (count + block.length > countMax) return null;
    if (count === 0) samples = new Float32Array(countMax); // takes milliseconds, and no memory until it is written
    samples.set(block, count);
    count += block.length;
  }
  return new Float32Array(samples.buffer.transfer(count * 4));
}

function counted(samples: Float32Array, sampleRate: number, report: DecodeReport): Decoded | DecodeRefusal {
  if (samples.length === 0) return invalid("The file holds no sound.");
  const durationSeconds = samples.length / sampleRate;
  return { samples, durationSeconds, warnings: warningsOf(report, durationSeconds) };
}

export const isRiff = (bytes: Uint8Array) =>
  /^(RIFF|RF64)....WAVE/s.test(Buffer.from(bytes.subarray(0, 12)).toString("latin1"));
