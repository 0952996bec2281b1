/**
 * Promise: a stock client makes jobs of recordings and of files, waits for them, and reads the result that a request would have got
 * in every format; and what is refused is refused as documented, and costs nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OpenAI } from "openai";
import { installedFamilies } from "../../../../src/engine/families/installed.ts";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { holdRecognitions } from "../../../held-recognitions.ts";
import { type Field, form } from "../form.ts";

const hears = installedFamilies().has("sphinx");
const unlessRecognition = hears ? "" : " (skipped: libpocketsphinx is not installed)";

let harness: Harness;
let client: OpenAI;
let wav: Uint8Array;
beforeAll(async () => {
  harness = await openHarness({ startMs: Date.UTC(2026, 0, 2) });
  client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: harness.key, maxRetries: 0 });
  const input = "We are at the old house by the river.";
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-deep", input });
  wav = await (await harness.ask("/v1/audio/speech", { method: "POST", body })).bytes();
});
afterAll(() => harness[Symbol.asyncDispose]());

type Job = { id: string; status: string; [field: string]: unknown };

const file = (bytes: Uint8Array = wav) => new File([bytes as never], "talk.wav");
const MODEL = { model: "svc-stt1" } as const;

const create = async (fields: object): Promise<Job> =>
  (await client.audio.transcriptions.create({ ...MODEL, background: true, ...fields } as never)) as never;
const get = (id: string, query = ""): Promise<Job> => client.get(`/audio/jobs/${id}${query}`);

async function finished(id: string): Promise<Job> {
  for (;;) {
    const job = await get(id, "?wait=60");
    if (job.status !== "queued" && job.status !== "in_progress") return job;
  }
}

const content = (id: string, query: string) => harness.ask(`/v1/audio/jobs/${id}/content${query}`);
const charges = async () => {
  const { query, tables } = harness.parts.database;
  return (await query.select().from(tables.usageEvent)).filter(({ unit }) => unit === "second");
};

describe.skipIf(!hears)(`with a recognizer${unlessRecognition}`, () => {
  let job: Job;
  let chargedBefore: number;
  beforeAll(async () => {
    chargedBefore = (await charges()).length;
    job = await create({ file: file(), metadata: { call: "007", note: "1.0" }, response_format: "srt" });
  });

  test("a job of a recording is made, waited for and charged once", async () => {
    expect(job).toMatchObject({
      ...{ object: "audio.job", kind: "transcription", model: "svc-stt1", response_format: "srt" },
      ...{ metadata: { call: "007", note: "1.0" }, error: null, usage: null, cost_micros: 0 },
      input: { file_id: null, url: null, bytes: wav.length },
    });
    expect(job.id).toMatch(/^job_[0-9a-z]{24}$/);
    const done = await finished(job.id);
    const { duration_seconds: seconds } = done.input as { duration_seconds: number };
    expect(done).toMatchObject({
      ...{ status: "completed", progress: 100, position: null, usage: { type: "duration", seconds } },
      ...{ request_id: job.request_id, expires_at: (done.completed_at as number) + 7 * 86_400 },
    });
    const made = (await charges()).slice(chargedBefore);
    expect(made).toMatchObject([{ id: job.id, quantity: seconds, costMicros: done.cost_micros }]);
    expect(done.cost_micros).toBeGreaterThan(0);
    const row = await harness.parts.ledger.request(harness.organizationId, job.request_id as string);
    expect(row).toMatchObject({ status: 202, costMicros: done.cost_micros, audioSeconds: seconds });
  });

  const formats = ["json", "text", "srt", "vtt", "verbose_json"];
  test.each(formats)("its result as %s is that of the request", async (format) => {
    await finished(job.id);
    const fields: Field[] = [
      ["file", wav],
      ["model", "svc-stt1"],
      ["response_format", format],
    ];
    const words: Field[] = format === "verbose_json" ? [["timestamp_granularities[]", "word"]] : [];
    const asked = await harness.ask("/v1/audio/transcriptions", form([...fields, ...words]));
    const granularity = words.length > 0 ? "&timestamp_granularities[]=word" : "";
    const read = await content(job.id, `?response_format=${format}${granularity}`);
    expect(read.headers.get("content-type")).toBe(asked.headers.get("content-type"));
    const [text, expected] = [await read.text(), await asked.text()];
    expect(format.includes("json") ? JSON.parse(text) : text).toEqual(
      format.includes("json") ? JSON.parse(expected) : expected,
    );
  });

  test("without a format, the result has that of the job", async () => {
    await finished(job.id);
    expect(await (await content(job.id, "")).text()).toStartWith("1\n00:00:00,");
  });

  test("a job of a file leaves the file, which cannot be deleted before", async () => {
    const sent = await client.files.create({ file: file(), purpose: "user_data" });
    const made = await create({ file_id: sent.id });
    expect(made.input).toMatchObject({ file_id: sent.id, bytes: wav.length });
    await finished(made.id);
    expect((await client.files.delete(sent.id)).deleted).toBe(true);
    expect(await (await content(made.id, "?response_format=text")).text()).not.toBe("");
  });

  test("the same request sent again gets the same job", async () => {
    const headers = { "Idempotency-Key": "the-same" };
    const again = async () =>
      (await client.audio.transcriptions.create({ ...MODEL, background: true, file: file() } as never, {
        headers,
      })) as unknown as Job;
    const [first, second] = [await again(), await again()];
    expect(second.id).toBe(first.id);
    await finished(first.id);
  });

  test("a job is listed, and deleted with its result", async () => {
    harness.clock.pass(1000);
    const made = await create({ file: file() });
    await finished(made.id);
    const list = (query: string) =>
      client.get(`/audio/jobs${query}`) as Promise<{ data: Job[]; has_more: boolean }>;
    expect((await list("?limit=1")).data.map(({ id }) => id)).toEqual([made.id]);
    expect((await list("?status=queued")).data).toEqual([]);
    expect(await client.delete(`/audio/jobs/${made.id}`)).toEqual({
      ...{ id: made.id, object: "audio.job", deleted: true },
    });
    for (const path of ["", "/content"])
      expect((await harness.ask(`/v1/audio/jobs/${made.id}${path}`)).status).toBe(404);
    const gone = await harness.ask(`/v1/audio/jobs/${made.id}`, { method: "DELETE" });
    expect(gone.status).toBe(404);
  });

  test("formats that the recognition cannot give are refused", async () => {
    await finished(job.id);
    const refused = await errorOf(await content(job.id, "?response_format=diarized_json"));
    expect(refused).toMatchObject({ status: 400, code: "unsupported_response_format" });
    expect(await errorOf(await content(job.id, "?response_format=xml"))).toMatchObject({ status: 422 });
  });
});

describe("a job", () => {
  test("that has not ended has no result, is waited for no longer than asked, and is cancelled", async () => {
    await using own = await openHarness({ startMs: Date.UTC(2026, 0, 2) });
    const held = holdRecognitions(own.parts.registry);
    const made = await own.ask(
      "/v1/audio/transcriptions",
      form([
        ["file", wav],
        ["model", "svc-stt1"],
        ["background", "true"],
      ]),
    );
    expect(made.status).toBe(202);
    const { id } = (await made.json()) as Job;
    await held.begun(1);
    const early = await errorOf(await own.ask(`/v1/audio/jobs/${id}/content`));
    expect(early).toMatchObject({ status: 409, code: "job_not_finished" });
    const waited = (await (await own.ask(`/v1/audio/jobs/${id}?wait=1`)).json()) as Job;
    expect(waited).toMatchObject({ status: "in_progress", progress: 0 });
    const waiting = own.ask(`/v1/audio/jobs/${id}?wait=60`);
    const cancel = await own.ask(`/v1/audio/jobs/${id}/cancel`, { method: "POST" });
    expect(await cancel.json()).toMatchObject({ status: "cancelled", cost_micros: 0 });
    expect(await (await waiting).json()).toMatchObject({ status: "cancelled" });
    const after = await errorOf(await own.ask(`/v1/audio/jobs/${id}/content`));
    expect(after).toMatchObject({ status: 404, code: "not_found" });
  });

  type Refused = [name: string, fields: () => Field[], status: number, code: string, param: string | null];
  const BACKGROUND: Field = ["background", "true"];
  const refused: Refused[] = [
    [
      "is to be streamed",
      () => [["file", wav], ["stream", "true"], BACKGROUND],
      422,
      "validation_error",
      "stream",
    ],
    ["has no recording", () => [BACKGROUND], 422, "validation_error", "file"],
    ["names a file without background", () => [["file_id", "file_x"]], 422, "validation_error", "file"],
    ["names no file", () => [["file_id", "file_none"], BACKGROUND], 404, "not_found", "file_id"],
    ["names what is no id", () => [["file_id", "no file!"], BACKGROUND], 422, "validation_error", "file_id"],
    [
      "has too long a note",
      () => [["file", wav], ["metadata[a]", "x".repeat(513)], BACKGROUND],
      ...([422, "validation_error", "metadata.a"] as const),
    ],
    [
      "has too many notes",
      () => [
        ["file", wav],
        BACKGROUND,
        ...Array.from({ length: 17 }, (_, n): Field => [`metadata[${n}]`, "x"]),
      ],
      ...([422, "validation_error", "metadata"] as const),
    ],
  ];
  test.each(refused)("that %s is refused, and costs nothing", async (_, fields, status, code, param) => {
    const before = (await charges()).length;
    const response = await harness.ask(
      "/v1/audio/transcriptions",
      form([["model", "svc-stt1"], ...fields()]),
    );
    expect(await errorOf(response)).toMatchObject({ status, code, param });
    expect((await charges()).length).toBe(before);
  });

  test("fails with the code that the request would have got", async () => {
    const made = await create({ file: file(Buffer.from("no recording")) });
    expect(await finished(made.id)).toMatchObject({ status: "failed", error: { code: "invalid_audio" } });
    const none = await errorOf(await content(made.id, ""));
    expect(none).toMatchObject({ status: 404, code: "not_found" });
  });

  test("is made by JSON, too", async () => {
    const sent = await client.files.create({ file: file(Buffer.from("no recording")), purpose: "user_data" });
    const body = JSON.stringify({ ...MODEL, background: true, file_id: sent.id });
    const headers = { "content-type": "application/json" };
    const response = await harness.ask("/v1/audio/transcriptions", { method: "POST", body, headers });
    expect(response.status).toBe(202);
    await finished(((await response.json()) as Job).id);
  });
});

test("a request without background ignores what is for jobs, by name", async () => {
  const fields: Field[] = [
    ["file", Buffer.from("x")],
    ["model", "svc-stt1"],
    ["metadata[a]", "b"],
  ];
  const response = await harness.ask("/v1/audio/transcriptions", form(fields));
  expect(response.headers.get("x-ignored-fields")).toBe("metadata");
});
