/** Which program decodes uploads, and which formats it reads: FFmpeg's where it is installed, else the four of our own. */

import { worker, workerName } from "../../resources.ts";
import { FFMPEG_ADVICE } from "../families/families.ts";
import { DECODE_EXIT } from "./decode-exit.ts";

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

/** What the exit code of a program refuses; null where it decoded everything. Throws where the program cannot be used. */
export function refusalOf(
  exitCode: number,
  maxSeconds: number,
  { script, formats }: DecodeProgram,
): DecodeRefusal | null {
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
      return invalid(`The file is damaged, or not audio in a format that is read here: ${formats}.`);
    case DECODE_EXIT.unusable:
      throw new Error(
        `${workerName(script)} could not load its decoder: a file or a library that it needs is missing`,
      );
    default:
      return invalid("The file could not be decoded.");
  }
}

export const invalid = (message: string): DecodeRefusal => ({ refusal: "invalid_audio", message });

export const tooLong = (maxSeconds: number): DecodeRefusal => ({
  refusal: "audio_too_long",
  message: `The recording is longer than ${maxSeconds} seconds.`,
});
