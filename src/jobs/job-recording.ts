/**
 * The recording of a job, decoded in bounded memory as often as it is needed.
 *
 *   encrypted pieces ──> a file that is unlinked at once ──decode──> samples ──> pieces, cut from the samples alone
 *
 * So each node that goes on with a job cuts it in the same places.
 */
import { closeSync, openSync } from "node:fs";
import { mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { DecodeProgram } from "../engine/media/decode-program.ts";
import { Refusal, unavailableOnError } from "../errors.ts";
import { decodeOpened } from "../transcription/decode-recording.ts";
import { PIECE_SAMPLES, piecesOf } from "../transcription/long/long-recording.ts";

/** One of what a request may have at most is recognized as a request would: it is one piece. */
export const WHOLE_SAMPLES = 601 * ASR_SAMPLE_RATE;

export const secondsOf = (samples: number): number => samples / ASR_SAMPLE_RATE;

/** How long the recording of a job is; 0: it is not known. */
export const secondsIn = ({ samples }: { samples: number | null }): number => secondsOf(samples ?? 0);

export type JobRecording = Disposable & {
  /** Its length in samples, which is the first thing to ask for. Refuses one of more than `secondsMax`. */
  measure(secondsMax: number): Promise<number>;
  /** Those behind the first `done`, which end a piece. `warn`: told what is missing, at the end. */
  pieces(of: { samples: number; done: number }, warn: Warn): AsyncGenerator<Float32Array>;
};

type Warn = (message: string) => void;

/** Of the files of this process. */
let opened = 0;

/** `folder`: where the file is for a moment. */
type Opening = { folder: string; program: DecodeProgram; signal: AbortSignal };

export async function openJobRecording(
  content: AsyncIterable<Uint8Array>,
  { folder, program, signal }: Opening,
): Promise<JobRecording> {
  const path = join(folder, `${process.pid}-job-${opened++}`);
  const descriptors: number[] = [];
  const close = () => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(path, "wx", 0o600);
  try {
    descriptors.push(openSync(path, "r"), openSync(path, "r")); // each is read once, from its start
    await unlink(path);
    for await (const bytes of content) {
      signal.throwIfAborted();
      await unavailableOnError("The disk", file.writeFile(bytes));
    }
  } catch (error) {
    close();
    throw error;
  } finally {
    await file.close();
  }
  const [first, second] = descriptors as [number, number];
  const decoded = (descriptor: number, warn: Warn) =>
    breathing(decodeOpened(descriptor, { program, signal, warn }), signal);
  return {
    async measure(secondsMax) {
      let samples = 0;
      for await (const chunk of decoded(first, () => {})) {
        samples += chunk.length;
        if (samples > secondsMax * ASR_SAMPLE_RATE) throw tooLong(secondsMax);
      }
      return samples;
    },
    pieces({ samples, done }, warn) {
      const pieceSamples = samples <= WHOLE_SAMPLES ? Math.max(1, samples) : PIECE_SAMPLES;
      return piecesOf(behind(decoded(second, warn), done), pieceSamples);
    },
    [Symbol.dispose]: close,
  };
}

const lengthText = (seconds: number) =>
  seconds % 3600 === 0 ? `${seconds / 3600} hours` : `${seconds} seconds`;

const tooLong = (secondsMax: number) =>
  new Refusal(
    "audio_too_long",
    `The recording is longer than the ${lengthText(secondsMax)} that a job may have.`,
  );

/** Others are served between what is decoded here. */
async function* breathing(
  samples: AsyncIterable<Float32Array>,
  signal: AbortSignal,
): AsyncGenerator<Float32Array> {
  for await (const chunk of samples) {
    await new Promise(setImmediate);
    signal.throwIfAborted();
    yield chunk;
  }
}

async function* behind(samples: AsyncIterable<Float32Array>, count: number): AsyncGenerator<Float32Array> {
  let left = count;
  for await (const chunk of samples) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
