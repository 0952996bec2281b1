/** Which program decodes uploads, and which formats it reads: FFmpeg's where it is installed, else the four of our own. */

import { worker, workerName } from "../../resources.ts";
import { FFMPEG_ADVICE } from "../families/families.ts";
import { DECODE_EXIT } from "./decode-exit.ts";
import { type DecodeReport, isAlmostNothing, warningsOf } from "./decode-report.ts";

/** `formats`: what it reads, as the end of a sentence in a refusal. */
export type DecodeProgram = { script: URL; formats: string };

/** @internal */
export const WITH_FFMPEG: DecodeProgram = {
  script: worker("media/decode"),
  formats: "WAV, MP3, FLAC, Ogg, Opus, M4A, MP4 or WebM",
};

/** @internal */
export const WITHOUT_FFMPEG: DecodeProgram = {
  script: worker("media/decode-without-ffmpeg"),
  formats: `WAV, MP3, FLAC, Ogg Opus or Ogg Vorbis. Others, such as M4A, MP4 and WebM, need FFmpeg: ${FFMPEG_ADVICE}`,
};

export const decodeProgram = (hasFfmpeg: boolean): DecodeProgram =>
  hasFfmpeg ? WITH_FFMPEG : WITHOUT_FFMPEG;

export type DecodeRefusal = { refusal: "invalid_audio" | "audio_too_long"; message: string };

/** How a program ended, and how many seconds of samples it gave. */
export type Ending = { exitCode: number; report: DecodeReport; seconds: number };

/** What is refused; null where it decoded what is there. Throws where the program cannot be used. */
export function refusalOf(
  { exitCode, report, seconds }: Ending,
  maxSeconds: number,
  { script, formats }: DecodeProgram,
): DecodeRefusal | null {
  switch (exitCode) {
    case DECODE_EXIT.decoded:
      return isAlmostNothing(report, seconds) ? damaged(report, seconds) : null;
    case DECODE_EXIT.tooLong:
      return tooLong(maxSeconds, report.declaredSeconds);
    case DECODE_EXIT.noAudio:
      return invalid("The file has no audio stream.");
    case DECODE_EXIT.empty:
      return invalid("The file holds no sound.");
    case DECODE_EXIT.unsupported:
      return invalid(`The audio is ${report.found ?? "in a format"}, which is not read here: ${formats}.`);
    case DECODE_EXIT.unreadable:
      return invalid(`The file is damaged, or not audio in a format that is read here: ${formats}.`);
    case DECODE_EXIT.unusable:
      throw new Error(
        `${workerName(script)} could not load its decoder: a file or a library that it needs is missing`,
      );
    default:
      return invalid("The file could not be decoded.");
  }
}

const damaged = (report: DecodeReport, seconds: number): DecodeRefusal =>
  invalid(warningsOf(report, seconds)[0] ?? "The file is damaged.");

export const invalid = (message: string): DecodeRefusal => ({ refusal: "invalid_audio", message });

/** `foundSeconds`: how long it is, where that is known. */
export const tooLong = (maxSeconds: number, foundSeconds = 0): DecodeRefusal => ({
  refusal: "audio_too_long",
  message:
    foundSeconds > maxSeconds
      ? `The recording is longer than ${maxSeconds} seconds: it has ${foundSeconds.toFixed(1)}.`
      : `The recording is longer than ${maxSeconds} seconds.`,
});
