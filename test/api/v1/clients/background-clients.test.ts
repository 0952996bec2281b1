/** Promise: OpenAI's libraries send files whole and in parts, and make jobs and batches of them, by the calls that they have for these. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import OpenAI4 from "openai-4";
import OpenAI6 from "openai-6";
import { type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let clients: OpenAI[];
beforeAll(async () => {
  harness = await openHarness();
  const options = { apiKey: harness.key, baseURL: `${harness.url}/v1`, maxRetries: 0 };
  clients = [new OpenAI(options), ...[OpenAI4, OpenAI6].map((Client) => new Client(options) as never)];
});
afterAll(() => harness[Symbol.asyncDispose]());

const TEXT = "We are at the old house by the river.";
const SPEECH = { model: "svc-tts1", voice: "female-warm" };

const sent = async (client: OpenAI, text: string, name: string, purpose: "user_data" | "batch") =>
  client.files.create({ file: await toFile(Buffer.from(text), name), purpose });

test("files.create, files.retrieve, files.list, files.content: a file that is sent, found and read", async () => {
  for (const client of clients) {
    const { id } = await sent(client, TEXT, "text.txt", "user_data");
    expect(await client.files.retrieve(id)).toMatchObject({ filename: "text.txt", bytes: TEXT.length });
    expect(await (await client.files.content(id)).text()).toBe(TEXT);
    const listed: string[] = [];
    for await (const file of client.files.list()) listed.push(file.id);
    expect(listed).toContain(id);
  }
});

test("uploads.create, uploads.parts.create, uploads.complete: a file that is sent in parts", async () => {
  for (const client of clients) {
    const { id } = await client.uploads.create({
      ...{ filename: "text.txt", bytes: TEXT.length, mime_type: "text/plain", purpose: "user_data" },
    });
    const part_ids: string[] = [];
    for (const part of [TEXT.slice(0, 10), TEXT.slice(10)]) {
      const data = await toFile(Buffer.from(part), "part");
      part_ids.push((await client.uploads.parts.create(id, { data })).id);
    }
    const { status, file } = await client.uploads.complete(id, { part_ids });
    expect([status, await (await client.files.content(file!.id)).text()]).toEqual(["completed", TEXT]);
  }
});

test("uploads.cancel: an upload that is given up", async () => {
  for (const client of clients) {
    const { id } = await client.uploads.create({
      ...{ filename: "text.txt", bytes: 10, mime_type: "text/plain", purpose: "user_data" },
    });
    expect((await client.uploads.cancel(id)).status).toBe("cancelled");
  }
});

test("audio.speech.create, get, post: a job of a file that is made, waited for, read and cancelled", async () => {
  for (const client of clients) {
    const { id } = await sent(client, TEXT, "text.txt", "user_data");
    const body = { ...SPEECH, input_file_id: id, background: true, response_format: "wav" };
    const made = (await (await client.audio.speech.create(body as never)).json()) as { id: string };
    const job = await until(async () => {
      const found = (await client.get(`/audio/jobs/${made.id}?wait=30`)) as { status: string };
      return found.status === "completed" && found;
    });
    expect(job).toMatchObject({ id: made.id, input: { file_id: id }, error: null });
    const options = { __binaryResponse: true } as object;
    const sound = (await client.get(`/audio/jobs/${made.id}/content`, options)) as Response;
    expect(Buffer.from(await sound.arrayBuffer()).toString("latin1", 0, 4)).toBe("RIFF");
    expect(await client.post(`/audio/jobs/${made.id}/cancel`)).toMatchObject({ status: "completed" });
  }
});

test("batches.create, batches.retrieve, files.content: a batch of texts to speak", async () => {
  for (const client of clients) {
    const url = "/v1/audio/speech";
    const line = { custom_id: "one", method: "POST", url, body: { ...SPEECH, input: TEXT } };
    const input = await sent(client, JSON.stringify(line), "lines.jsonl", "batch");
    const { id } = await client.batches.create({
      ...{ input_file_id: input.id, endpoint: url as never, completion_window: "24h" },
    });
    const batch = await until(async () => {
      harness.clock.pass(1000); // steps are due by the clock that the test holds
      const found = await client.batches.retrieve(id);
      return found.status === "completed" && found;
    });
    const output = JSON.parse(await (await client.files.content(batch.output_file_id!)).text());
    const sound = await client.files.content(output.response.body.file_id);
    expect((await sound.arrayBuffer()).byteLength).toBeGreaterThan(1000);
  }
});

test("batches.cancel, batches.list: a batch that is cancelled, and found", async () => {
  for (const client of clients) {
    const url = "/v1/audio/speech";
    const line = { custom_id: "one", method: "POST", url, body: { ...SPEECH, input: TEXT } };
    const input = await sent(client, JSON.stringify(line), "lines.jsonl", "batch");
    const { id } = await client.batches.create({
      ...{ input_file_id: input.id, endpoint: url as never, completion_window: "24h" },
    });
    await client.batches.cancel(id);
    await until(async () => {
      harness.clock.pass(1000);
      return ["cancelled", "completed"].includes((await client.batches.retrieve(id)).status);
    });
    const listed: string[] = [];
    for await (const batch of client.batches.list()) listed.push(batch.id);
    expect(listed).toContain(id);
  }
});
