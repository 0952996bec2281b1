/** Promise: a folder of recordings, or a page of texts, that is sent at once has an answer to each. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Harness, openHarness } from "../../harness.ts";
import { form } from "./form.ts";
import { drain, good } from "./free.ts";

const COUNT = 20; // beyond the 16 concurrent requests of an unmetered organization on one thread

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered", free: true, environment: { LOQUAT_THREADS: "1" } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const speak = (fields: object) =>
  harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify({ ...good, ...fields }) });

async function statusesOf(send: () => Promise<Response>): Promise<number[]> {
  const answers = await Promise.all(
    Array.from({ length: COUNT }, async () => {
      const response = await send();
      await drain(response);
      return response.status;
    }),
  );
  return [...new Set(answers)];
}

test.each(["aac", "wav"])(`${COUNT} recordings in %s`, async (response_format) => {
  const spoken = await speak({ model: "tts-1", input: "Go.", response_format });
  const file = new Uint8Array(await spoken.arrayBuffer());
  const body = form([
    ["model", "svc-stt1"],
    ["file", file],
  ]);
  expect(await statusesOf(() => harness.ask("/v1/audio/transcriptions", body))).toEqual([200]);
});

test(`${COUNT} texts of several sentences`, async () => {
  const input = "It goes on for a while. ".repeat(12);
  expect(await statusesOf(() => speak({ input }))).toEqual([200]);
});
