/** Promise: items stand where the client puts them, settings are what it sets, and its mistakes are answered and cost nothing. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { testEveryEvent } from "./every-event.ts";
import { audioOf, expectOrder, openTalk, said, type Talk, talkTo, turn } from "./talk.ts";

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

describe("items", () => {
  test("are retrieved, deleted and put where the client says", async () => {
    talk.use("echo");
    const client = await begun();
    const put = (id: string, previous_item_id?: string) =>
      client.send("conversation.item.create", {
        ...(previous_item_id ? { previous_item_id } : {}),
        item: { ...said(id).item, id },
      });
    put("a");
    put("b");
    put("c", "root");
    put("d", "a");
    await client.until("item.done", 4);
    const added = client.events.filter(({ type }) => type === "conversation.item.added");
    expect(
      added.map(({ item, previous_item_id }) => [(item as { id: string }).id, previous_item_id]),
    ).toEqual([
      ["a", null],
      ["b", "a"],
      ["c", null],
      ["d", "a"],
    ]);
    client.send("conversation.item.delete", { item_id: "d" });
    await client.until("item.deleted");
    await turn(client, "end");
    expect(lastCall().messages.at(-1)!.content).toBe("c\na\nb\nend");
    const refused: [string, object, string][] = [
      ["conversation.item.retrieve", { item_id: "x" }, "item_retrieve_invalid_item_id"],
      ["conversation.item.delete", { item_id: "x" }, "item_delete_invalid_item_id"],
      [
        "conversation.item.create",
        { previous_item_id: "x", ...said("e") },
        "item_create_invalid_previous_item_id",
      ],
      ["conversation.item.create", { item: { ...said("a").item, id: "a" } }, "invalid_value"],
      [
        "conversation.item.create",
        { item: { type: "function_call", call_id: "x" } },
        "missing_required_parameter",
      ],
      ["conversation.item.create", { item: { type: "mcp_call" } }, "unsupported_parameter"],
      [
        "conversation.item.create",
        {
          item: {
            type: "message",
            role: "user",
            content: [{ type: "input_image", image_url: "https://example.com/a.png" }],
          },
        },
        "unsupported_parameter",
      ],
      [
        "response.create",
        { response: { input: [{ type: "item_reference", id: "x" }] } },
        "item_retrieve_invalid_item_id",
      ],
      ["nothing.known", {}, "invalid_value"],
    ];
    for (const [index, [type, fields, code]] of refused.entries()) {
      client.send(type, { event_id: `e${index}`, ...fields });
      const { error } = (await client.until("error", index + 1)) as unknown as { error: object };
      expect(error).toMatchObject({ code, event_id: `e${index}`, type: "invalid_request_error" });
    }
    expect((await turn(client, "still here", { count: 2 })).status).toBe("completed");
    expectOrder(client.events);
    client.close();
  });
});

describe("a message of the assistant", () => {
  test.each(["output_text", "text", "input_text"])(
    "may be of %s, as one client or another sends it",
    async (type) => {
      talk.use("echo");
      const client = await begun();
      const content = [{ type, text: "I am Ada." }];
      client.send("conversation.item.create", { item: { type: "message", role: "assistant", content } });
      expect((await client.until("item.added")).item).toMatchObject({
        content: [{ type: "output_text", text: "I am Ada." }],
      });
      await turn(client, "hello");
      expect(lastCall().messages).toContainEqual(
        expect.objectContaining({ role: "assistant", content: "I am Ada." }),
      );
      expectOrder(client.events);
      client.close();
    },
  );
});

describe("an update", () => {
  test("with one mistake changes nothing; null and empty values clear", async () => {
    const client = await begun({ instructions: "Be kind.", tools: [TOOL] });
    client.update({ type: "realtime", instructions: "Be rude.", audio: { output: { speed: 9 } } });
    const { error } = (await client.until("error")) as unknown as { error: { code: string; param: string } };
    expect(error).toMatchObject({ code: "invalid_value", param: "session.audio.output.speed" });
    client.update({ type: "realtime", tools: [], audio: { input: { turn_detection: null } } });
    const { session } = (await client.until("session.updated", 2)) as unknown as {
      session: Record<string, unknown>;
    };
    expect(session).toMatchObject({
      instructions: "Be kind.",
      tools: [],
      audio: { input: { turn_detection: null } },
    });
    client.update({ type: "realtime", instructions: "" });
    const cleared = (await client.until("session.updated", 3)) as unknown as {
      session: Record<string, unknown>;
    };
    expect(cleared.session.instructions).toBe("");
    for (const [index, [session, code]] of [
      [{ prompt: { id: "pmpt_1" } }, "unsupported_parameter"],
      [{ type: "transcription" }, "invalid_value"],
      [{ audio: { output: { voice: "nobody" } } }, "invalid_voice"],
      [{ tools: [{ type: "mcp", server_label: "x" }] }, "unsupported_parameter"],
    ].entries() as Iterable<[number, [object, string]]>) {
      client.update({ type: "realtime", ...session });
      const refused = (await client.until("error", index + 2)) as unknown as { error: { code: string } };
      expect(refused.error.code).toBe(code);
    }
    client.close();
  });

  test("of the truncation is told as it was set, with its limits", async () => {
    const truncation = {
      ...{ type: "retention_ratio", retention_ratio: 0.8 },
      token_limits: { post_instructions: 8000 },
    };
    const client = await begun({ ...TEXT, truncation });
    expect(client.events.at(-1)!.session).toMatchObject({ truncation });
    client.update({
      type: "realtime",
      truncation: { ...truncation, token_limits: { post_instructions: -1 } },
    });
    const { error } = (await client.until("error")) as unknown as { error: { code: string } };
    expect(error.code).toBe("invalid_value");
    client.close();
  });

  test("of voice and speed holds from the next answer on", async () => {
    talk.use("echo");
    const client = await begun({});
    let count = 0;
    const speak = async (output: object) => {
      client.update({ type: "realtime", audio: { output } });
      await client.until("session.updated", ++count + 1);
      const from = client.events.length;
      const { audio } = (await turn(client, "hello", {
        response: { input: [said("hello").item] },
        count,
      })) as unknown as {
        audio: { output: { voice: string } };
      };
      return { voice: audio.output.voice, sound: audioOf(client.events.slice(from)) };
    };
    const warm = await speak({ voice: "female-warm" });
    const again = await speak({ voice: "female-warm" });
    const other = await speak({ voice: "male-deep" });
    const fast = await speak({ speed: 1.5 });
    expect(again.sound.equals(warm.sound)).toBe(true);
    expect([other.voice, fast.voice]).toEqual(["male-deep", "male-deep"]);
    expect(other.sound.equals(warm.sound)).toBe(false);
    expect(fast.sound.length / other.sound.length).toBeWithin(0.5, 0.85);
    expect(client.events.filter(({ type }) => type === "error")).toEqual([]);
    client.close();
  });
});

testEveryEvent();
