/** Promise: over the Wyoming port, texts have pauses and are read with the dictionary of the key's organization, as over HTTP. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Harness, openHarness } from "../harness.ts";
import { audioOf, openPeer, type ServedWyoming, serveWyoming } from "./peer.ts";

let harness: Harness;
let server: ServedWyoming;
beforeAll(async () => {
  harness = await openHarness();
  server = await serveWyoming(harness);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});

const voice = { name: "male-deep" };

async function spoken(text: string): Promise<Buffer> {
  await using peer = await openPeer(server.port);
  peer.send("synthesize", { text, voice });
  return audioOf(await peer.until("audio-stop"));
}

async function overHttp(input: string): Promise<Buffer> {
  const body = { model: "svc-tts1", voice: voice.name, input, response_format: "pcm" };
  const response = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(body) });
  return Buffer.from(await response.arrayBuffer());
}

test("a word of the dictionary is read as it says, and charged as it is read", async () => {
  const expected = await spoken("The engine x is on.");
  const { pronunciations, ledger } = harness.parts;
  await pronunciations.put(harness.organizationId, { word: "nginx", alias: "engine x", phonemes: null });
  const before = (await ledger.totals(harness.organizationId)).characters;
  expect((await spoken("The nginx is on.")).equals(expected)).toBe(true);
  expect((await ledger.totals(harness.organizationId)).characters - before).toBe(
    "The engine x is on.".length,
  );
});

test("a pause is silence", async () => {
  const text = "One. [pause 500ms] Two.";
  expect((await spoken(text)).equals(await overHttp(text))).toBe(true);
});

test("readings that make a text too long are refused, and cost nothing", async () => {
  await harness.parts.pronunciations.put(harness.organizationId, {
    ...{ word: "zz", alias: "a long reading ".repeat(13), phonemes: null },
  });
  const before = await harness.parts.ledger.totals(harness.organizationId);
  await using peer = await openPeer(server.port);
  peer.send("synthesize", { text: "zz ".repeat(100), voice });
  const [event] = await peer.until();
  expect(event).toMatchObject({ type: "error" });
  expect(await harness.parts.ledger.totals(harness.organizationId)).toEqual(before);
});
