/** What a file of speech has before its sound: the tags of MP3, all but the sound of M4B, nothing in other formats. */

import { id3Tag } from "../audio/id3.ts";
import { bytesOf, m4bHead, readFrameTable } from "../audio/m4b/m4b.ts";
import type { Tags } from "../audio/tags.ts";
import { chaptersOf, placesOf, secondsOfSound } from "./job-chapters.ts";
import type { Job } from "./jobs.ts";
import type { SpeechJobs } from "./speech-jobs.ts";

type Sound = ReturnType<SpeechJobs["sound"]>;
type Asked = { sound: Sound; chapter: number | null };

/** `soundBytes`: of what is stored, those that belong to the file. */
export async function speechHead(
  speechJobs: Pick<SpeechJobs, "cover">,
  job: Job,
  { sound, chapter }: Asked,
): Promise<{ head: Buffer; soundBytes: number }> {
  const { responseFormat: format } = job.row;
  if (format !== "mp3" && format !== "m4b") return { head: Buffer.alloc(0), soundBytes: sound.bytes };
  const tags = { ...tagsOf(job, chapter), cover: await speechJobs.cover(job) };
  if (format === "mp3") return { head: id3Tag(tags), soundBytes: sound.bytes };
  const frameSizes = await readFrameTable(sound.bytes, (from) => restOf(sound, from));
  const sampleCount = samplesOf(job, chapter);
  const head = m4bHead({ frameSizes, sampleCount }, tags);
  return { head, soundBytes: bytesOf(frameSizes) };
}

async function restOf(sound: Sound, from: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of sound.chunks(from)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function samplesOf({ row }: Job, chapter: number | null): number {
  const chapters = chaptersOf(row);
  return chapter === null ? placesOf(chapters).at(-1)!.end : chapters[chapter - 1]!.samples;
}

function tagsOf({ row, labels }: Job, chapter: number | null): Omit<Tags, "cover"> {
  const chapters = chaptersOf(row);
  const { title = null, author: artist = null, chapters: titles = [] } = labels ?? {};
  if (chapter !== null && chapters.length > 1) {
    const track = { number: chapter, of: chapters.length };
    return { title: titles[chapter - 1] ?? null, artist, album: title, track, chapters: [] };
  }
  const places = placesOf(chapters);
  const listed = chapters.map((_, index) => ({
    title: titles[index] ?? "",
    start: secondsOfSound(places[index]!.start),
    end: secondsOfSound(places[index]!.end),
  }));
  const isListed = chapters.length > 1 || titles[0] !== "";
  return { title, artist, album: null, track: null, chapters: isListed ? listed : [] };
}
