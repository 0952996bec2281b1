/**
 * Promise: an answer is prepared while its caller pauses. It is the answer if they have finished; if they go on, its connection
 * is closed, and it was never told or charged.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { quietFor, until } from "../../../until.ts";
import type { Client } from "../realtime/live.ts";
import { testEveryEvent } from "./every-event.ts";
import {
  deltasOf,
  expectOrder,
  feed,
  openTalk,
  type Response,
  said,
  spentBy,
  spoken,
  type Talk,
  talkTo,
} from "./talk.ts";

setDefaultTimeout(120_000);

const CHARACTER = 15; // micros
const SECOND = 100;
const PACE = { firstMs: 50, tokensPerSecond: 20 };
const silence = (seconds: number) => Buffer.alloc(48_000 * seconds);

/** Long enough that words are known before it ends a turn, on any machine. */
const patient = { audio: { input: { turn_detection: { type: "server_vad", silence_duration_ms: 4000 } } } };

async function begun(talk: Talk): Promise<Client> {
  const client = await talkTo(talk, "model=assistant");
  client.update({ type: "realtime", ...patient });
  await client.until("session.updated");
  return client;
}

const askedOf = ({ stub }: Talk, count: number) => until(() => stub.calls[count - 1]);

test("who has finished is answered by what was prepared, and the model was asked once", async () => {
  await using talk = await openTalk({ plan: "prepaid", free: true, tokens: PACE });
  const question = await spoken(talk, "What time is it?", 0);
  const before = await spentBy(talk);
  const client = await begun(talk);
  feed(client, Buffer.concat([question, silence(1)]));
  await askedOf(talk, 1);
  expect(client.events.filter(({ type }) => type.startsWith("response."))).toEqual([]);
  expect(await spentBy(talk)).toBe(before);
  feed(client, silence(4));
  await client.until("response.done");
  expect(talk.stub.calls).toHaveLength(1);
  const transcript = deltasOf(client.events, "response.output_audio_transcript.delta");
  expect(transcript).toStartWith("You said:");
  expectOrder(client.events);
  client.close();
  const paid = Math.ceil((question.length / 48_000 + 5) * SECOND) + transcript.length * CHARACTER;
  await until(async () => Math.abs((await spentBy(talk)) - before - paid) <= 1);
  expect(differencesOf(await talk.parts.ledger.audit())).toEqual([]);
});

test("who goes on is not answered yet, and what was prepared costs nothing", async () => {
  await using talk = await openTalk({ plan: "prepaid", free: true, tokens: PACE });
  const question = await spoken(talk, "What time is it?", 0);
  const before = await spentBy(talk);
  talk.use("long");
  const client = await begun(talk);
  feed(client, Buffer.concat([question, silence(1)]));
  const early = await askedOf(talk, 1);
  talk.use("echo");
  feed(client, Buffer.concat([question, silence(1)]));
  await until(() => early.closedAtMs !== null);
  expect(early.isAnswered).toBe(false);
  feed(client, silence(4));
  await client.until("response.done");
  const transcript = deltasOf(client.events, "response.output_audio_transcript.delta");
  expect(transcript).toStartWith("You said:");
  expect(client.events.filter(({ type }) => type === "response.created")).toHaveLength(1);
  expectOrder(client.events);
  client.close();
  const seconds = (2 * question.length) / 48_000 + 6;
  const paid = Math.ceil(seconds * SECOND) + transcript.length * CHARACTER;
  await until(async () => Math.abs((await spentBy(talk)) - before - paid) <= 1);
  expect(differencesOf(await talk.parts.ledger.audit())).toEqual([]);
});

test("what was prepared in vain takes no point of the limit of requests", async () => {
  await using talk = await openTalk({ tokens: PACE });
  const question = await spoken(talk, "What time is it?", 0);
  talk.clock.pass(120_000);
  await talk.parts.accounts.setLimits(talk.organizationId, { requestsPerMinute: 2 }); // the session, and an answer
  const client = await begun(talk);
  feed(client, Buffer.concat([question, silence(1)]));
  const early = await askedOf(talk, 1);
  feed(client, Buffer.concat([question, silence(1)]));
  await until(() => early.closedAtMs !== null);
  feed(client, silence(4));
  const { response } = (await client.until("response.done")) as unknown as { response: Response };
  expect(response.status).toBe("completed");
  client.send("response.create");
  const second = (await client.until("response.done", 2)) as unknown as { response: Response };
  expect(second.response.status_details?.error?.code).toBe("rate_limit_exceeded");
  client.close();
});

test("a model that is asked again with less of the conversation takes one point", async () => {
  await using talk = await openTalk({ tokens: PACE });
  talk.use("error:400ctx");
  await talk.parts.accounts.setLimits(talk.organizationId, { requestsPerMinute: 2 });
  const client = await begun(talk);
  client.send("conversation.item.create", said("hello"));
  client.send("response.create");
  const { response } = (await client.until("response.done")) as unknown as { response: Response };
  expect(response.status_details?.error?.code).toBe("context_length_exceeded");
  expect(talk.stub.calls).toHaveLength(2);
  client.close();
});

test("an answer that costs tokens is not prepared", async () => {
  await using talk = await openTalk({ tokens: PACE });
  talk.use("echo", { price_output_micros: 1000 });
  const client = await begun(talk);
  feed(client, Buffer.concat([await spoken(talk, "What time is it?", 0), silence(1)]));
  await client.until("speech_started");
  await quietFor(1500);
  expect(talk.stub.calls).toHaveLength(0);
  feed(client, silence(4));
  await client.until("response.done");
  expect(talk.stub.calls).toHaveLength(1);
  client.close();
});

test("a model is loaded when a session begins, and not again while it is in use", async () => {
  await using talk = await openTalk({ tokens: PACE });
  const client = await begun(talk);
  const loaded = await until(() => talk.stub.warmUps[0]);
  expect(loaded.body.messages[0]).toMatchObject({ role: "system" });
  const another = await begun(talk);
  client.close();
  another.close();
  expect(talk.stub.warmUps).toHaveLength(1);
});

test("the beginning of an answer is held back only until it is known how the model's answers begin", async () => {
  await using talk = await openTalk({ tokens: { firstMs: 5, tokensPerSecond: 50 } });
  talk.use("echo"); // of a preset whose models may begin with thinking that is not marked
  const client = await begun(talk);
  await until(() => talk.stub.warmUps[0]?.isAnswered);
  const text = "one two three four five six seven eight nine ten eleven twelve";
  client.send("conversation.item.create", said(text));
  client.send("response.create", { response: { output_modalities: ["text"] } });
  await client.until("response.done");
  const deltas = client.events.filter(({ type }) => type === "response.output_text.delta");
  expect(deltas.length).toBeGreaterThan(5);
  client.close();
});

testEveryEvent();
