/** Promise: a conversation costs the seconds that it heard and the characters that it spoke, and ends when credit does. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { spend } from "../../../billing/spending.ts";
import { until } from "../../../until.ts";
import { scriptedLive } from "../realtime/live.ts";
import { testEveryEvent } from "./every-event.ts";
import {
  expectOrder,
  feed,
  openTalk,
  type Response,
  spentBy,
  spoken,
  type Talk,
  talkTo,
  transcribing,
  turn,
} from "./talk.ts";

setDefaultTimeout(120_000);

const ASSISTANT = "model=assistant";
const CHARACTER = 15; // micros
const SECOND = 100;

const openPaid = () =>
  openTalk({ plan: "prepaid", free: true, services: { live: scriptedLive(() => "what time is it").live } });

const rowOf = ({ parts, organizationId }: Talk) =>
  until(async () => {
    const rows = await parts.ledger.requests(organizationId, 10);
    return rows.find(({ endpoint, durationMs }) => endpoint === "/v1/realtime" && durationMs !== null);
  });

test("characters are paid when they are spoken, text and calls are free", async () => {
  await using talk = await openPaid();
  const client = await talkTo(talk, ASSISTANT);
  await turn(client, "hello", { response: { output_modalities: ["text"] } });
  expect(await spentBy(talk)).toBe(0);
  await turn(client, "hello", { count: 2 });
  expect(await spentBy(talk)).toBe("You said: hello.".length * CHARACTER);
  client.close();
  expect(differencesOf(await talk.parts.ledger.audit())).toEqual([]);
});

test("seconds heard are paid beside them, and the row of the session has both", async () => {
  await using talk = await openPaid();
  const question = await spoken(talk, "What time is it?");
  const before = await spentBy(talk);
  const client = await talkTo(talk, ASSISTANT);
  feed(client, question);
  const { usage } = (await client.until("response.done")).response as Response;
  client.close();
  const seconds = question.length / 48_000;
  const characters = "You said: what time is it.".length;
  const row = await until(async () => {
    const found = await rowOf(talk);
    return (found.audioSeconds ?? 0) > 0 && found;
  });
  expect(row).toMatchObject({ model: "assistant", characters, audioSeconds: seconds });
  expect(row).toMatchObject({ voice: expect.any(String), responses: 1, firstByteMs: expect.any(Number) });
  expect([row.inputTokens, row.outputTokens]).toEqual([usage.input_tokens, usage.output_tokens]);
  const paid = Math.ceil(seconds * SECOND) + characters * CHARACTER;
  await until(async () => Math.abs((await spentBy(talk)) - before - paid) <= 1);
  expect(differencesOf(await talk.parts.ledger.audit())).toEqual([]);
});

test("the first byte of a session is that of an answer, not of a transcript", async () => {
  await using talk = await openPaid();
  talk.use("hang");
  const client = await talkTo(talk, ASSISTANT);
  client.update({ type: "realtime", ...transcribing });
  feed(client, await spoken(talk, "What time is it?"));
  await client.until("input_audio_transcription.completed");
  await client.until("response.created");
  client.close();
  const ended = () => talk.logged.find(({ event, method }) => event === "request" && method === "WS");
  const line = await until(async () => ended() ?? false);
  expect(line).toMatchObject({ firstByteMs: null, responses: 1, inputTokens: 0, voice: null });
});

test("an answer ends where credit does, and so does the session", async () => {
  await using talk = await openPaid();
  talk.use("long");
  const { parts, organizationId, clock } = talk;
  const costMicros = 5_000_000 - 100 * CHARACTER;
  await spend(parts.ledger, { id: "req_0", organizationId, costMicros, createdAt: clock.now() / 1000 });
  const client = await talkTo(talk, ASSISTANT);
  client.send("response.create");
  const { response } = (await client.until("response.done")) as unknown as { response: Response };
  expect(response).toMatchObject({
    status: "failed",
    status_details: { error: { type: "insufficient_quota", code: "insufficient_quota" } },
  });
  expect(await client.ended()).toMatchObject({ close: 1008, code: "insufficient_quota" });
  expectOrder(client.events);
  const spoken = (response.output[0]?.content?.[0]?.transcript ?? "").trim().length;
  expect(spoken).toBeWithin(60, 260);
  expect(differencesOf(await talk.parts.ledger.audit())).toEqual([]);
});

test("an answer beyond a limit fails, and the session goes on", async () => {
  await using talk = await openTalk();
  talk.use("long");
  await talk.parts.accounts.setLimits(talk.organizationId, { ttsCharactersPerMinute: 150 });
  const client = await talkTo(talk);
  client.send("response.create");
  const { response } = (await client.until("response.done")) as unknown as { response: Response };
  expect(response).toMatchObject({
    status: "failed",
    status_details: { error: { type: "rate_limit_error", code: "rate_limit_exceeded" } },
  });
  talk.use("echo");
  const text = await turn(client, "hello", { response: { output_modalities: ["text"] }, count: 2 });
  expect(text.status).toBe("completed");
  expectOrder(client.events);
  client.close();
});

test("who leaves pays for the text under way, and for no other", async () => {
  await using talk = await openPaid();
  talk.use("long");
  const client = await talkTo(talk, ASSISTANT);
  client.send("response.create");
  await client.until("output_audio.delta");
  client.close();
  const row = await until(async () => {
    const found = await rowOf(talk);
    return (found.characters ?? 0) > 0 && talk.logged.some(({ event }) => event === "request") && found;
  });
  expect(row.characters!).toBeLessThan(300);
  // a text that was not sent is given back, in its row too
  await until(async () => (await spentBy(talk)) === (await rowOf(talk)).characters! * CHARACTER);
  expect(differencesOf(await talk.parts.ledger.audit())).toEqual([]);
});

testEveryEvent();
