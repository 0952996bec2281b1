/** Promise: of an answer of a language model no more is worked on at once, held or believed than what was asked can have. */
import { afterEach, expect, test } from "bun:test";
import { readConfig } from "../../../src/config/config.ts";
import type { ChatEvent, ChatRequest, ChatUsage } from "../../../src/engine/protocol/chat.ts";
import { presetWith, readPresets } from "../../../src/upstreams/definition.ts";
import { openUpstream, type Upstream } from "../../../src/upstreams/upstream.ts";
import { openStandIn, respond, stream } from "../stand-in.ts";
import { callsOf, delta, LIES, sse } from "./lies.ts";

const REQUEST: ChatRequest = {
  ...{ messages: [{ role: "user", content: "Good morning." }], tools: [], toolChoice: "auto" },
  ...{ parallelCalls: true, maxTokens: null, temperature: null, reasoning: null },
};

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** A server of its own for each answer: what the last one did counts against none but it. */
async function serve(answer: string, type = "text/event-stream"): Promise<Upstream> {
  const server = openStandIn((_request, reply) => stream(reply, [Buffer.from(answer)], type));
  open.push(() => server[Symbol.dispose]());
  const preset = presetWith(readPresets(readConfig({}).models.folder), "vllm", { health: null });
  const upstream = openUpstream({ preset, urls: [server.url], credential: () => null });
  open.push(() => upstream[Symbol.asyncDispose]());
  await upstream.ready;
  return upstream;
}

const asked = (
  upstream: Upstream,
  request: Partial<ChatRequest> = {},
  signal = new AbortController().signal,
) =>
  upstream
    .languageModel({ type: "llm", model: "brain", upstream_model: "theirs" })
    .chat({ ...REQUEST, ...request }, signal);

test.each(LIES)("an answer with %s is faulty, and its server is told of it", async (_what, answer, type) => {
  const upstream = await serve(answer, type);
  const events: ChatEvent[] = [];
  const read = async () => {
    for await (const event of asked(upstream)) events.push(event);
  };
  expect(await read().catch((error) => error)).toMatchObject({ code: "llm_unavailable" });
  const characters = events.reduce((sum, event) => sum + (event.is === "text" ? event.text.length : 0), 0);
  expect(characters).toBeLessThanOrEqual(64 * 1024);
  expect(events.filter(({ is }) => is !== "text")).toEqual([]);
  expect(upstream.servers()[0]!.lastFailure).not.toBeNull();
});

test("a server whose answers end wrongly is left after five of them, for all that it streamed before", async () => {
  const upstream = await serve(delta({ content: "Good day. " }) + callsOf(1, "[".repeat(5000)) + sse.done);
  for (let count = 0; count < 5; count++)
    expect(await Array.fromAsync(asked(upstream)).catch((error) => error)).toMatchObject({
      code: "llm_unavailable",
    });
  expect(upstream.servers()).toMatchObject([{ state: "out", succeeded: 0, failed: 5 }]);
});

const busy = (forMs: number) => {
  for (const until = performance.now() + forMs; performance.now() < until; );
};

test("a long text comes in small pieces, and other work runs between them", async () => {
  const text = "word ".repeat(12_000) + "😀".repeat(1500);
  const upstream = await serve(delta({ content: ` ${text}` }) + sse.done);
  let [inRow, most, whole] = [0, 0, ""];
  const counting = setInterval(() => {
    inRow = 0;
  }, 0);
  for await (const event of asked(upstream)) {
    if (event.is !== "text") continue;
    expect(event.text.length).toBeLessThanOrEqual(401);
    expect(event.text.isWellFormed()).toBe(true);
    busy(1);
    most = Math.max(most, ++inRow);
    whole += event.text;
  }
  clearInterval(counting);
  expect(whole).toBe(text);
  expect(most).toBeLessThan(40);
});

test("a caller who leaves amid a long text gets no more of it", async () => {
  const upstream = await serve(delta({ content: "word ".repeat(12_000) }) + sse.done);
  const caller = new AbortController();
  const left = new Error("left");
  let count = 0;
  const read = async () => {
    for await (const _event of asked(upstream, {}, caller.signal)) {
      busy(1);
      if (++count === 10) caller.abort(left);
    }
  };
  expect(await read().catch((error) => error)).toBe(left);
  expect(count).toBeLessThan(60);
});

const ended = (prompt_tokens: unknown, completion_tokens: unknown) =>
  delta({ content: "Good day" }) +
  sse.data({ choices: [], usage: { prompt_tokens, completion_tokens } }) +
  sse.done;

test.each<[string, answer: string, request: Partial<ChatRequest>, usage: ChatUsage | null]>([
  ["that can be", ended(40, 12), {}, { input: 40, cached: 0, output: 12 }],
  ["read beyond what was sent", ended(1e6, 12), {}, null],
  ["written beyond what came", ended(40, 1e4), {}, null],
  ["written beyond what was asked for", ended(40, 1000), { maxTokens: 20, reasoning: "low" }, null],
  [
    "of thinking that is not shown",
    ended(40, 9000),
    { reasoning: "high" },
    { input: 40, cached: 0, output: 9000 },
  ],
  ["without an end", ended("1e400", 1e300), {}, null],
])("tokens %s are taken as told, or as not told", async (_what, answer, request, usage) => {
  const events = await Array.fromAsync(asked(await serve(answer), request));
  expect(events.at(-1)).toEqual({ is: "end", reason: "complete", usage });
});

test("an answer that is refused with a body without an end is read no further than its beginning", async () => {
  const server = openStandIn((_request, reply) => respond(reply, 500, { body: "x".repeat(8e6) }));
  open.push(() => server[Symbol.dispose]());
  const preset = presetWith(readPresets(readConfig({}).models.folder), "vllm", { health: null });
  const upstream = openUpstream({ preset, urls: [server.url], credential: () => null });
  open.push(() => upstream[Symbol.asyncDispose]());
  expect(await Array.fromAsync(asked(upstream)).catch((error) => error)).toMatchObject({
    code: "llm_unavailable",
  });
});
