/**
 * Promise: a stock client makes jobs of long texts, waits for them, and downloads all of what they spoke or a chapter, with
 * subtitles; and what is refused is refused as documented, and costs nothing.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { OpenAI } from "openai";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";

let harness: Harness;
let client: OpenAI;
beforeAll(async () => {
  harness = await openHarness({ startMs: Date.UTC(2026, 0, 2) });
  client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: harness.key, maxRetries: 0 });
});
afterAll(() => harness[Symbol.asyncDispose]());

type Chapter = { title: string; characters: number; start: number; end: number };
type Job = { id: string; status: string; cost_micros: number; chapters: Chapter[]; [field: string]: unknown };

const BODY = { model: "svc-tts1", voice: "female-warm", background: true } as const;
const post = (body: object) =>
  harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify({ ...BODY, ...body }) });
const content = (id: string, query = "", headers: Record<string, string> = {}) =>
  harness.ask(`/v1/audio/jobs/${id}/content${query}`, { headers });

async function made(body: object): Promise<Job> {
  const response = await post(body);
  expect(response.status).toBe(202);
  return (await response.json()) as Job;
}

async function finished(id: string): Promise<Job> {
  for (;;) {
    const job = (await client.get(`/audio/jobs/${id}?wait=60`)) as Job;
    if (job.status !== "queued" && job.status !== "in_progress") return job;
  }
}

const charges = async () => {
  const { query, tables } = harness.parts.database;
  return (await query.select().from(tables.usageEvent)).filter(({ unit }) => unit === "character");
};

const jobCount = async () => {
  const { query, tables } = harness.parts.database;
  return (await query.select().from(tables.job)).length;
};

const BOOK = `# The old house

## By the river

We are at the old house by the river.

## Away

We go away in the morning.`;

test("the stock client makes a job of a Markdown file, and downloads it with its chapters as MP3", async () => {
  const file = await client.files.create({ file: new File([BOOK], "book.md"), purpose: "user_data" });
  const response = await client.audio.speech.create({
    ...BODY,
    ...{ response_format: "mp3", input_file_id: file.id, chapters: "headings" },
    ...{ title: "The old house", author: "A. Writer", metadata: { volume: "3" } },
  } as never);
  expect(response.status).toBe(202);
  const job = (await response.json()) as Job;
  expect(job).toMatchObject({
    ...{ object: "audio.job", kind: "speech", model: "svc-tts1", response_format: "mp3" },
    ...{ metadata: { volume: "3" }, title: "The old house", author: "A. Writer", error: null, usage: null },
    input: { file_id: file.id, url: null, bytes: null, characters: BOOK.length },
    chapters: [{ title: "By the river" }, { title: "Away" }],
  });
  const done = await finished(job.id);
  expect(done).toMatchObject({
    ...{ status: "completed", usage: { type: "characters", characters: BOOK.length } },
    output: { seconds: done.chapters[1]!.end },
  });
  expect(done.cost_micros).toBeGreaterThan(0);
  expect((await charges()).map(({ id }) => id)).toEqual([`${job.id}.1`, `${job.id}.2`]);
  const row = await harness.parts.ledger.request(harness.organizationId, job.request_id as string);
  expect(row).toMatchObject({ status: 202, costMicros: done.cost_micros, characters: BOOK.length });
  const whole = await content(job.id);
  const bytes = Buffer.from(await whole.arrayBuffer());
  expect([whole.status, whole.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
  const chapters = chaptersIn(bytes);
  expect(chapters.map(({ title }) => title)).toEqual(["By the river", "Away"]);
  for (const [index, { startMs, endMs }] of chapters.entries()) {
    expect(startMs).toBe(Math.round(done.chapters[index]!.start * 1000));
    expect(endMs).toBe(Math.round(done.chapters[index]!.end * 1000));
  }
  expect(bytes.includes(Buffer.from("The old house", "utf16le"))).toBeTrue();
  expect(bytes.includes(Buffer.from("A. Writer", "utf16le"))).toBeTrue();
  const part = await content(job.id, "", { range: "bytes=100-4099" });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 100-4099/${bytes.length}`]);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 4100))).toBeTrue();
  const second = Buffer.from(await (await content(job.id, "?chapter=2")).arrayBuffer());
  expect(second.length).toBeLessThan(bytes.length);
  expect(chaptersIn(second)).toEqual([]);
  expect((await client.files.delete(file.id)).deleted).toBe(true);
});

/** The chapters of an ID3 tag, read as its definition has it. */
function chaptersIn(bytes: Buffer) {
  expect(bytes.toString("latin1", 0, 3)).toBe("ID3");
  const size = bytes.subarray(6, 10).reduce((sum, seven) => (sum << 7) | seven, 0);
  const found: { title: string; startMs: number; endMs: number }[] = [];
  for (let at = 10; at < 10 + size; ) {
    const length = bytes.readUInt32BE(at + 4);
    const frame = bytes.subarray(at + 10, at + 10 + length);
    if (bytes.toString("latin1", at, at + 4) === "CHAP") {
      const times = frame.indexOf(0) + 1;
      const title = frame.subarray(times + 16 + 10 + 3).toString("utf16le");
      found.push({ title, startMs: frame.readUInt32BE(times), endMs: frame.readUInt32BE(times + 4) });
    }
    at += 10 + length;
  }
  expect(bytes[10 + size]).toBe(0xff); // the first frame of sound
  return found;
}

test("a short text sounds as the request without background, in any format", async () => {
  const input = "We are at the old house by the river.";
  for (const response_format of ["wav", "pcm", "flac", "opus", "mp3"]) {
    const { id } = await made({ input, response_format });
    expect(await finished(id)).toMatchObject({ status: "completed" });
    const direct = await post({ input, response_format, background: false });
    const [spoken, asked] = [await (await content(id)).bytes(), await direct.bytes()];
    expect([response_format, Math.abs(spoken.length - asked.length) < 0.02 * asked.length]).toEqual([
      response_format,
      true,
    ]);
    if (response_format === "wav") expect(Buffer.from(spoken).equals(Buffer.from(asked))).toBeTrue();
  }
});

test("subtitles say when the words are heard", async () => {
  const chapters = [
    { title: "One", input: "The first one." },
    { title: "Two", input: "The second one." },
  ];
  const { id } = await made({ chapters });
  const { chapters: spoken } = await finished(id);
  const subtitles = await content(id, "?format=vtt");
  const text = await subtitles.text();
  expect([subtitles.status, text.startsWith("WEBVTT"), text.includes("The second one.")]).toEqual([
    200,
    true,
    true,
  ]);
  expect(spoken[1]!.start).toBeGreaterThan(spoken[0]!.end);
  expect(await (await content(id, "?format=srt&chapter=2")).text()).toMatch(
    /^1\n00:00:00,\d+ --> [\s\S]*The second one\./,
  );
});

test("a text of 600,000 characters makes a job, and the same one without background is refused as ever", async () => {
  const input = `${"Words, and more words. ".repeat(30)}\n\n`.repeat(860);
  const { id, input: counted } = await made({ input });
  expect(counted).toMatchObject({ characters: input.length });
  const cancelled = (await client.post(`/audio/jobs/${id}/cancel`)) as Job;
  expect(cancelled).toMatchObject({ status: "cancelled" });
  expect((await client.delete(`/audio/jobs/${id}`)) as unknown).toMatchObject({ deleted: true });
  const refused = await post({ input, background: false });
  expect([refused.status, (await errorOf(refused)).param]).toEqual([422, "input"]);
  const { background: _, ...body } = { ...BODY, input };
  const unnamed = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(body) });
  expect([unnamed.status, (await errorOf(unnamed)).message]).toEqual([
    422,
    "The request body is larger than 262144 bytes.",
  ]);
});

const LIST = [{ title: "", input: "One." }];
test.each([
  [{}, 422, "input"],
  [{ input: "One.", chapters: LIST }, 422, "chapters"],
  [{ input: "One.", input_file_id: "file_0" }, 422, "input_file_id"],
  [{ input: " " }, 422, "input"],
  [{ input: "x".repeat(1_000_001) }, 422, "input"],
  [{ input: "One.", stream_format: "sse" }, 422, "stream_format"],
  [{ input: "One.", stream: true }, 422, "stream"],
  [{ input: "One.", speed: 9 }, 422, "speed"],
  [{ input: "One.", chapters: "pages" }, 422, "chapters"],
  [{ chapters: Array.from({ length: 256 }, () => LIST[0]) }, 422, "chapters"],
  [{ chapters: [{ title: "", input: " " }] }, 422, "chapters.0.input"],
  [{ input: "# A\n\na\n".repeat(256), chapters: "headings" }, 422, "chapters"],
  [{ input: "<speak>One.</speak>", chapters: "headings" }, 422, "chapters"],
  [{ input: `<speak>${"One. ".repeat(2000)}</speak>` }, 422, "input"],
  [{ input: "<speak><audio/></speak>" }, 422, "input"],
  [{ input: "One.", metadata: { a: 1 } }, 422, "metadata.a"],
  [{ input: "One.", title: "x".repeat(301) }, 422, "title"],
  [{ input: "One.", response_format: "mka" }, 400, "response_format"],
  [{ input: "One.", model: "none" }, 400, "model"],
  [{ input: "One.", voice: "none" }, 404, "voice"],
  [{ input_file_id: "file_none" }, 404, "input_file_id"],
] as const)("%j is refused with %i", async (body, status, param) => {
  const before = await jobCount();
  const response = await post(body);
  expect([response.status, (await errorOf(response)).param]).toEqual([status, param]);
  expect(await jobCount()).toBe(before);
});

test("a file that is no text is refused", async () => {
  for (const [bytes, name] of [
    [Buffer.from([0xff, 0xfe, 0x80]), "a.txt"],
    [Buffer.from("PK"), "a.epub"],
    [Buffer.from("a\0b"), "a.txt"],
  ] as const) {
    const { id } = await client.files.create({ file: new File([bytes], name), purpose: "user_data" });
    const response = await post({ input_file_id: id });
    expect([response.status, (await errorOf(response)).param]).toEqual([422, "input_file_id"]);
  }
});

test("without background, the fields of jobs are no text", async () => {
  const response = await post({ background: false, input_file_id: "file_0" });
  expect([response.status, (await errorOf(response)).message]).toEqual([
    422,
    "input_file_id is for requests with background.",
  ]);
});

test.each([
  ["?chapter=9", 404],
  ["?chapter=0", 422],
  ["?response_format=mp3", 400],
  ["?response_format=json", 400],
  ["?format=txt", 422],
] as const)("content%s is refused with %i", async (query, status) => {
  const { id } = await made({ input: "One." });
  await finished(id);
  const response = await content(id, query);
  expect(response.status).toBe(status);
});

test("another project's job is not found", async () => {
  const { id } = await made({ input: "One." });
  const { accounts } = harness.parts;
  const theirs = await accounts.createOrganization("Theirs");
  const project = await accounts.createProject(theirs.id, "Other");
  const scopes = ["speech:create" as const];
  const of = { projectId: project.id, name: "a", environment: "live", scopes, expiresAt: null } as const;
  const { secret: key } = await accounts.createKey(of);
  for (const path of ["", "/content"]) {
    const response = await harness.ask(`/v1/audio/jobs/${id}${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(404);
  }
});
