/** Promise: a response follows what is asked of it alone, fails as documented, and leaves the conversation as clients expect it. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testEveryEvent } from "./every-event.ts";
import { deltasOf, expectOrder, openTalk, type Response, said, type Talk, talkTo, turn } from "./talk.ts";

let talk: Talk;
beforeAll(async () => {
  talk = await openTalk();
});
afterAll(() => talk[Symbol.asyncDispose]());

const lastCall = () => talk.stub.calls.at(-1)!.body;
const TEXT = { output_modalities: ["text"] };
const TOOL = { type: "function", name: "weather", parameters: { type: "object" } };

async function begun(session: object = TEXT) {
  const client = await talkTo(talk);
  client.update({ type: "realtime", ...session });
  await client.until("session.updated");
  return client;
}

describe("a response", () => {
  test("is given in an empty conversation", async () => {
    talk.use("echo");
    const client = await begun();
    client.send("response.create", { response: { instructions: "Say hello." } });
    await client.until("response.done");
    expect(lastCall().messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(lastCall().messages[0]!.content).toBe("Say hello.");
    client.close();
  });

  test("outside the conversation runs beside another, and leaves nothing in it", async () => {
    talk.use("long");
    const client = await begun({});
    client.send("conversation.item.create", said("first"));
    client.send("response.create");
    await client.until("output_audio.delta");
    const response = { conversation: "none", input: [said("aside").item], metadata: { topic: "x" }, ...TEXT };
    client.send("response.create", { response });
    const done = async (count: number) => (await client.until("response.done", count)).response as Response;
    const aside = await done(1);
    expect(aside).toMatchObject({ status: "completed", conversation_id: null, metadata: { topic: "x" } });
    client.send("response.cancel");
    await done(2);
    const asideItem = aside.output[0]!.id;
    expect(
      client.events.filter(
        ({ type, item }) =>
          type.startsWith("conversation.item") && (item as { id: string })?.id === asideItem,
      ),
    ).toEqual([]);
    talk.use("echo");
    await turn(client, "again", { response: TEXT, count: 3 });
    expect(JSON.stringify(lastCall().messages)).not.toContain("aside");
    expectOrder(client.events);
    client.close();
  });

  test("has settings of its own", async () => {
    talk.use("length");
    const client = await begun();
    const own = { instructions: "Be short.", max_output_tokens: 5, tools: [TOOL], tool_choice: "none" };
    const cut = await turn(client, "hello", { response: own });
    expect(cut).toMatchObject({
      status: "incomplete",
      status_details: { type: "incomplete", reason: "max_output_tokens" },
    });
    expect(lastCall()).toMatchObject({
      max_tokens: 5,
      messages: [{ role: "system", content: "Be short." }, {}],
    });
    talk.use("echo");
    await turn(client, "hello", { count: 2 });
    expect(lastCall().max_tokens).toBeUndefined();
    expect(lastCall().messages[0]!.content).not.toBe("Be short.");
    client.close();
  });

  test("has the settings of its session where it names none, or null", async () => {
    talk.use("echo");
    const client = await begun({ ...TEXT, instructions: "Be kind.", tools: [TOOL], max_output_tokens: 7 });
    const none = { instructions: null, tools: null, tool_choice: null, max_output_tokens: null, audio: null };
    for (const [index, response] of [{}, none].entries()) {
      await turn(client, "hello", { response, count: index + 1 });
      const { messages, tools, max_tokens } = lastCall();
      expect({ instructions: messages[0]!.content, max_tokens }).toEqual({
        instructions: "Be kind.",
        max_tokens: 7,
      });
      expect(tools).toHaveLength(1);
    }
    client.close();
  });

  test("that the filter of the model ends is incomplete", async () => {
    talk.use("filter");
    const client = await begun();
    expect(await turn(client, "hello")).toMatchObject({
      status: "incomplete",
      status_details: { reason: "content_filter" },
    });
    client.close();
  });

  test("may be cancelled, once", async () => {
    talk.use("long");
    const client = await begun({});
    client.send("response.create");
    await client.until("output_audio.delta");
    client.send("response.cancel");
    client.send("response.cancel");
    const { response } = (await client.until("response.done")) as unknown as { response: Response };
    expect(response).toMatchObject({
      status: "cancelled",
      status_details: { type: "cancelled", reason: "client_cancelled" },
    });
    const { error } = (await client.until("error")) as unknown as {
      error: { code: string; message: string };
    };
    expect(error.code).toBe("response_cancel_not_active");
    expect(error.message).toStartWith("Cancellation failed");
    expectOrder(client.events);
    client.close();
  });
});

describe("functions", () => {
  test.each([
    ["tool:whole", ['{"city":"Oslo"}']],
    ["tool:two", ['{"city":"Oslo"}', '{"city":"Rome"}']],
    ["tool:noargs", ["{}"]],
  ])("of %s have valid arguments", async (model, expected) => {
    talk.use(model);
    const client = await begun({ ...TEXT, tools: [TOOL] });
    const { output } = (await turn(client, "weather?")) as unknown as {
      output: { arguments: string; call_id: string }[];
    };
    expect(output.map(({ arguments: asked }) => asked)).toEqual(expected);
    for (const { call_id } of output.toReversed())
      client.send("conversation.item.create", {
        item: { type: "function_call_output", call_id, output: `of ${call_id}` },
      });
    client.send("response.create");
    await client.until("response.done", 2);
    const { messages } = lastCall();
    const asking = messages.find(({ tool_calls }) => tool_calls)!;
    expect(asking.tool_calls!.map(({ id }) => id)).toEqual(output.map(({ call_id }) => call_id));
    expect(
      messages
        .filter(({ role }) => role === "tool")
        .map(({ tool_call_id, content }) => `${tool_call_id} ${content}`),
    ).toEqual(output.map(({ call_id }) => `${call_id} of ${call_id}`));
    expectOrder(client.events);
    client.close();
  });

  test("are called after what is said before them", async () => {
    talk.use("tool:talk");
    const client = await begun({ tools: [TOOL] });
    const { output } = await turn(client, "weather?");
    expect(output.map(({ type }) => type)).toEqual(["message", "function_call"]);
    expect(output[0]!.content![0]!.transcript).toBe("Let me look at the weather for you.");
    expectOrder(client.events);
    client.close();
  });
});

describe("a language model that", () => {
  const failures: [string, string, string][] = [
    ["error:500", "server_error", "llm_unavailable"],
    ["error:429", "rate_limit_error", "llm_busy"],
    ["error:mid", "server_error", "llm_unavailable"],
    ["drop", "server_error", "llm_unavailable"],
    ["error:400ctx", "invalid_request_error", "context_length_exceeded"],
  ];
  test.each(failures)("answers %s fails the response, and the next turn works", async (model, type, code) => {
    talk.use(model);
    const client = await begun();
    const failed = await turn(client, "hello");
    expect(failed).toMatchObject({
      status: "failed",
      status_details: { type: "failed", error: { type, code } },
    });
    expect(client.events.filter((event) => event.type === "error")).toEqual([]);
    talk.use("echo");
    expect((await turn(client, "hello", { count: 2 })).status).toBe("completed");
    expectOrder(client.events);
    client.close();
  });

  test.each(["plain", "keepalive", "nousage", "think:field", "think:tags", "think:open"])(
    "answers as %s is understood",
    async (model) => {
      talk.use(model);
      const client = await begun();
      const { status, usage } = await turn(client, "hello");
      expect(status).toBe("completed");
      expect(deltasOf(client.events, "response.output_text.delta")).toBe("You said: hello.");
      expect(usage.total_tokens).toBe(model === "nousage" ? 0 : 52);
      expectOrder(client.events);
      client.close();
    },
  );

  test("says nothing gives an empty response", async () => {
    talk.use("empty");
    const client = await begun({});
    expect(await turn(client, "hello")).toMatchObject({ status: "completed", output: [] });
    expectOrder(client.events);
    client.close();
  });

  test("writes markdown is spoken without its signs, and kept with them", async () => {
    talk.use("markdown");
    const client = await begun({});
    const { output } = await turn(client, "hello");
    expect(output[0]!.content![0]!.transcript).toContain("**bold**");
    expect(deltasOf(client.events, "response.output_audio_transcript.delta")).toBe(
      output[0]!.content![0]!.transcript!,
    );
    client.close();
  });
});

testEveryEvent();
