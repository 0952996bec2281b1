/** Promise: sockets of Deepgram speak what is written to them, turn by turn, and charge what they sent. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { neverShutDown } from "../../../src/api/middleware/shutdown.ts";
import { Refusal } from "../../../src/errors.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { dialSpeech } from "./speech-dial.ts";

setDefaultTimeout(120_000);

const PRICE = 15; // micros a character
const closing = new AbortController(); // aborted by the last tests
const cut = new AbortController();

let harness: Harness;
beforeAll(async () => {
  const shutdown = { ...neverShutDown(), closing: closing.signal, cut: cut.signal };
  harness = await openHarness({ shutdown });
});
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(async () => {
  await until(() => harness.parts.activity.openSessions() === 0);
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
});

const dial = (query = "", headers: Record<string, string> = { authorization: `Token ${harness.key}` }) =>
  dialSpeech(harness, { path: `/v1/speak?${query}`, headers });
type Client = Awaited<ReturnType<typeof dial>>;

const balance = async () => (await harness.parts.ledger.credit(harness.organizationId)).balanceMicros;
const flushed = (client: Client, count = 1) => client.until(({ type }) => type === "Flushed", count);
const words = (client: Client, text: string) => {
  for (const word of text.split(" ")) client.send({ type: "Speak", text: `${word} ` });
};

test("says what speaks, then speaks what comes word by word, until it is flushed", async () => {
  const before = await balance();
  const client = await dial("model=male-deep&encoding=linear16&sample_rate=16000&mip_opt_out=true");
  expect(client.head["x-ignored-fields"]).toBe("mip_opt_out");
  words(client, "Good morning, my dear world, how are you today?");
  client.send({ type: "Flush" });
  await flushed(client);
  expect(client.told[0]).toEqual({
    ...{ type: "Metadata", request_id: client.head["x-request-id"], model_name: "male-deep" },
    ...{ model_version: expect.any(String), model_uuid: "svc-tts1" },
  });
  expect(client.sound().length / 32_000).toBeWithin(1.5, 6);
  const paid = (before - (await balance())) / PRICE;
  expect(paid).toBe("Good morning, my dear world, how are you today? ".length);
  client.send({ type: "Close" });
  expect(await client.closed()).toMatchObject({ code: 1000 });
});

test("speaks turns one after another, an empty one too", async () => {
  const client = await dial("encoding=mulaw");
  for (const text of ["One. ", "Two. "]) {
    client.send({ type: "Speak", text });
    client.send({ type: "Flush" });
  }
  client.send({ type: "Flush" });
  await flushed(client, 3);
  expect(client.told.map(({ type, sequence_id }) => [type, sequence_id]).slice(1)).toEqual([
    ["Flushed", 0],
    ["Flushed", 1],
    ["Flushed", 2],
  ]);
  expect(client.sound().length / 8000).toBeWithin(0.4, 4);
  client.close();
});

test("speaks samples of 24 kHz, and begins before the text is flushed", async () => {
  const client = await dial();
  client.send({ type: "Speak", text: "This is a whole sentence. And this is another one" });
  await until(() => client.binary.length > 0);
  client.send({ type: "KeepAlive" });
  client.close();
});

test("clears what was not sent, speaks what follows, and does not charge the rest", async () => {
  const before = await balance();
  const client = await dial("encoding=linear16&sample_rate=48000");
  const sentence = "The harbour lights came on one by one while the last boats turned for home. ";
  client.send({ type: "Speak", text: sentence.repeat(50) });
  client.send({ type: "Flush" });
  await until(() => client.binary.length > 0);
  client.send({ type: "Clear" });
  await client.until(({ type }) => type === "Cleared");
  const sent = client.binary.length;
  client.send({ type: "Speak", text: "Hi." });
  client.send({ type: "Flush" });
  await flushed(client);
  expect(client.binary.length).toBeGreaterThan(sent);
  expect(client.told.map(({ type }) => type)).toEqual(["Metadata", "Cleared", "Flushed"]);
  client.send({ type: "Close" });
  await client.closed();
  await until(() => harness.parts.activity.openSessions() === 0);
  expect((before - (await balance())) / PRICE).toBeWithin(3, 50 * sentence.length);
});

describe("is refused, and closed with 1008:", () => {
  test.each<[string, string, (object | string)[], string]>([
    ["a message that is none", "", [{ type: "Nonsense" }], "invalid_event"],
    ["a message without a type", "", [{}], "invalid_event"],
    ["a text that is none", "", [{ type: "Speak", text: 5 }], "validation_error"],
    ["a frame that is no JSON", "", ["Speak"], "invalid_event"],
    ["a voice that is not here", "model=aura-9-unknown-en", [], "invalid_voice"],
    ["an encoding that sockets do not have", "encoding=mp3", [], "unsupported_response_format"],
    ["a container", "encoding=linear16&container=wav", [], "unsupported_response_format"],
    ["a speed out of range", "speed=9", [], "unsupported_speed"],
    [
      "SSML without an end",
      "",
      Array(9).fill({ type: "Speak", text: `<speak>${"a".repeat(3000)}` }),
      "validation_error",
    ],
  ])("%s", async (_name, query, frames, code) => {
    const client = await dial(query);
    for (const frame of frames) client.send(frame);
    expect(await client.closed()).toEqual({ code: 1008, reason: code });
    expect(client.told.at(-1)).toMatchObject({ type: "Error", code, description: expect.any(String) });
  });

  test("a key that is none", async () => {
    for (const [headers, reason] of [
      [{ authorization: "Token sk_live_wrong" }, "invalid_api_key"],
      [{}, "missing_api_key"],
    ] as const)
      expect(await (await dial("", headers)).closed()).toEqual({ code: 1008, reason });
  });
});

test("takes the key from the subprotocol, as browsers send it", async () => {
  const client = await dialSpeech(harness, { path: "/v1/speak", protocols: ["token", harness.key] });
  expect(client.socket.protocol).toBe("token");
  await client.until(({ type }) => type === "Metadata");
  client.close();
});

test("a third socket is refused where an organization may have two at once", async () => {
  await using small = await openHarness({ free: true });
  const headers = { authorization: `Token ${small.key}` };
  const clients: Client[] = [];
  for (let i = 0; i < 3; i++) clients.push(await dialSpeech(small, { path: "/v1/speak", headers }));
  const last = clients.at(-1)!;
  expect(await last.closed()).toEqual({ code: 1013, reason: "concurrency_limit_exceeded" });
  for (const client of clients) client.close();
});

test("a server that closes still speaks what was asked for, and one that cannot wait gives back what it did not send", async () => {
  const sentence = "The harbour lights came on one by one while the last boats turned for home. ";
  const [first, second] = [await dial("encoding=mulaw"), await dial("encoding=linear16&sample_rate=48000")];
  first.send({ type: "Speak", text: sentence });
  second.socket.pause();
  second.send({ type: "Speak", text: sentence.repeat(60) });
  await until(() => first.binary.length > 0);
  closing.abort();
  expect(await first.closed()).toMatchObject({ code: 1001 });
  expect(first.sound().length / 8000).toBeWithin(3, 8);
  expect(first.told.at(-1)).toMatchObject({ type: "Flushed" });
  cut.abort(new Refusal("service_unavailable", "The server is restarting."));
  second.socket.resume();
  expect(await second.closed()).toMatchObject({ code: 1013 });
  expect(second.told.at(-1)).toMatchObject({ type: "Error", code: "service_unavailable" });
});
