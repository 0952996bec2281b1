/** Promise: answers of language models are read as their servers send them: cut anywhere, with thinking, calls and usage. */
import { describe, expect, test } from "bun:test";
import { ChatStream } from "../../../src/upstreams/chat/chat-stream.ts";
import { type Leading, ThinkingFilter } from "../../../src/upstreams/chat/thinking.ts";
import { ToolCalls } from "../../../src/upstreams/chat/tool-calls.ts";

const tokensMax = { read: 1000, hidden: 0, written: null };
const SSE = { isJson: false, leading: "no" } as const;
const bytes = (text: string) => new TextEncoder().encode(text);
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (fields: object, finish_reason: string | null = null) =>
  data({ choices: [{ delta: fields, finish_reason }] });

function read(answer: string, options: { isJson: boolean; leading: Leading } = SSE) {
  const stream = new ChatStream({ ...options, tokensMax });
  const text = stream.push(bytes(answer));
  const events = stream.finish();
  const rest = events.map((event) => (event.is === "text" ? event.text : "")).join("");
  return { text: text + rest, events: events.filter(({ is }) => is !== "text") };
}

describe("an answer", () => {
  test.each<[server: string, answer: string]>([
    [
      "OpenAI",
      delta({ role: "assistant", content: "" }) +
        delta({ content: "Good" }) +
        delta({ content: " day" }) +
        delta({}, "stop") +
        data({
          choices: [],
          usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
        }) +
        "data: [DONE]\n\n",
    ],
    [
      "llama.cpp, with timings",
      delta({ content: "Good day" }) +
        data({
          choices: [{ delta: {}, finish_reason: "stop" }],
          timings: { n: 1 },
          usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
        }) +
        "data: [DONE]\n\n",
    ],
    [
      "OpenRouter, with comments",
      ": OPENROUTER PROCESSING\n\n" +
        delta({ content: "Good day" }) +
        delta({}, "stop") +
        data({
          choices: [],
          usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
        }) +
        "data: [DONE]\n\n",
    ],
    [
      "Ollama, with reasoning",
      delta({ reasoning: "hm", content: "" }) +
        delta({ content: "Good day" }) +
        delta({}, "stop") +
        data({
          choices: [],
          usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
        }) +
        "data: [DONE]\n\n",
    ],
    [
      "vLLM, with CRLF",
      (
        delta({ content: "Good" }) +
        delta({ content: " day", reasoning_content: null }, "stop") +
        data({
          choices: [],
          usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
        })
      ).replaceAll("\n", "\r\n"),
    ],
  ])("of %s is text, its end and its tokens", (_server, answer) => {
    expect(read(answer)).toEqual({
      text: "Good day",
      events: [{ is: "end", reason: "complete", usage: { input: 9, cached: 4, output: 2 } }],
    });
  });

  test("may be cut at every byte", () => {
    const answer = bytes(`${delta({ content: "Grüße 😀" }) + delta({}, "length")}data: [DONE]\n\n`);
    const stream = new ChatStream({ ...SSE, tokensMax });
    let text = "";
    for (const byte of answer) text += stream.push(Uint8Array.of(byte));
    expect(text).toBe("Grüße 😀");
    expect(stream.finish()).toEqual([{ is: "end", reason: "limit", usage: null }]);
  });

  test("may be one object", () => {
    const answer = JSON.stringify({ choices: [{ message: { content: "Good day" }, finish_reason: "stop" }] });
    expect(read(answer, { isJson: true, leading: "no" }).text).toBe("Good day");
  });

  test.each([
    ["that reports an error", data({ error: { message: "out of memory" } })],
    ["that is no JSON", "data: {broken\n\n"],
    ["that breaks off before a word", delta({ role: "assistant" })],
    ["with a line without an end", `data: ${"x".repeat(2_000_000)}`],
    ["of numbers", "data: 7\n\n"],
  ])("%s is a failure", (_what, answer) => {
    expect(() => read(answer)).toThrow();
  });
});

describe("thinking", () => {
  const answers: [string, Leading][] = [
    ["<think>plan it</think>Done.", "no"],
    ["<thinking>plan\n</thinking>\n\nDone.", "no"],
    ["<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>Done.", "no"],
    ["plan it</think>Done.", "unknown"],
    [`${"a long plan ".repeat(100)}</think>Done.`, "yes"],
    ["[THINK]plan[/THINK]Done.", "no"],
  ];
  test.each(answers)("of %j is dropped, however it is cut", (answer, leading) => {
    for (let size = 1; size <= answer.length; size++) {
      const filter = new ThinkingFilter(leading);
      let text = "";
      for (let from = 0; from < answer.length; from += size)
        text += filter.push(answer.slice(from, from + size));
      expect(text + filter.finish(true)).toBe("Done.");
    }
  });

  test.each<[answer: string, leads: Leading, isWhole: boolean]>([
    ["plan</think>Done.", "yes", true],
    [`${"a long plan ".repeat(100)}</think>Done.`, "yes", true],
    ["<think>plan</think>Done.", "no", true],
    ["Good day.", "no", true],
    ["Good", "unknown", false],
  ])("of %j shows that answers lead with it: %p", (answer, leads, isWhole) => {
    const filter = new ThinkingFilter("unknown");
    for (const letter of answer) filter.push(letter);
    filter.finish(isWhole);
    expect(filter.leads).toBe(leads);
  });

  test.each(["1 < 2 and 3 > 2", "a <b>bold</b> word", "[TODO] is a mark", "It ends in <"])(
    "%j has none",
    (answer) => {
      const filter = new ThinkingFilter("no");
      let text = "";
      for (const letter of answer) text += filter.push(letter);
      expect(text + filter.finish(true)).toBe(answer);
    },
  );
});

describe("calls", () => {
  const calls = (...pieces: unknown[]) => {
    const all = new ToolCalls();
    for (const piece of pieces) all.add([piece]);
    return all.finish();
  };

  test("come in pieces, or whole, with an id each time, once, or none", () => {
    const named = { name: "weather" };
    expect(
      calls(
        { index: 0, id: "a", function: { ...named, arguments: "" } },
        { index: 0, function: { arguments: '{"x"' } },
        { index: 0, id: "a", function: { arguments: ":1}" } },
      ),
    ).toEqual([{ callId: "a", name: "weather", arguments: '{"x":1}' }]);
    const [whole] = calls({ function: { ...named, arguments: { x: 1 } } });
    expect(whole).toMatchObject({ name: "weather", arguments: '{"x":1}' });
    expect(whole!.callId).toMatch(/^call_\w{16}$/);
  });

  test("have arguments that are JSON, and an id that clients take", () => {
    expect(calls({ id: "x".repeat(80), function: { name: "a", arguments: "{broken" } })).toMatchObject([
      { arguments: "{}" },
    ]);
    expect(calls({ id: "x".repeat(80), function: { name: "a" } })[0]!.callId.length).toBeLessThan(33);
    expect(calls({ id: "1", function: { arguments: "{}" } })).toEqual([]);
  });

  test("are not without end", () => {
    expect(() =>
      calls(...Array.from({ length: 100 }, (_, index) => ({ index, function: { name: "a" } }))),
    ).toThrow();
    expect(() => calls({ index: 0, function: { name: "a", arguments: "x".repeat(300_000) } })).toThrow();
  });
});
