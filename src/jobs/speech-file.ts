/** What a job has spoken as a file that people keep: its name, the tags of its format, and any part of it. */
import { MEDIA_TYPES, type SpeechFormat } from "../audio/formats.ts";
import { id3Tag } from "../audio/id3.ts";
import { srt, vtt } from "../transcription/subtitles.ts";
import { chaptersOf, placesOf, secondsOfSound } from "./job-chapters.ts";
import type { Job } from "./jobs.ts";
import type { SpeechJobs } from "./speech-jobs.ts";

export type SpeechFile = {
  name: string;
  type: string;
  bytes: number;
  /** From the first byte to the one before `to`. Who reads all of a job that may be read once has its result deleted. */
  content(range: { from: number; to: number }): AsyncGenerator<Uint8Array>;
};

/** Formats of subtitles, and what writes them. */
const SUBTITLES = { vtt, srt };

export type SubtitleFormat = keyof typeof SUBTITLES;

/** When words are heard, as a file. Refuses where the engine does not know, and as `speechFile` does. */
export async function subtitleFile(
  speechJobs: Pick<SpeechJobs, "captions">,
  job: Job,
  { chapter, format }: { chapter: number | null; format: SubtitleFormat },
): Promise<{ name: string; type: string; text: string }> {
  const segments = await speechJobs.captions(job, chapter);
  const type = "text/plain; charset=utf-8";
  return { name: nameOf(job, chapter, format), type, text: SUBTITLES[format]({ segments }) };
}

const nameOf = ({ row: { id } }: Job, chapter: number | null, extension: string): string =>
  `${id}${chapter === null ? "" : `-${chapter}`}.${extension}`;

/** `chapter`: from 1; null: all of it. Refuses where there is none, or none yet. */
export function speechFile(
  speechJobs: Pick<SpeechJobs, "sound" | "wasRead">,
  job: Job,
  chapter: number | null,
): SpeechFile {
  const { responseFormat: format } = job.row;
  const sound = speechJobs.sound(job, chapter);
  const tag = format === "mp3" ? tagOf(job, chapter) : Buffer.alloc(0);
  const bytes = tag.length + sound.bytes;
  return {
    name: nameOf(job, chapter, format),
    type: MEDIA_TYPES[format as SpeechFormat],
    bytes,
    async *content({ from, to }) {
      let rest = to - from;
      const wanted = (chunk: Uint8Array) => {
        const part = chunk.subarray(0, rest);
        rest -= part.length;
        return part;
      };
      if (from < tag.length) yield wanted(tag.subarray(from));
      for await (const chunk of sound.chunks(Math.max(0, from - tag.length))) {
        yield wanted(chunk);
        if (rest === 0) break;
      }
      if (rest === 0 && to - from === bytes && chapter === null) await speechJobs.wasRead(job);
    },
  };
}

function tagOf({ row, labels }: Job, chapter: number | null): Buffer {
  const chapters = chaptersOf(row);
  const { title = null, author: artist = null, chapters: titles = [] } = labels ?? {};
  if (chapter !== null && chapters.length > 1) {
    const track = { number: chapter, of: chapters.length };
    return id3Tag({ title: titles[chapter - 1] ?? null, artist, album: title, track, chapters: [] });
  }
  const places = placesOf(chapters);
  const listed = chapters.map((_, index) => ({
    title: titles[index] ?? "",
    start: secondsOfSound(places[index]!.start),
    end: secondsOfSound(places[index]!.end),
  }));
  const isListed = chapters.length > 1 || titles[0] !== "";
  return id3Tag({ title, artist, album: null, track: null, chapters: isListed ? listed : [] });
}
