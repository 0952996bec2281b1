/** Promise: the lines of a batch may be texts to speak: each becomes a file of the project, once, and is charged once. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { hears } from "../../dialects/recorded.ts";

setDefaultTimeout(120_000);

const SPEECH = "/v1/audio/speech";
const TRANSCRIPTIONS = "/v1/audio/transcriptions";
const SAID = { model: "svc-tts1", voice: "female-warm", response_format: "wav" };
const line = (custom_id: string, body: object) =>
  JSON.stringify({ custom_id, method: "POST", url: SPEECH, body: { ...SAID, ...body } });

let harness: Harness;
let client: OpenAI;
beforeAll(async () => {
  harness = await openHarness();
  client = new OpenAI({ apiKey: harness.key, baseURL: `${harness.url}/v1`, maxRetries: 0 });
});
afterAll(() => harness[Symbol.asyncDispose]());

/** Made of these lines, once it has ended. Rows of work are due by the clock that the test holds. */
async function batchOf(lines: string[]) {
  const file = await toFile(Buffer.from(lines.join("\n")), "lines.jsonl");
  const { id: input_file_id } = await client.files.create({ file, purpose: "batch" });
  const endpoint = SPEECH as never;
  const { id } = await client.batches.create({ input_file_id, endpoint, completion_window: "24h" });
  return until(async () => {
    harness.clock.pass(5000);
    const batch = await client.batches.retrieve(id);
    return batch.status === "completed" && batch;
  });
}

const linesOf = async (file: string | null | undefined) =>
  (await (await client.files.content(file!)).text())
    .trim()
    .split("\n")
    .map((each) => JSON.parse(each));
const balance = async () => (await harness.parts.ledger.credit(harness.organizationId)).balanceMicros;

test("each line is a file of the project, and what is refused says why", async () => {
  const before = await balance();
  const batch = await batchOf([
    line("one", { input: "we are at the old house by the river", metadata: { label: "river" } }),
    line("two", { chapters: [{ title: "A", input: "Good morning." }], response_format: "mp3" }),
    line("no voice", { input: "Hello.", voice: "none" }),
    line("no text", {}),
    line("streamed", { input: "Hello.", stream: true }),
  ]);
  expect(batch).toMatchObject({ endpoint: SPEECH, request_counts: { total: 5, completed: 2, failed: 3 } });
  expect(before - (await balance())).toBe((36 + 13) * 15); // micros of a character
  const output = await linesOf(batch.output_file_id);
  expect(output.map(({ custom_id }) => custom_id)).toEqual(["one", "two"]);
  const [one, two] = output.map(({ response }) => response.body);
  const row = await harness.parts.ledger.request(harness.organizationId, output[0].response.request_id);
  expect(row).toMatchObject({ label: "river", endpoint: SPEECH });
  expect(one.usage).toEqual({ type: "characters", characters: 36 });
  const sound = await (await client.files.content(one.file_id)).bytes();
  if (hears) {
    const file = await toFile(sound, "one.wav");
    const { text } = await client.audio.transcriptions.create({ model: "svc-stt1", file });
    expect(text).toMatch(/old house by the river/i);
  }
  expect((await client.files.retrieve(two.file_id)).filename).toMatch(/^job_[0-9a-z]{24}\.mp3$/);
  const refused = await linesOf(batch.error_file_id);
  expect(refused.map(({ custom_id, response }) => [custom_id, response.body.error.code])).toEqual([
    ["no voice", "invalid_voice"],
    ["no text", "validation_error"],
    ["streamed", "validation_error"],
  ]);
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
});

test("a step that is cut off while it writes leaves no file twice", async () => {
  const { files } = harness.parts;
  const { share } = files;
  const known = new Set<string>();
  for await (const { id } of client.files.list()) known.add(id);
  let shared = 0;
  files.share = (...asked) => {
    if (++shared === 2) throw new Error("cut off"); // of the second line, once the output is begun
    return share(...asked);
  };
  try {
    const batch = await batchOf(["one", "two"].map((id) => line(id, { input: "Good morning." })));
    expect(batch.request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
  } finally {
    files.share = share;
  }
  expect(shared).toBe(3);
  const kept: string[] = [];
  for await (const { id, purpose, filename } of client.files.list())
    if (purpose === "batch_output" && !known.has(id)) kept.push(filename.replace(/_[0-9a-z]{24}/, ""));
  expect(kept.sort()).toEqual(["batch_output.jsonl", "job.wav", "job.wav"]);
});

test("the speech of a line is stored once, and its job keeps it without the file", async () => {
  const { parts } = harness;
  const stored = () => parts.files.storedBytes(harness.organizationId);
  const before = await stored();
  const said = { input: "we are at the old house", response_format: "mp3", title: "The house" };
  const batch = await batchOf([line("one", said)]);
  const [{ id: job, response }] = await linesOf(batch.output_file_id);
  const id = response.body.file_id as string;
  const sound = Buffer.from(await (await client.files.content(id)).arrayBuffer());
  const ofJob = async () => {
    const headers = { authorization: `Bearer ${harness.key}` };
    return harness.ask(`/v1/audio/jobs/${job}/content`, { headers });
  };
  expect(sound.subarray(0, 3).toString()).toBe("ID3");
  expect(Buffer.from(await (await ofJob()).arrayBuffer()).equals(sound)).toBeTrue();
  const sizes = [batch.input_file_id, batch.output_file_id!].map(
    async (each) => (await client.files.retrieve(each)).bytes,
  );
  const others = (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
  expect((await stored()) - before - others).toBe(sound.length);
  await client.files.delete(id);
  expect(Buffer.from(await (await ofJob()).arrayBuffer()).equals(sound)).toBeTrue();
});

describe("a key needs the scope of the lines", () => {
  test.each([
    [SPEECH, "transcription:create"],
    [TRANSCRIPTIONS, "speech:create"],
  ] as const)("%s with a key that has only %s", async (endpoint, has) => {
    const { accounts } = harness.parts;
    const { id: projectId } = (await accounts.defaultProject(harness.organizationId))!;
    const made = { projectId, name: "One", environment: "live", expiresAt: null } as const;
    const { secret } = await accounts.createKey({ ...made, scopes: [has] });
    const headers = { authorization: `Bearer ${secret}` };
    const asked = { endpoint, completion_window: "24h", input_file_id: "file_000000000000000000000000" };
    const body = JSON.stringify(asked);
    const refused = await harness.ask("/v1/batches", { method: "POST", headers, body });
    expect(await errorOf(refused)).toMatchObject({ status: 403, code: "insufficient_scope" });
    expect((await harness.ask("/v1/batches", { headers })).status).toBe(200);
  });

  test.each([
    "POST /v1/batches",
    "GET /v1/batches",
    "GET /v1/batches/batch_x",
    "POST /v1/batches/batch_x/cancel",
  ])("%s is refused to a key that has neither", async (route) => {
    const { accounts } = harness.parts;
    const { id: projectId } = (await accounts.defaultProject(harness.organizationId))!;
    const made = { projectId, name: "None", environment: "live", expiresAt: null } as const;
    const { secret } = await accounts.createKey({ ...made, scopes: ["catalog:read", "voice:create"] });
    const [method, path] = route.split(" ") as [string, string];
    const headers = { authorization: `Bearer ${secret}` };
    const refused = await harness.ask(path, { method, headers, ...(method === "POST" && { body: "{}" }) });
    expect(await errorOf(refused)).toMatchObject({ status: 403, code: "insufficient_scope" });
  });
});
