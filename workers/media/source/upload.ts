/**
 * What both decoding programs share: the bytes of an upload, how the process is confined, its report and its exit code.
 *
 *   PROGRAM <longest seconds> [<size in bytes> [<rate of the samples>]]
 *
 *
 * Without a size, stdin is a file, which is read where it is needed, and its samples are at `ASR_SAMPLE_RATE`. An upload
 * comes through a pipe and is kept whole, because formats are read back and forth.
 */
import { fstatSync, readSync, writeSync } from "node:fs";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { DECODE_CPU_SECONDS, DECODE_EXIT } from "../../../src/engine/media/decode-exit.ts";
import type { DecodeReport } from "../../../src/engine/media/decode-report.ts";
import { confine } from "../../sandbox/confine.ts";
import { DecodeFailure, type Source } from "./source.ts";

const STDERR = 2;

/** `report`: what is told beside the samples. */
export type Upload = { source: Source; maxSamples: number; sampleRate: number; report: DecodeReport };

/** Confines the process before it reads a byte, decodes, and ends it with the result. */
export async function decodeUpload(decode: (upload: Upload) => void | Promise<void>): Promise<never> {
  const sampleRate = Number(process.argv[4] ?? ASR_SAMPLE_RATE);
  const maxSamples = Number(process.argv[2]) * sampleRate;
  const sizeBytes = process.argv[3] === undefined ? null : Number(process.argv[3]);
  const fileBytes = sizeBytes ?? fstatSync(0).size; // cannot be asked for later
  confine({ cpuSeconds: sizeBytes === null ? null : DECODE_CPU_SECONDS });
  const report: DecodeReport = {};
  let exitCode: number = DECODE_EXIT.decoded;
  try {
    const source = sizeBytes === null ? fromFile(fileBytes) : inMemory(readUpload(sizeBytes));
    await decode({ source, maxSamples, sampleRate, report });
  } catch (error) {
    exitCode = DECODE_EXIT[error instanceof DecodeFailure ? error.reason : "unreadable"];
    if (error instanceof DecodeFailure && error.found !== undefined) report.found = error.found;
  }
  writeSync(STDERR, JSON.stringify(report));
  process.exit(exitCode);
}

/** Into one buffer, because one that grows would take twice the memory. */
function readUpload(sizeBytes: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes);
  let index = 0;
  for (let read = 1; read > 0 && index < sizeBytes; index += read)
    read = readSync(0, bytes, index, sizeBytes - index, null);
  return bytes.subarray(0, index);
}

function inMemory(bytes: Buffer): Source {
  return { sizeBytes: bytes.length, read: (position, size) => bytes.subarray(position, position + size) };
}

function fromFile(sizeBytes: number): Source {
  return {
    sizeBytes,
    read(position, size) {
      const bytes = Buffer.allocUnsafeSlow(size);
      return bytes.subarray(0, readSync(0, bytes, 0, size, position));
    },
  };
}

/** To stdout, which may take less than everything at once. */
export function writeAll(bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(1, bytes, offset);
}
