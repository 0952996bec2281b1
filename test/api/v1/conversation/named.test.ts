/** Promise: a client talks to the conversation that it names, as its operator has defined it by then. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openConversations } from "../../../../src/server/live-conversations.ts";
import { errorOf } from "../../../harness.ts";
import { quietFor, until } from "../../../until.ts";
import { testEveryEvent } from "./every-event.ts";
import { audioOf, expectOrder, openTalk, type Talk, talkTo, turn } from "./talk.ts";

setDefaultTimeout(120_000);

let talk: Talk;
beforeAll(async () => {
  talk = await openTalk();
});
afterEach(async () => {
  const { conversations } = talk.parts;
  for (const { name } of conversations.current()) await conversations.remove(name);
});
afterAll(() => talk[Symbol.asyncDispose]());

const put = (definition: object) => talk.parts.conversations.put(definition);
const text = { response: { output_modalities: ["text"] } };

/** What the model was told first, and the voice that the session began with. */
async function begun(query: string) {
  const client = await talkTo(talk, query);
  const { session } = (await client.until("session.created")) as unknown as { session: Session };
  await turn(client, "hello", text);
  client.close();
  const { content } = talk.stub.calls.at(-1)!.body.messages[0]!;
  return { voice: session.audio.output.voice, told: String(content) };
}
type Session = { audio: { output: { voice: string } } };

test("its instructions, voice and model are those of the name; other APIs' names are the default's", async () => {
  await put({ name: "sales", llm: "brain", instructions: "Sell something.", voice: "male-deep" });
  await put({ name: "support", instructions: "Help with care.", voice: "female-warm", tts: "svc-tts1" });
  expect(await begun("model=support")).toEqual({
    voice: "female-warm",
    told: expect.stringContaining("Help with care."),
  });
  expect(await begun("model=Sales")).toMatchObject({ voice: "male-deep" });
  expect(await begun("model=gpt-realtime")).toMatchObject({ told: expect.stringContaining("Sell") });
  await talk.parts.conversations.setDefault("support");
  expect(await begun("model=gpt-realtime")).toMatchObject({ told: expect.stringContaining("Help") });
});

test("an edit by another process is followed within seconds, and the built-in one gives way to it", async () => {
  const { database, audit, catalogue, upstreams } = talk.parts;
  const other = openConversations({ database, audit }, { catalogue, set: upstreams.set });
  expect((await begun("model=assistant")).told).toContain("You are a helpful assistant.");
  await other.put({ name: "night", instructions: "Whisper." });
  await until(async () => talk.parts.conversations.current().length === 1);
  expect((await begun("model=night")).told).toContain("Whisper.");
  await other.put({ name: "night", instructions: "Shout." });
  await until(async () => (await begun("model=night")).told.includes("Shout."));
  const client = await talkTo(talk, "model=assistant");
  expect(await client.ended()).toMatchObject({ close: 1008, code: "invalid_model" });
});

test("an unknown name is refused with those that there are, also for a client secret", async () => {
  await put({ name: "support" });
  const message =
    "unknown is neither a conversation nor an STT model. Conversations: support. STT models: svc-stt1";
  const client = await talkTo(talk, "model=unknown");
  const { error, ...ending } = await client.ended();
  expect(ending).toMatchObject({ close: 1008, code: "invalid_model", param: "model" });
  expect(String((error as { message: string }).message)).toContain(message);
  const body = JSON.stringify({ session: { type: "realtime", model: "unknown" } });
  const refused = await talk.ask("/v1/realtime/client_secrets", { method: "POST", body });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain(message);
});

test("one whose language model is gone says what to do", async () => {
  await put({ name: "support", llm: "brain" });
  talk.parts.upstreams.use([]);
  const client = await talkTo(talk, "model=support");
  const { code, error } = await client.ended();
  talk.use("echo");
  expect(code).toBe("model_unavailable");
  expect(error?.message).toContain('"loquat conversation set support --llm"');
});

const NAMES: [name: string, code: string, message: RegExp][] = [
  ["assistant", "realtime_not_supported", /^assistant is a conversation.+"loquat upstream add"/],
  ["gpt-realtime", "realtime_not_supported", /"loquat upstream add".+\?intent=transcription/],
  ["gpt-4o-realtime-preview", "realtime_not_supported", /"loquat upstream add"/],
  ["unknown", "invalid_model", /^unknown is not an STT model\. STT models: svc-stt1/],
  ["svc-tts1", "invalid_model", /^svc-tts1 is not an STT model/],
];
test.each(NAMES)("where there is no language model, %p is refused as %s", async (name, code, message) => {
  talk.parts.upstreams.use([]);
  const client = await talkTo(talk, `model=${name}`);
  const { error, ...ending } = await client.ended();
  const body = JSON.stringify({ session: { type: "realtime", model: name } });
  const secret = await talk.ask("/v1/realtime/client_secrets", { method: "POST", body });
  talk.use("echo");
  expect(ending).toMatchObject({ close: 1008, code, param: "model" });
  expect(String((error as { message: string }).message)).toMatch(message);
  expect(await errorOf(secret)).toMatchObject({ status: 400, code });
});

test.each([
  ["svc-tts1", "svc-tts1 is not an STT model"],
  [
    "no model at all",
    "no model at all is neither a conversation nor an STT model. Conversations: assistant.",
  ],
])("where there is one, %p is refused as invalid_model", async (name, message) => {
  const client = await talkTo(talk, `model=${encodeURIComponent(name)}`);
  const { error, ...ending } = await client.ended();
  expect(ending).toMatchObject({ close: 1008, code: "invalid_model", param: "model" });
  expect(String((error as { message: string }).message)).toStartWith(message);
});

test.each([
  ["inf", 200],
  [50, 50],
  [4096, 200],
])("its limit of an answer's tokens holds for a client that asks for %p", async (asked, told) => {
  await put({ name: "brief", max_output_tokens: 200 });
  const client = await talkTo(talk, "model=brief");
  client.update({ type: "realtime", max_output_tokens: asked });
  expect((await client.until("session.updated")).session).toMatchObject({ max_output_tokens: asked });
  await turn(client, "hello", text);
  expect(talk.stub.calls.at(-1)!.body).toMatchObject({ max_tokens: told });
  client.close();
});

test("a greeting is spoken first, once, without the model, which reads it later", async () => {
  await put({ name: "support", greeting: "Hello, this is Ada. What can I do for you?" });
  const asked = talk.stub.calls.length;
  const client = await talkTo(talk, "model=support");
  const { response } = (await client.until("response.done")) as unknown as { response: Spoken };
  expect(response.status).toBe("completed");
  expect(response.output[0]!.content[0]!.transcript).toBe("Hello, this is Ada. What can I do for you?");
  expect(audioOf(client.events).length).toBeGreaterThan(48_000);
  expect(talk.stub.calls.length).toBe(asked);
  await turn(client, "hello", { count: 2 });
  const told = talk.stub.calls.at(-1)!.body.messages.map(({ role }) => role);
  expect(told).toEqual(["system", "assistant", "user"]);
  expectOrder(client.events);
  client.close();
});
type Spoken = { status: string; output: { content: { transcript: string }[] }[] };

test("a greeting waits for the settings of the client, and follows them", async () => {
  await put({ name: "support", greeting: "Hello, this is Ada." });
  const client = await talkTo(talk, "model=support");
  client.update({ type: "realtime", output_modalities: ["text"] });
  await client.until("response.done");
  const types = client.events.map(({ type }) => type);
  expect(types.indexOf("session.updated")).toBeLessThan(types.indexOf("response.created"));
  expect(client.events.find(({ type }) => type === "response.output_text.done")).toMatchObject({
    text: "Hello, this is Ada.",
  });
  client.update({ type: "realtime", instructions: "Be brief." });
  await client.until("session.updated", 2);
  await quietFor(400);
  expect(client.events.filter(({ type }) => type === "response.created")).toHaveLength(1);
  client.close();
});

test("a client that asks first is not greeted, and neither is a client of a conversation without a greeting", async () => {
  await put({ name: "support", greeting: "Hello, this is Ada." });
  await put({ name: "silent" });
  const [eager, idle] = [await talkTo(talk, "model=support"), await talkTo(talk, "model=silent")];
  await turn(eager, "hello", text);
  await quietFor(500);
  expect(eager.events.filter(({ type }) => type === "response.created")).toHaveLength(1);
  expect(idle.events.map(({ type }) => type)).toEqual(["session.created", "conversation.created"]);
  eager.close();
  idle.close();
});

testEveryEvent();
