/** Promise: a recording in an item is heard as if it had been spoken: transcribed, paid by its length, and answered when asked. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Refusal } from "../../../../src/errors.ts";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { until } from "../../../until.ts";
import { type Client, dial, scriptedLive, silence } from "../realtime/live.ts";
import { testEveryEvent } from "./every-event.ts";
import { expectOrder, openTalk, said, spentBy, type Talk, talkTo, turn } from "./talk.ts";

setDefaultTimeout(120_000);

const SECOND = 100; // micros

let talk: Talk;
let heard: string | Refusal | null = null;
const recognizer = scriptedLive((seconds) => heard ?? `about ${Math.round(seconds)} seconds`).live;
beforeAll(async () => {
  talk = await openTalk({ services: { live: recognizer } });
});
afterAll(() => talk[Symbol.asyncDispose]());

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const sound = (seconds: number, bytesPerSecond?: number) => ({
  type: "input_audio",
  audio: base64(silence(seconds, bytesPerSecond)),
});
const message = (...content: object[]) => ({ item: { id: "asked", type: "message", role: "user", content } });
const TEXT = { response: { output_modalities: ["text"] } };

async function begun(session: object = { audio: { input: { transcription: { model: "whisper-1" } } } }) {
  const client = await talkTo(talk);
  client.update({ type: "realtime", ...session });
  await client.until("session.updated");
  return client;
}

const create = (client: Client, fields: object) => client.send("conversation.item.create", fields);
const lastUser = () => talk.stub.calls.at(-1)!.body.messages.at(-1)!.content;

describe("a recording in an item", () => {
  test("is told as an item at once, then transcribed, and the response that was asked for waits for it", async () => {
    const client = await begun();
    create(client, message({ type: "input_text", text: "Listen:" }, sound(3)));
    client.send("response.create", TEXT);
    await client.until("response.done");
    expect(lastUser()).toBe("Listen:\nabout 3 seconds");
    const types = client.events.slice(3).map(({ type }) => type.replace(/^conversation\.item\./, ""));
    expect(types.filter((type) => !type.startsWith("response.")).slice(0, 4)).toEqual([
      "added",
      "done",
      "input_audio_transcription.delta",
      "input_audio_transcription.completed",
    ]);
    expect((await client.until("item.added")).item).toMatchObject({
      id: "asked",
      content: [{ text: "Listen:" }, { type: "input_audio", transcript: null }],
    });
    expect(await client.until("input_audio_transcription.completed")).toMatchObject({
      ...{ item_id: "asked", content_index: 1, transcript: "about 3 seconds" },
      usage: { type: "duration", seconds: 3 },
    });
    client.send("conversation.item.retrieve", { item_id: "asked" });
    const { item } = await client.until("item.retrieved");
    expect((item as { content: object[] }).content[1]).toEqual({
      type: "input_audio",
      transcript: "about 3 seconds",
    });
    expectOrder(client.events);
    client.close();
  });

  test("is in the format of the session, stands where the client says, and asks for no answer", async () => {
    const client = await begun({ audio: { input: { format: { type: "audio/pcmu" } } } });
    create(client, said("first"));
    create(client, { ...message(sound(2, 8000)), previous_item_id: "root" });
    const { previous_item_id } = await client.until("item.added", 2);
    expect(previous_item_id).toBeNull();
    await turn(client, "last", TEXT);
    expect(lastUser()).toBe("about 2 seconds\nfirst\nlast");
    expect(client.events.some(({ type }) => type.includes("transcription"))).toBe(false);
    expect(client.events.filter(({ type }) => type === "response.created")).toHaveLength(1);
    client.close();
  });

  test("may be of minutes, in one event", async () => {
    const client = await begun();
    create(client, message(sound(120)));
    expect(await client.until("input_audio_transcription.completed")).toMatchObject({
      transcript: "about 120 seconds",
    });
    client.close();
  });

  test("that cannot be transcribed leaves the conversation going on", async () => {
    heard = new Refusal("inference_unavailable", "The engine failed.");
    const client = await begun();
    create(client, message(sound(1)));
    expect(await client.until("input_audio_transcription.failed")).toMatchObject({ item_id: "asked" });
    heard = null;
    expect(await turn(client, "hello", TEXT)).toMatchObject({ status: "completed" });
    client.close();
  });
});

const REFUSED: [what: string, event: object, code: string, param: string][] = [
  [
    "what is no base64",
    message({ type: "input_audio", audio: "=" }),
    "invalid_value",
    "item.content.0.audio",
  ],
  ["what is no string", message({ type: "input_audio", audio: 7 }), "invalid_value", "item.content.0.audio"],
  ["nothing", message({ type: "input_audio" }), "missing_required_parameter", "item.content.0.audio"],
  ["99 ms", message(sound(0.099)), "invalid_value", "item.content.0.audio"],
  ["two recordings", message(sound(1), sound(1)), "unsupported_parameter", "item.content.1.audio"],
  [
    "the recording of an answer",
    { item: { type: "message", role: "assistant", content: [{ type: "output_audio", audio: "AAAA" }] } },
    "unsupported_parameter",
    "item.content.0.type",
  ],
];
test.each(REFUSED)("%s is refused by its field, and costs nothing", async (_what, event, code, param) => {
  const client = await begun();
  create(client, event);
  expect((await client.until("error")).error).toMatchObject({ type: "invalid_request_error", code, param });
  expect(client.events.some(({ type }) => type === "conversation.item.added")).toBe(false);
  await turn(client, "hello", TEXT);
  client.close();
});

test("eleven minutes are refused, and so is a frame that is long elsewhere", async () => {
  const client = await begun({ audio: { input: { format: { type: "audio/pcmu" } } } });
  create(client, message(sound(660, 8000)));
  const { error } = (await client.until("error")) as unknown as { error: { code: string; message: string } };
  expect(error.code).toBe("invalid_value");
  expect(error.message).toContain("100 ms to 600 s");
  create(client, message({ type: "input_text", text: "x".repeat(1024 * 1024) }));
  expect((await client.until("error", 2)).error).toMatchObject({ code: "invalid_value" });
  create(client, message({ type: "input_text", text: "x", other: { audio: "A".repeat(1024 * 1024) } }));
  expect((await client.until("error", 3)).error).toMatchObject({ code: "invalid_value" });
  client.send("response.create", { response: { input: [message(sound(1)).item] } });
  expect((await client.until("error", 4)).error).toMatchObject({
    ...{ code: "unsupported_parameter", param: "response.input.0.content.0.audio" },
  });
  expect(await turn(client, "hello", TEXT)).toMatchObject({ status: "completed" });
  client.close();
});

test("an image is refused where the model reads none, and otherwise read by it", async () => {
  const client = await begun();
  const image = {
    type: "input_image",
    image_url: `data:image/png;base64,${base64(new Uint8Array(3_000_000))}`,
  };
  create(client, message(image));
  expect((await client.until("error")).error).toMatchObject({ code: "unsupported_parameter" });
  client.close();
  talk.use("echo", { vision: true });
  const seeing = await dial(talk, { query: "model=assistant" }); // the Agents SDK does not parse items with images
  create(seeing, message(image));
  const told = (await seeing.until("item.done")).item as { content: object[] };
  expect(told.content).toEqual([{ type: "input_image", detail: "auto" }]);
  const tooLarge = `data:image/png;base64,${base64(new Uint8Array(9 * 1024 * 1024))}`;
  create(seeing, message({ type: "input_image", image_url: tooLarge }));
  expect((await seeing.until("error")).error).toMatchObject({
    ...{ code: "invalid_value", param: "item.content.0.image_url" },
  });
  expect(await turn(seeing, "hello", TEXT)).toMatchObject({ status: "completed" });
  talk.use("echo");
  expect(JSON.stringify(talk.stub.calls.at(-1)!.body.messages).includes(image.image_url)).toBe(true);
  seeing.close();
});

test("its seconds are paid as spoken ones are, once", async () => {
  await using paid = await openTalk({ plan: "prepaid", free: true, services: { live: recognizer } });
  const client = await talkTo(paid, "model=assistant");
  create(client, message(sound(7)));
  client.append(silence(2));
  await turn(client, "hello", TEXT);
  create(client, { ...message(sound(0.05)), item: { ...message(sound(0.05)).item, id: "short" } });
  await client.until("error");
  client.close();
  const { ledger } = paid.parts;
  const row = await until(async () => {
    const rows = await ledger.requests(paid.organizationId, 10);
    return rows.find(({ audioSeconds }) => audioSeconds !== null);
  });
  expect([row.audioSeconds, row.characters]).toEqual([9, null]);
  await until(async () => (await spentBy(paid)) === 9 * SECOND);
  expect(differencesOf(await ledger.audit())).toEqual([]);
});

test("what failed is not paid, and neither is what exceeds the limit of seconds", async () => {
  heard = new Refusal("inference_unavailable", "The engine failed.");
  await using paid = await openTalk({ plan: "prepaid", free: true, services: { live: recognizer } });
  await paid.parts.accounts.setLimits(paid.organizationId, { sttSecondsPerMinute: 60 });
  const client = await talkTo(paid, "model=assistant");
  create(client, message(sound(7)));
  await client.until("item.added");
  create(client, { item: { ...message(sound(61)).item, id: "long" } });
  expect((await client.until("error")).error).toMatchObject({ code: "rate_limit_exceeded" });
  client.close();
  await until(() => paid.logged.some(({ event, method }) => event === "request" && method === "WS"));
  heard = null;
  expect(await spentBy(paid)).toBe(0);
});

testEveryEvent();
