/** Promise: a language model reads what was said, within what it can read, and always from the same beginning. */
import { describe, expect, test } from "bun:test";
import { Context } from "../../../src/realtime/dialogue/context.ts";
import type { Item } from "../../../src/realtime/dialogue/items.ts";

const common = (id: string) => ({ id, object: "realtime.item", status: "completed" }) as const;
const user = (id: string, text: string): Item => ({
  ...common(id),
  ...{ type: "message", role: "user", content: [{ type: "input_text", text }] },
});
const assistant = (id: string, transcript: string): Item => ({
  ...common(id),
  ...{ type: "message", role: "assistant", content: [{ type: "output_audio", transcript }] },
});
const call = (id: string): Item => ({
  ...common(id),
  ...{ type: "function_call", call_id: `c${id}`, name: "weather", arguments: "{}" },
});
const output = (id: string): Item => ({
  ...common(`o${id}`),
  ...{ type: "function_call_output", call_id: `c${id}`, output: "sunny" },
});

const reading = (items: Item[], instructions = "Be kind.") => ({
  ...{ items, instructions, tools: [], isSpoken: false, note: null },
});
const rolesOf = (items: Item[]) => new Context().messages(reading(items), "auto")!.map(({ role }) => role);

describe("messages", () => {
  test.each([
    ["no JSON", "{broken", "{}"],
    ["nested too deep", "[".repeat(1000) + "]".repeat(1000), "{}"],
    ["of too many values", `[${"0,".repeat(10_000)}0]`, "{}"],
    ["JSON", '{"city":"Oslo"}', '{"city":"Oslo"}'],
  ])("of a call whose arguments are %s", (_what, asked, read) => {
    const made = { ...call("1"), arguments: asked } as Item;
    const messages = new Context().messages(reading([user("0", "hello"), made]), "auto")!;
    expect(messages.find(({ role }) => role === "assistant")).toMatchObject({ calls: [{ arguments: read }] });
  });

  test("of one role are one, and what was not heard is none", () => {
    const items = [user("1", "hello"), assistant("2", ""), user("3", "are you there?")];
    expect(new Context().messages(reading(items), "auto")).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "hello\nare you there?" },
    ]);
  });

  test("of calls have their outputs behind them, or say that they are running", () => {
    const items = [user("1", "weather?"), call("a"), call("b"), output("b"), output("none")];
    expect(new Context().messages(reading(items), "auto")).toMatchObject([
      { role: "system" },
      { role: "user" },
      { role: "assistant", calls: [{ callId: "ca" }, { callId: "cb" }] },
      { role: "tool", callId: "ca", content: "The function is still running." },
      { role: "tool", callId: "cb", content: "sunny" },
    ]);
  });

  test("end with the user's, or a tool's", () => {
    expect(rolesOf([])).toEqual(["system", "user"]);
    expect(rolesOf([user("1", "hi"), assistant("2", "hello")])).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
  });
});

test("beyond the limit the oldest go, and the beginning then stays the same", () => {
  const context = new Context();
  context.limit = 1024;
  const items: Item[] = [];
  const beginnings = new Set<string>();
  for (let turn = 0; turn < 100; turn++) {
    items.push(
      user(`u${turn}`, `question ${turn} ${"word ".repeat(20)}`),
      call(`k${turn}`),
      output(`k${turn}`),
    );
    const messages = context.messages(reading(items), "auto")!;
    const characters = JSON.stringify(messages).length;
    expect(characters / 3.5).toBeLessThan(1024 * 2); // the JSON adds its own signs
    expect(messages[1]!.role).toBe("user");
    expect(messages.filter(({ role }) => role === "tool").length).toBe(
      messages.flatMap((each) => (each.role === "assistant" ? each.calls : [])).length,
    );
    expect(JSON.stringify(messages)).toContain(`question ${turn} `);
    beginnings.add(String(messages[1]!.content));
    items.push(assistant(`a${turn}`, "answer"));
  }
  expect(beginnings.size).toBeLessThan(40);
});

test("nothing is left out where the client forbids it", () => {
  const context = new Context();
  context.limit = 300;
  const items = Array.from({ length: 20 }, (_, index) => user(String(index), "many words ".repeat(20)));
  expect(context.messages(reading(items), "disabled")).toBeNull();
});

test("a client's limit of tokens holds beside the instructions, and its ratio of that", () => {
  const context = new Context();
  const items = Array.from({ length: 40 }, (_, index) =>
    user(`u${index}`, `question ${index} ${"word ".repeat(20)}`),
  );
  const truncation = {
    ...({ type: "retention_ratio", retention_ratio: 0.5 } as const),
    token_limits: { post_instructions: 200 },
  };
  const sizeOf = (read: readonly Item[]) =>
    context
      .messages(reading([...read], "Be kind. ".repeat(100)), truncation)!
      .filter(({ role }) => role !== "system")
      .reduce((sum, { content }) => sum + String(content).length, 0);
  expect(sizeOf(items)).toBeWithin(200, 0.5 * 200 * 3.5);
  expect(sizeOf([user("last", "word ".repeat(400))])).toBe(2000); // what was said last always stays
});
