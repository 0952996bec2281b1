/** The captions of a clip as a file: subtitles, or the words with their times as JSON. */
import { extname } from "node:path";
import { captionsOf } from "../../speech/words/captions.ts";
import type { WordTime } from "../../speech/words/timeline.ts";
import { srt, vtt } from "../../transcription/subtitles.ts";
import { UsageError } from "../base/output.ts";

type Words = readonly WordTime[];

const FORMATS: Record<string, (text: string, words: Words) => string> = {
  ".vtt": (text, words) => vtt({ segments: captionsOf(text, words) }),
  ".srt": (text, words) => srt({ segments: captionsOf(text, words) }),
  ".json": (_text, words) => `${JSON.stringify({ timestamps: words }, null, 2)}\n`,
};

/** Throws before anything is synthesized where the name has another extension. */
export function captionFile(path: string): { write(text: string, words: Words): Promise<void> } {
  const format = FORMATS[extname(path).toLowerCase()];
  if (!format) throw new UsageError(`Captions are written to a .vtt, .srt or .json file, not to ${path}.`);
  return {
    async write(text, words) {
      try {
        await Bun.write(path, format(text, words));
      } catch (error) {
        throw new UsageError(`Cannot write ${path}: ${(error as Error).message}`);
      }
    },
  };
}
