/** Promise: a batch transcribes the recordings that the lines of a file name, with OpenAI's clients, and says of each line what became of it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import OpenAI6 from "openai-6";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { hears, sentence, unlessRecognition } from "../../dialects/recorded.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let client: OpenAI;
let recording: string;
beforeAll(async () => {
  harness = await openHarness();
  client = new OpenAI({ apiKey: harness.key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
  const wav = await toFile(await sentence(harness), "talk.wav");
  recording = (await client.files.create({ file: wav, purpose: "user_data" })).id;
});
afterAll(() => harness[Symbol.asyncDispose]());

type Input = { custom_id: string; method?: string; url?: string; body?: object };
const URL_OF = "/v1/audio/transcriptions";
const lineOf = ({ custom_id, method = "POST", url = URL_OF, body }: Input) =>
  JSON.stringify({ custom_id, method, url, body: body ?? { model: "svc-stt1", file_id: recording } });
const inputOf = async (text: string) =>
  (await client.files.create({ file: await toFile(Buffer.from(text), "lines.jsonl"), purpose: "batch" })).id;
const create = async (text: string, endpoint = URL_OF) =>
  client.batches.create({
    input_file_id: await inputOf(text),
    endpoint: endpoint as never,
    completion_window: "24h",
    metadata: { of: "tests" },
  });
/** Rows of work are due by the clock that the test holds. */
const ended = (id: string) =>
  until(async () => {
    harness.clock.pass(1000);
    const batch = await client.batches.retrieve(id);
    return ["completed", "failed", "expired", "cancelled"].includes(batch.status) && batch;
  });
const linesOf = async (file: string | null | undefined) =>
  (await (await client.files.content(file!)).text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const balance = async () => (await harness.parts.ledger.credit(harness.organizationId)).balanceMicros;

describe.skipIf(!hears)(`openai 7${unlessRecognition}`, () => {
  test("batches.create: each line is answered as its request would be, and charged once", async () => {
    const before = await balance();
    const silent = await toFile(Buffer.from("no audio"), "a.mp3");
    const { id: text } = await client.files.create({ file: silent, purpose: "user_data" });
    const made = await create(
      [
        lineOf({ custom_id: "plain" }),
        lineOf({ custom_id: "srt", body: { model: "svc-stt1", file_id: recording, response_format: "srt" } }),
        "",
        lineOf({ custom_id: "no audio", body: { model: "svc-stt1", file_id: text } }),
        lineOf({
          custom_id: "no file",
          body: { model: "svc-stt1", file_id: "file_000000000000000000000000" },
        }),
        lineOf({ custom_id: "no model", body: { model: "none", file_id: recording } }),
        lineOf({ custom_id: "inside", body: { model: "svc-stt1", input_audio: { data: "AAAA" } } }),
      ].join("\n"),
    );
    expect(made).toMatchObject({ object: "batch", status: "validating", metadata: { of: "tests" } });
    expect(made.id).toMatch(/^batch_[0-9a-z]{24}$/);
    const batch = await ended(made.id);
    expect(batch).toMatchObject({ status: "completed", errors: null });
    expect(batch.request_counts).toEqual({ total: 6, completed: 2, failed: 4 });
    const output = await linesOf(batch.output_file_id);
    expect(output.map(({ custom_id }) => custom_id)).toEqual(["plain", "srt"]);
    const [plain, srt] = output;
    expect([plain.id, plain.error]).toEqual([expect.stringMatching(/^job_/), null]);
    expect([plain.response.status_code, plain.response.request_id]).toEqual([
      ...[200, expect.stringMatching(/^req_/)],
    ]);
    expect(plain.response.body.text).toMatch(/old house by the river/i);
    expect(srt.response.body.text).toMatch(/^1\n00:00:00,\d{3} --> /);
    const refused = await linesOf(batch.error_file_id);
    expect(
      refused.map(({ custom_id, response }) => [custom_id, response.status_code, response.body.error.code]),
    ).toEqual([
      ["no audio", 400, "invalid_audio"],
      ["no file", 404, "not_found"],
      ["no model", 400, "invalid_model"],
      ["inside", 422, "validation_error"],
    ]);
    for (const { response } of refused) expect(response.body.error.request_id).toBe(response.request_id);
    const job = (await client.get(`/audio/jobs/${plain.id}`)) as { cost_micros: number };
    expect(job.cost_micros).toBeGreaterThan(0);
    expect(before - (await balance())).toBe(2 * job.cost_micros);
    expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
    const logged = await harness.parts.ledger.request(harness.organizationId, plain.response.request_id);
    expect(logged).toMatchObject({ endpoint: URL_OF, status: 200, costMicros: job.cost_micros });
    expect(await client.files.retrieve(batch.output_file_id!)).toMatchObject({
      purpose: "batch_output",
      expires_at: expect.any(Number),
    });
  });

  test("batches.list, and cancel of one that has ended, which stays as it is", async () => {
    const { id } = await create(lineOf({ custom_id: "one" }));
    await ended(id);
    expect((await client.batches.cancel(id)).status).toBe("completed");
    const seen: string[] = [];
    for await (const each of client.batches.list({ limit: 1 })) seen.push(each.id);
    expect(seen[0]).toBe(id);
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(seen.toSorted().reverse());
  });

  test.each(["cancelled", "expired"] as const)(
    "one that is %s: lines that were not done are not charged, and say so",
    async (as) => {
      await using slow = await openHarness();
      const other = new OpenAI6({ apiKey: slow.key, baseURL: `${slow.url}/v1`, maxRetries: 0 });
      const send = async (bytes: Uint8Array, purpose: "batch" | "user_data") =>
        (await other.files.create({ file: await toFile(bytes, "input"), purpose })).id;
      const body = { model: "svc-stt1", file_id: await send(await sentence(slow), "user_data") };
      const lines = ["one", "two", "three"].map((custom_id) => lineOf({ custom_id, body }));
      const input_file_id = await send(Buffer.from(lines.join("\n")), "batch");
      const credit = async () => (await slow.parts.ledger.credit(slow.organizationId)).balanceMicros;
      const before = await credit();
      slow.parts.registry.engine = () => ({ run: () => new Promise(() => {}) }); // no job is ever done
      const { id } = await other.batches.create({
        input_file_id,
        endpoint: URL_OF as never,
        completion_window: "24h",
      });
      expect((await errorOf(await slow.ask(`/v1/files/${input_file_id}`, { method: "DELETE" }))).code).toBe(
        "file_in_use",
      );
      await until(async () => {
        slow.clock.pass(1000);
        return (
          (await other.batches.retrieve(id)).request_counts!.total === 3 && (await jobsOf(slow)).length === 3
        );
      });
      if (as === "cancelled") expect((await other.batches.cancel(id)).status).toBe("cancelling");
      else slow.clock.pass(24 * 3600 * 1000);
      const batch = await until(async () => {
        slow.clock.pass(1000);
        const found = await other.batches.retrieve(id);
        return found.status === as && found;
      });
      expect(batch.request_counts).toEqual({ total: 3, completed: 0, failed: 3 });
      expect(batch.output_file_id).toBeNull();
      const text = await (await other.files.content(batch.error_file_id!)).text();
      expect(
        text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).error.code),
      ).toEqual(Array(3).fill(`batch_${as}`));
      expect(await credit()).toBe(before);
      expect((await slow.ask(`/v1/files/${input_file_id}`, { method: "DELETE" })).status).toBe(200);
    },
  );
});

const jobsOf = async ({ parts, organizationId }: Harness) =>
  parts.jobs.list({ organizationId, projectId: null }, { status: null, after: null, limit: 10 });

describe("an input that is wrong fails the batch, and nothing is begun:", () => {
  const twice = () => `${lineOf({ custom_id: "a" })}\n${lineOf({ custom_id: "a" })}`;
  test.each<[string, () => string, string, number | null]>([
    ["nothing", () => "\n\n", "empty_file", null],
    ["no JSON", () => `${lineOf({ custom_id: "a" })}\n{`, "invalid_json_line", 2],
    ["a list", () => "[]", "invalid_json_line", 1],
    ["an id twice", twice, "duplicate_custom_id", 2],
    ["no id", () => lineOf({ custom_id: "" }), "invalid_custom_id", 1],
    ["GET", () => lineOf({ custom_id: "a", method: "GET" }), "invalid_method", 1],
    [
      "another endpoint",
      () => lineOf({ custom_id: "a", url: "/v1/audio/translations" }),
      "mismatched_endpoint",
      1,
    ],
    [
      "a long line",
      () => lineOf({ custom_id: "a", body: { prompt: "x".repeat(70_000) } }),
      "line_too_long",
      1,
    ],
    ["a body that is no object", () => lineOf({ custom_id: "a", body: [] }), "invalid_body", 1],
    [
      "10,001 lines",
      () => Array.from({ length: 10_001 }, (_, at) => lineOf({ custom_id: `${at}` })).join("\n"),
      "too_many_lines",
      null,
    ],
  ])("%s", async (_, textOf, code, line) => {
    const before = await balance();
    const batch = await ended((await create(textOf())).id);
    expect(batch).toMatchObject({ status: "failed", failed_at: expect.any(Number) });
    expect(batch.errors!.data![0]).toMatchObject({ code, line, message: expect.stringMatching(/\.$/) });
    expect(await balance()).toBe(before);
    expect(await harness.ask(`/v1/files/${batch.input_file_id}`, { method: "DELETE" })).toMatchObject({
      status: 200,
    });
  });
});

describe("POST /v1/batches refuses", () => {
  const post = (body: object) => harness.ask("/v1/batches", { method: "POST", body: JSON.stringify(body) });
  const whole = {
    endpoint: URL_OF,
    completion_window: "24h",
    input_file_id: "file_000000000000000000000000",
  };
  test.each<[string, () => object | Promise<object>, number, string]>([
    ["a file that is not there", () => whole, 404, "not_found"],
    ["a file with another purpose", () => ({ ...whole, input_file_id: recording }), 422, "validation_error"],
    [
      "an endpoint without batches",
      () => ({ ...whole, endpoint: "/v1/chat/completions" }),
      422,
      "validation_error",
    ],
    ["another window", () => ({ ...whole, completion_window: "1h" }), 422, "validation_error"],
  ])("%s", async (_, bodyOf, status, code) => {
    expect(await errorOf(await post(await bodyOf()))).toMatchObject({ status, code });
  });

  test("an eleventh that has not ended", async () => {
    await using full = await openHarness();
    full.parts.work.drain();
    const other = new OpenAI({ apiKey: full.key, baseURL: `${full.url}/v1`, maxRetries: 0 });
    const input = await other.files.create({
      file: await toFile(Buffer.from("{}"), "l.jsonl"),
      purpose: "batch",
    });
    const ask = () =>
      other.batches.create({
        ...whole,
        endpoint: URL_OF as never,
        completion_window: "24h",
        input_file_id: input.id,
      });
    for (let made = 0; made < 10; made++) await ask();
    const refused = await ask().catch((error) => error);
    expect(refused).toMatchObject({ status: 429, code: "too_many_jobs" });
  });
});
