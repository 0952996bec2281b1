/** What a file of speech has before its sound: the tags of MP3, all but the sound of M4B, nothing in other formats. */

import { id3Tag } from "../audio/id3.ts";
import { m4bHead, readFrameTable } from "../audio/m4b/m4b.ts";
import type { Tags } from "../audio/tags.ts";
import { chaptersOf, placesOf, secondsOfSound } from "./job-chapters.ts";
import type { Job } from "./jobs.ts";

/** What is stored of a file: its bytes, and those from one on. */
type Stored = { bytes: number; chunks(from: number): AsyncIterable<Uint8Array> };
type Headed = Stored & Pick<Tags, "cover"> & { job: Job; chapter: number | null };

export async function speechHead({ job, chapter, cover, ...stored }: Headed): Promise<Buffer> {
  const { responseFormat: format } = job.row;
  if (format !== "mp3" && format !== "m4b") return Buffer.alloc(0);
  const tags = { ...tagsOf(job, chapter), cover };
  if (format === "mp3") return id3Tag(tags);
  const frameSizes = await readFrameTable(stored.bytes, (from) => restOf(stored, from));
  return m4bHead({ frameSizes, sampleCount: samplesOf(job, chapter) }, tags);
}

const HEADS_MAX = 4;
const KEPT_MS = 60_000;

/** Heads of files that are read now: players ask for many ranges of one, and each needs its head. */
export function openHeads() {
  const kept = new Map<string, Promise<Buffer>>();
  return {
    of(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
      const known = kept.get(name);
      if (known) return known;
      const head = make();
      kept.set(name, head);
      const forget = () => void (kept.get(name) === head && kept.delete(name));
      head.then(() => setTimeout(forget, KEPT_MS).unref(), forget);
      for (const oldest of [...kept.keys()].slice(0, -HEADS_MAX)) kept.delete(oldest);
      return head;
    },
  };
}

async function restOf(stored: Stored, from: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stored.chunks(from)) chunks.push(chunk);
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
