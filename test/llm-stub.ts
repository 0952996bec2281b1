/**
 * A language model server for tests: it behaves as the name of the model says, and remembers what it was asked.
 *
 *   bun test/llm-stub.ts --port 8081
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { takes } from "./until.ts";

/** `atMs`, `closedAtMs`: by `performance.now()`; null while its connection is open, or if it was answered in full. */
type StubCall = { body: StubBody; atMs: number; closedAtMs: number | null; isAnswered: boolean };

type StubMessage = {
  role: string;
  content: string | { type: string; text?: string }[];
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};
type StubBody = {
  model: string;
  messages: StubMessage[];
  tools?: { function: { name: string } }[];
  [field: string]: unknown;
};

const FIRST_MS = 150;
const TOKENS_PER_SECOND = 50;
const LONG = Array.from(
  { length: 12 },
  (_, index) => `This is sentence number ${index + 1} of a rather long answer.`,
).join(" ");

const MODELS = [
  ...["echo", "long", "long:open", "slow:1000", "hang", "stall", "think:field", "think:tags", "think:open"],
  ...["tool", "tool:whole", "tool:two", "tool:talk", "tool:noargs"],
  ...["error:429", "error:500", "error:400ctx", "error:mid", "drop"],
  ...["nousage", "length", "filter", "empty", "plain", "keepalive", "markdown"],
];

type Pace = { firstMs: number; tokensPerSecond: number };

/** What is sent: a text as data, or what ends the connection. */
type Step = { wait: number } | { data: unknown } | { raw: string } | { drop: true };

const textDelta = (text: string): Step => ({ data: { choices: [{ delta: { content: text } }] } });
const finish = (reason: string): Step => ({ data: { choices: [{ delta: {}, finish_reason: reason }] } });
const USAGE: Step = {
  data: {
    choices: [],
    usage: {
      ...{ prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 },
      prompt_tokens_details: { cached_tokens: 8 },
    },
  },
};
const DONE: Step = { raw: "data: [DONE]\n\n" };

const wordsOf = (text: string): string[] => text.match(/\s*\S+/g) ?? [];

function said(text: string, { firstMs, tokensPerSecond }: Pace): Step[] {
  return wordsOf(text).flatMap((word, index) => [
    { wait: index === 0 ? firstMs : 1000 / tokensPerSecond },
    textDelta(word),
  ]);
}

const lastUser = ({ messages }: StubBody): string => {
  const { content = "" } = messages.findLast(({ role }) => role === "user") ?? {};
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join(" ");
};

const call = (index: number, fields: object): Step => ({
  data: { choices: [{ delta: { tool_calls: [{ index, ...fields }] } }] },
});

function toolCall({ model, tools = [] }: StubBody, pace: Pace): Step[] {
  const name = tools[0]?.function.name ?? "none";
  const city = (place: string) => JSON.stringify({ city: place });
  const end = [finish("tool_calls"), USAGE, DONE];
  const begin = { wait: pace.firstMs };
  if (model === "tool:whole")
    return [begin, call(0, { function: { name, arguments: city("Oslo") } }), ...end];
  if (model === "tool:noargs")
    return [begin, call(0, { id: "call_1", function: { name, arguments: "" } }), ...end];
  const pieces = [...city("Oslo")].reduce<string[]>((all, letter, index) => {
    const at = Math.floor(index / 6);
    all[at] = (all[at] ?? "") + letter;
    return all;
  }, []);
  const streamed = [
    call(0, { id: "call_1", type: "function", function: { name, arguments: "" } }),
    ...pieces.map((piece) => call(0, { function: { arguments: piece } })),
  ];
  if (model === "tool:two")
    return [
      begin,
      ...streamed,
      call(1, { id: "call_2", function: { name, arguments: city("Rome") } }),
      ...end,
    ];
  const talk = model === "tool:talk" ? said("Let me look at the weather for you.", pace) : [begin];
  return [...talk, ...streamed, ...end];
}

/** Null: all of it. */
function cut(steps: Step[], tokens: number | null): Step[] {
  const texts = steps.filter((step) => "data" in step && JSON.stringify(step.data).includes('"content"'));
  const last = tokens === null ? undefined : texts[tokens];
  return last ? [...steps.slice(0, steps.indexOf(last)), finish("length"), USAGE, DONE] : steps;
}

/** Servers ask for a few tokens when a session begins. */
const isWarmUp = (body: StubBody): body is StubBody & { max_tokens: number } =>
  body.max_tokens === 1 || body.max_tokens === 64;

/** The steps of an answer. */
function stepsOf(body: StubBody, pace: Pace): Step[] {
  const { model } = body;
  const rest = (text: string) => [...said(text, pace), finish("stop"), USAGE, DONE];
  const reply = `You said: ${lastUser(body)}.`;
  if (model.startsWith("slow:")) return rest(reply).with(0, { wait: Number(model.slice(5)) });
  if (model.startsWith("tool")) {
    const isAnswered = body.messages.at(-1)?.role === "tool";
    return isAnswered || !body.tools ? rest("It is sunny in Oslo.") : toolCall(body, pace);
  }
  switch (model) {
    case "long":
      return rest(isWarmUp(body) ? "Hello. How can I help you?" : LONG);
    case "long:open":
      return [...said(LONG, pace), { wait: 600_000 }];
    case "hang":
      return [{ wait: 600_000 }];
    case "stall":
      return [...said("Just a moment", pace), { wait: 600_000 }];
    case "think:field":
      return [
        { wait: pace.firstMs },
        { data: { choices: [{ delta: { reasoning_content: "Secret plan." } }] } },
        { data: { choices: [{ delta: { reasoning: "Secret plan." } }] } },
        ...rest(reply),
      ];
    case "think:tags":
      return [..."<think>Secret plan.</think>"].map(textDelta).concat(rest(reply));
    case "think:open":
      return [..."Secret plan.</think>"].map(textDelta).concat(rest(reply));
    case "error:mid":
      return [...said("I will tell you everything", pace), { data: { error: { message: "out of memory" } } }];
    case "drop":
      return [...said("I will tell you everything", pace), { drop: true }];
    case "nousage":
      return [...said(reply, pace), finish("stop"), DONE];
    case "length":
      return [...said("This answer is cut", pace), finish("length"), USAGE, DONE];
    case "filter":
      return [...said("This answer is", pace), finish("content_filter"), USAGE, DONE];
    case "empty":
      return [{ wait: pace.firstMs }, finish("stop"), USAGE, DONE];
    case "keepalive":
      return [{ raw: ": waiting\n\n" }, { data: { choices: [] } }, ...rest(reply)];
    case "markdown":
      return rest(
        "Here is a **bold** word, a [link](https://example.com), and 😀.\n\n* one thing\n* another thing\n",
      );
    default:
      return rest(reply);
  }
}

const refusals: Record<string, [status: number, message: string]> = {
  "error:429": [429, "too many requests"],
  "error:500": [500, "an internal failure"],
  "error:400ctx": [400, "This model's maximum context length is 8192 tokens."],
};

/** `warmUps`: what it was asked for a few tokens of, so that the model is loaded. */
export type Stub = AsyncDisposable & { url: string; calls: StubCall[]; warmUps: StubCall[] };

function answer(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

export async function openStub({
  port = 0,
  ...given
}: Partial<Pace> & { port?: number } = {}): Promise<Stub> {
  const pace = { firstMs: FIRST_MS, tokensPerSecond: TOKENS_PER_SECOND, ...given };
  const calls: StubCall[] = [];
  const warmUps: StubCall[] = [];
  async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request)) as StubBody;
    const made: StubCall = { body, atMs: performance.now(), closedAtMs: null, isAnswered: false };
    (isWarmUp(body) ? warmUps : calls).push(made);
    const left = new AbortController();
    response.on("close", () => {
      made.closedAtMs = performance.now();
      left.abort();
    });
    const refusal = refusals[body.model];
    if (refusal) answer(response, refusal[0], { error: { message: refusal[1], type: "error" } });
    else if (body.model === "plain")
      answer(response, 200, {
        choices: [{ message: { content: `You said: ${lastUser(body)}.` }, finish_reason: "stop" }],
        usage: { prompt_tokens: 40, completion_tokens: 12 },
      });
    else
      made.isAnswered = await send(
        response,
        cut(stepsOf(body, pace), isWarmUp(body) ? body.max_tokens : null),
        left.signal,
      );
  }
  const server = createServer((request, response) => {
    if (request.url === "/v1/models")
      answer(response, 200, { object: "list", data: MODELS.map((id) => ({ id, max_model_len: 8192 })) });
    else if (request.url === "/health") answer(response, 200, {});
    else if (request.url === "/calls") answer(response, 200, calls);
    else if (request.url === "/v1/chat/completions") void complete(request, response);
    else answer(response, 404, { error: { message: "not found" } });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ calls, warmUps },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

/** Whether all of it was sent. */
async function send(response: ServerResponse, steps: Step[], signal: AbortSignal): Promise<boolean> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  for (const step of steps) {
    if ("wait" in step) await waited(step.wait, signal);
    if (signal.aborted) return false;
    if ("drop" in step) {
      response.destroy();
      return false;
    }
    if ("data" in step) response.write(`data: ${JSON.stringify(step.data)}\n\n`);
    if ("raw" in step) response.write(step.raw);
  }
  response.end();
  return true;
}

/** Or until the caller has left. */
async function waited(ms: number, signal: AbortSignal): Promise<void> {
  const { promise: left, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([takes(ms), left]);
}

if (import.meta.main) {
  const at = process.argv.indexOf("--port");
  const { url } = await openStub({ port: at < 0 ? 8081 : Number(process.argv[at + 1]) });
  console.log(url);
}
