/**
 * Decodes a file of any length in bounded memory.
 *
 *   RIFF ──> blocks of some samples, read here ──────────┐
 *   else ──> a child process, confined, that is ahead     ├──> mono samples at `ASR_SAMPLE_RATE`, as they are needed
 *            by what fits into the pipe ──────────────────┘
 *
 * The child reads the file through its standard input, which is the file itself.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import { openWav, wavBlocks } from "../audio/reading/wav-file.ts";
import { Resampler } from "../audio/resample/resample.ts";
import { type DecodeProgram, type DecodeRefusal, refusalOf } from "../engine/media/decode-program.ts";
import { parseReport, warningsOf } from "../engine/media/decode-report.ts";
import { isRiff } from "../engine/media/media-decoder.ts";
import { openMediaProcess, samplesIn } from "../engine/media/media-process.ts";
import { Refusal } from "../errors.ts";

/** `warn`: told what of the file is missing, at its end. */
type RecordingOptions = { program: DecodeProgram; signal: AbortSignal; warn: (message: string) => void };

const HEAD_BYTES = 12;

/** Throws a `Refusal` where the file is not audio, and the error of the file system where it cannot be read. */
export async function* decodeRecording(
  path: string,
  options: RecordingOptions,
): AsyncGenerator<Float32Array> {
  const file = openSync(path, "r");
  try {
    yield* decodeOpened(file, options);
  } finally {
    closeSync(file);
  }
}

/** `file`: a descriptor from which nothing was read. */
export async function* decodeOpened(file: number, options: RecordingOptions): AsyncGenerator<Float32Array> {
  const head = readAt(file, 0, HEAD_BYTES);
  if (head.length === 0) throw new Refusal("invalid_audio", "The file is empty.");
  const wav = isRiff(head) ? decodeWav(file, options) : null;
  if (wav) yield* wav;
  else yield* decodeInChild(file, options);
}

function readAt(file: number, position: number, sizeBytes: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes);
  let count = 0;
  for (let read = 1; read > 0 && count < sizeBytes; count += read)
    read = readSync(file, bytes, count, sizeBytes - count, position + count);
  return bytes.subarray(0, count);
}

const refused = ({ refusal, message }: DecodeRefusal) => new Refusal(refusal, message);

/** Null for a format that is left to the child. */
function decodeWav(file: number, { warn }: RecordingOptions): Generator<Float32Array> | null {
  const read = (position: number, size: number) => readAt(file, position, size);
  const wav = openWav(read, fstatSync(file).size);
  if (wav === null) return null;
  const { sampleRate, sampleCount, declaredSeconds, unreadBytes } = wav;
  return (function* () {
    if (sampleCount === 0) throw new Refusal("invalid_audio", "The file holds no sound.");
    const resampler = sampleRate === ASR_SAMPLE_RATE ? null : new Resampler(sampleRate, ASR_SAMPLE_RATE);
    for (const samples of wavBlocks(wav, read)) yield resampler ? resampler.push(samples) : samples;
    if (resampler) yield resampler.finish();
    const report = { unreadBytes, declaredSeconds: declaredSeconds ?? 0 };
    for (const warning of warningsOf(report, sampleCount / sampleRate)) warn(warning);
  })();
}

async function* decodeInChild(
  file: number,
  { program, signal, warn }: RecordingOptions,
): AsyncGenerator<Float32Array> {
  await using child = openMediaProcess({ script: program.script, args: ["Infinity"], input: file, signal });
  let count = 0;
  for await (const samples of samplesIn(child.output)) {
    count += samples.length;
    yield samples;
  }
  const exitCode = await child.exited();
  const report = parseReport(await child.report());
  const seconds = count / ASR_SAMPLE_RATE;
  const refusal = refusalOf({ exitCode, report, seconds }, Number.POSITIVE_INFINITY, program);
  if (refusal !== null) throw refused(refusal);
  for (const warning of warningsOf(report, seconds)) warn(warning);
}
