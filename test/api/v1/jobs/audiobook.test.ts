/**
 * Promise: a job of a book gives an audiobook: M4B with its chapters, tags and cover where FFmpeg is installed, whole and by chapter, and
 * any part of it; the cover is in MP3 files too, and may be a file of one's own. Without FFmpeg, M4B is refused before anything is made.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { OpenAI } from "openai";
import { installedFamilies } from "../../../../src/engine/families/installed.ts";
import { soleClaim } from "../../../../src/engine/runner.ts";
import { boxesIn, chaptersIn, tagIn } from "../../../audio/mp4-boxes.ts";
import { epubOf } from "../../../documents/epub-file.ts";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";

const COVER = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");
const BOOK = epubOf({
  title: "The old house",
  authors: ["A. Writer"],
  chapters: [
    { name: "one.xhtml", body: "<h1>By the river</h1><p>We are at the old house.</p>" },
    { name: "two.xhtml", body: "<h1>Away</h1><p>We go away in the morning.</p>" },
  ],
  cover: { bytes: COVER },
});

let harness: Harness;
let client: OpenAI;
let bookId: string;
beforeAll(async () => {
  harness = await openHarness();
  client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: harness.key, maxRetries: 0 });
  const file = new File([Uint8Array.from(BOOK)], "house.epub");
  bookId = (await client.files.create({ file, purpose: "user_data" })).id;
});
afterAll(() => harness[Symbol.asyncDispose]());

const post = (body: object, from = harness) =>
  from.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice: "female-warm", ...body }),
  });

type Chapter = { title: string; start: number; end: number };
type Job = { id: string; status: string; chapters: Chapter[]; output: { seconds: number } };

async function spoken(response_format: string, more: object = {}): Promise<Job> {
  const response = await post({
    ...{ response_format, input_file_id: bookId, chapters: "headings", background: true, ...more },
  });
  expect(response.status).toBe(202);
  let job = (await response.json()) as Job;
  while (job.status === "queued" || job.status === "in_progress")
    job = (await client.get(`/audio/jobs/${job.id}?wait=60`)) as Job;
  expect(job.status).toBe("completed");
  return job;
}

const content = ({ id }: Job, query = "", headers: Record<string, string> = {}) =>
  harness.ask(`/v1/audio/jobs/${id}/content${query}`, { headers });

async function secondsOf(file: Buffer): Promise<number> {
  const decoded = await harness.parts.decoder.decode(file, soleClaim());
  if ("refusal" in decoded) throw new Error(decoded.message);
  return decoded.durationSeconds;
}

test.skipIf(!installed)(`a book is an M4B with its chapters, tags and cover${needsFfmpeg}`, async () => {
  const job = await spoken("m4b");
  const answer = await content(job);
  expect(answer.headers.get("content-type")).toBe("audio/mp4");
  expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${job.id}.m4b"`);
  const file = Buffer.from(await answer.bytes());
  expect(boxesIn(file).map(({ name }) => name)).toEqual(["ftyp", "moov", "mdat", "free"]);
  const chapters = chaptersIn(file);
  expect(chapters.map(({ title }) => title)).toEqual(["By the river", "Away"]);
  for (const [index, { start }] of chapters.entries())
    expect(start).toBeCloseTo(job.chapters[index]!.start, 3);
  expect(tagIn(file, "\xa9nam").value.toString()).toBe("The old house");
  expect(tagIn(file, "\xa9ART").value.toString()).toBe("A. Writer");
  expect(tagIn(file, "covr")).toEqual({ kind: 14, value: COVER });
  expect(Math.abs((await secondsOf(file)) - job.output.seconds)).toBeLessThan(0.05);
  const [from, to] = [100, file.length - 50];
  const part = await content(job, "", { range: `bytes=${from}-${to}` });
  expect([part.status, Buffer.from(await part.bytes()).equals(file.subarray(from, to + 1))]).toEqual([
    206,
    true,
  ]);
});

test.skipIf(!installed)(`a chapter is a file with its title and place${needsFfmpeg}`, async () => {
  const job = await spoken("m4b");
  const file = Buffer.from(await (await content(job, "?chapter=2")).bytes());
  expect(chaptersIn(file)).toEqual([]);
  expect(tagIn(file, "\xa9nam").value.toString()).toBe("Away");
  expect(tagIn(file, "\xa9alb").value.toString()).toBe("The old house");
  expect([...tagIn(file, "trkn").value]).toEqual([0, 0, 0, 2, 0, 2, 0, 0]);
  const { start, end } = job.chapters[1]!;
  expect(Math.abs((await secondsOf(file)) - (end - start))).toBeLessThan(0.05);
});

test("an MP3 file has the cover, and its sound behind its tag", async () => {
  const job = await spoken("mp3");
  const file = Buffer.from(await (await content(job)).bytes());
  const picture = Buffer.concat([Buffer.from("\0image/png\0\x03\0", "latin1"), COVER]);
  const at = file.indexOf("APIC");
  expect(file.readUInt32BE(at + 4)).toBe(picture.length);
  expect(file.subarray(at + 10, at + 10 + picture.length).equals(picture)).toBe(true);
  const size = file.subarray(6, 10).reduce((sum, seven) => (sum << 7) | seven, 0);
  expect(file[10 + size]).toBe(0xff);
});

async function sentPicture(bytes: Buffer): Promise<string> {
  const file = new File([Uint8Array.from(bytes)], "cover.img");
  return (await client.files.create({ file, purpose: "user_data" })).id;
}

const JPEG = Buffer.from("\xff\xd8\xff\xe0 and more", "latin1");

test("a cover of one's own takes the place of the book's, and its file may go at once", async () => {
  const cover = await sentPicture(JPEG);
  const job = spoken("mp3", { cover_file_id: cover, chapters: undefined });
  const file = Buffer.from(await (await content(await job)).bytes());
  const picture = Buffer.concat([Buffer.from("\0image/jpeg\0\x03\0", "latin1"), JPEG]);
  const at = file.indexOf("APIC");
  expect(file.subarray(at + 10, at + 10 + file.readUInt32BE(at + 4)).equals(picture)).toBe(true);
  await client.files.delete(cover);
});

test.skipIf(!installed)(`one's own cover is in M4B files, also of a plain text${needsFfmpeg}`, async () => {
  const cover = await sentPicture(JPEG);
  const asked = { cover_file_id: cover, chapters: undefined, input_file_id: undefined, input: "One." };
  const file = Buffer.from(await (await content(await spoken("m4b", asked))).bytes());
  expect(tagIn(file, "covr")).toEqual({ kind: 13, value: JPEG });
});

test.each<[string, () => Promise<object>, number, string]>([
  ["a file that is not there", async () => ({ cover_file_id: "file_0" }), 404, "not_found"],
  ["a file that is no picture", async () => ({ cover_file_id: bookId }), 422, "validation_error"],
  [
    "one that is cut off",
    async () => ({ cover_file_id: await sentPicture(COVER.subarray(0, 7)) }),
    422,
    "validation_error",
  ],
  [
    "one of more than 1 MB",
    async () => ({ cover_file_id: await sentPicture(Buffer.alloc(1024 * 1024 + 1, JPEG)) }),
    422,
    "validation_error",
  ],
  [
    "a format without a cover",
    async () => ({ cover_file_id: await sentPicture(JPEG), response_format: "wav" }),
    422,
    "validation_error",
  ],
])("cover_file_id is refused, and no job is made: %s", async (_, asked, status, code) => {
  const jobs = () => harness.parts.database.query.select().from(harness.parts.database.tables.job);
  const before = (await jobs()).length;
  const body = { input: "One.", response_format: "mp3", background: true, ...(await asked()) };
  const response = await post(body);
  expect(response.status).toBe(status);
  expect(await errorOf(response)).toMatchObject({ code, param: "cover_file_id" });
  expect((await jobs()).length).toBe(before);
});

test("M4B is for jobs, and refused where there is no FFmpeg", async () => {
  const direct = await post({ input: "One.", response_format: "m4b" });
  expect(await errorOf(direct)).toMatchObject({
    ...{ status: 400, code: "unsupported_response_format", param: "response_format" },
    message: "svc-tts1 produces wav, mp3, flac, pcm, opus, not m4b. m4b is for requests with background.",
  });
  await using without = await openHarness({ services: { encodesAac: false } });
  const refused = await post({ input: "One.", response_format: "m4b", background: true }, without);
  const error = await errorOf(refused);
  expect(error).toMatchObject({ status: 400, code: "unsupported_response_format", param: "response_format" });
  expect(error.message).toContain("m4b needs FFmpeg");
  const { query, tables } = without.parts.database;
  expect(await query.select().from(tables.job)).toEqual([]);
});
