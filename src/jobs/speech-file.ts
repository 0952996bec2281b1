/** What a job has spoken as a file that people keep: its name, and any part of it. */
import { JOB_MEDIA_TYPES, type JobFormat } from "../audio/formats.ts";
import { srt, vtt } from "../transcription/subtitles.ts";
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
export async function speechFile(
  speechJobs: Pick<SpeechJobs, "sound" | "wasRead">,
  job: Job,
  chapter: number | null,
): Promise<SpeechFile> {
  const { responseFormat: format } = job.row;
  const sound = speechJobs.sound(job, chapter);
  const head = await sound.head();
  const bytes = head.length + sound.part.bytes;
  return {
    name: nameOf(job, chapter, format),
    type: JOB_MEDIA_TYPES[format as JobFormat],
    bytes,
    async *content({ from, to }) {
      let rest = to - from;
      const wanted = (chunk: Uint8Array) => {
        const part = chunk.subarray(0, rest);
        rest -= part.length;
        return part;
      };
      if (from < head.length) yield wanted(head.subarray(from));
      for await (const chunk of sound.chunks(Math.max(0, from - head.length))) {
        yield wanted(chunk);
        if (rest === 0) break;
      }
      if (rest === 0 && to - from === bytes && chapter === null) await speechJobs.wasRead(job);
    },
  };
}
