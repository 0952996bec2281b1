/** Promise: however long a conversation is, the language model is asked no more than it reads, and seldom something new. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { testEveryEvent } from "./every-event.ts";
import { expectOrder, openTalk, type Talk, talkTo, turn } from "./talk.ts";

let talk: Talk;
beforeAll(async () => {
  talk = await openTalk();
});
afterAll(() => talk[Symbol.asyncDispose]());

const TURNS = 100;
const CONTEXT = 1024;
/** Of a token, as long as the model has not told how many it counts. */
const CHARACTERS = 3.5;
const TOOL = { type: "function", name: "weather", parameters: { type: "object" } };
const sentence = (index: number) =>
  `This is what I say in turn ${index}, and it is as long as people speak: a sentence or two, of what they did.`;

type Messages = Talk["stub"]["calls"][number]["body"]["messages"];

const charactersOf = (messages: Messages): number =>
  messages.reduce((sum, { content, tool_calls = [] }) => {
    const calls = tool_calls.map(({ function: { name, arguments: asked } }) => name + asked);
    return sum + content.length + calls.join("").length;
  }, 0);

test("100 turns of a model that reads 1024 tokens are asked within them, with all outputs of calls, and few cuts", async () => {
  talk.use("echo", { context: CONTEXT });
  const client = await talkTo(talk);
  client.update({ type: "realtime", output_modalities: ["text"], instructions: "Be kind.", tools: [TOOL] });
  await client.until("session.updated");
  const first = talk.stub.calls.length;
  let responses = 0;
  for (let index = 0; index < TURNS; index++) {
    talk.use(index % 5 === 4 ? "tool" : "echo", { context: CONTEXT });
    const { status, output } = await turn(client, sentence(index), { count: ++responses });
    expect(status).toBe("completed");
    const [call] = output as unknown as { type: string; call_id: string }[];
    if (call?.type !== "function_call") continue;
    const item = { type: "function_call_output", call_id: call.call_id, output: "sunny" };
    client.send("conversation.item.create", { item });
    client.send("response.create");
    await client.until("response.done", ++responses);
  }
  const asked = talk.stub.calls.slice(first).map(({ body }) => body.messages);
  expect(asked).toHaveLength(TURNS * 1.2);
  for (const messages of asked) {
    expect(charactersOf(messages)).toBeLessThan(CONTEXT * CHARACTERS);
    expect(messages[0]).toMatchObject({ role: "system", content: "Be kind." });
    const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ id }) => id);
    const outputs = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect(outputs).toEqual(calls);
  }
  expect(asked.at(-1)!.some(({ content }) => content === sentence(0))).toBe(false);
  const isContinued = (messages: Messages, index: number) =>
    JSON.stringify(messages).startsWith(JSON.stringify(asked[index]).slice(0, -1));
  const cuts = asked.slice(1).filter((messages, index) => !isContinued(messages, index)).length;
  expect(cuts).toBeWithin(3, 20);
  expectOrder(client.events);
  client.close();
});

testEveryEvent();
