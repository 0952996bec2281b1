/**
 * Decodes a file of any length in bounded memory, for the command line.
 *
 *   RIFF ──> blocks of a few seconds, read here ──────────┐
 *   else ──> a child process, confined, that is ahead     ├──> mono samples at `ASR_SAMPLE_RATE`, as they are needed
 *            by what fits into the pipe ──────────────────┘
 *
 * The child reads the file through its standard input, which is the file itself.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import { Resampler } from "../audio/resample.ts";
import { parseWav, wavLayout } from "../audio/wav.ts";
import { type DecodeProgram, type DecodeRefusal, refusalOf } from "../engine/media/decode-program.ts";
import { isRiff } from "../engine/media/media-decoder.ts";
import { openMediaProcess, samplesIn } from "../engine/media/media-process.ts";
import { Refusal } from "../errors.ts";

type RecordingOptions = { program: DecodeProgram; signal: AbortSignal };

const HEAD_BYTES = 256 * 1024; // in which the samples of a WAV file begin
const BLOCK_SECONDS = 10;

/** Throws a `Refusal` where the file is not audio, and the error of the file system where it cannot be read. */
export async function* decodeRecording(
  path: string,
  options: RecordingOptions,
): AsyncGenerator<Float32Array> {
  const file = openSync(path, "r");
  try {
    const head = readAt(file, 0, HEAD_BYTES);
    if (head.length === 0) throw new Refusal("invalid_audio", "The file is empty.");
    const wav = isRiff(head) ? decodeWav(file, head) : null;
    if (wav) yield* wav;
    else yield* decodeInChild(file, options);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, position: number, sizeBytes: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes);
  let count = 0;
  for (let read = 1; read > 0 && count < sizeBytes; count += read)
    read = readSync(file, bytes, count, sizeBytes - count, position + count);
  return bytes.subarray(0, count);
}

const refused = ({ refusal, message }: DecodeRefusal) => new Refusal(refusal, message);

/** Null for a format that is left to the child. Each block is read as its own WAV, with the same header. */
function decodeWav(file: number, head: Buffer): Generator<Float32Array> | null {
  const layout = wavLayout(head, fstatSync(file).size);
  if (layout === null) return null;
  const header = head.subarray(0, layout.dataOffset);
  const first = parseWav(header, 1); // no samples yet: whether the format is read at all
  if (first === null) return null;
  const { sampleRate } = first;
  const blockBytes = layout.frameBytes * sampleRate * BLOCK_SECONDS;
  const end = layout.dataOffset + layout.dataBytes;
  return (function* () {
    const resampler = new Resampler(sampleRate, ASR_SAMPLE_RATE);
    let count = 0;
    for (let offset = layout.dataOffset; offset < end; offset += blockBytes) {
      const block = Buffer.concat([header, readAt(file, offset, Math.min(blockBytes, end - offset))]);
      const { samples } = parseWav(block, Number.POSITIVE_INFINITY)!;
      count += samples.length;
      yield sampleRate === ASR_SAMPLE_RATE ? samples : resampler.push(samples);
    }
    if (count === 0) throw new Refusal("invalid_audio", "The file holds no sound.");
    if (sampleRate !== ASR_SAMPLE_RATE) yield resampler.finish();
  })();
}

async function* decodeInChild(
  file: number,
  { program, signal }: RecordingOptions,
): AsyncGenerator<Float32Array> {
  await using child = openMediaProcess({ script: program.script, args: ["Infinity"], input: file, signal });
  yield* samplesIn(child.output);
  const refusal = refusalOf(await child.exited(), Number.POSITIVE_INFINITY, program);
  if (refusal !== null) throw refused(refusal);
}
