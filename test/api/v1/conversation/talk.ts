/** A server whose callers talk to the stub of a language model, and what every conversation must keep to. */
import { expect } from "bun:test";
import { type Harness, type HarnessOptions, openHarness } from "../../../harness.ts";
import { openStub, type Stub } from "../../../llm-stub.ts";
import { until } from "../../../until.ts";
import { type Client, dial, type ServerEvent } from "../realtime/live.ts";
import { expectKnown, keepEvents } from "./every-event.ts";

export type Talk = Harness & {
  stub: Stub /** The stub behaves so from the next request on. */;
  use(model: string, more?: object): void;
};

/** Tokens come at once, unless the pace matters. */
const FAST = { firstMs: 5, tokensPerSecond: 1000 };

export async function openTalk(
  options: HarnessOptions & { tokens?: { firstMs: number; tokensPerSecond: number } } = {},
): Promise<Talk> {
  const { tokens = FAST, ...rest } = options;
  const stub = await openStub(tokens);
  const harness = await openHarness({ plan: "unmetered", ...rest });
  const use = (model: string, more: object = {}) =>
    defineModel(harness, stub, { upstream_model: model, ...more });
  use("echo");
  const close = harness[Symbol.asyncDispose].bind(harness);
  return Object.assign(harness, {
    ...{ stub, use },
    async [Symbol.asyncDispose]() {
      await close();
      await stub[Symbol.asyncDispose]();
    },
  });
}

/** The server's language model is one of the stub's; `model`: its definition. */
export function defineModel(
  { parts }: Pick<Harness, "parts">,
  { url }: Stub,
  model: { upstream_model: string },
): void {
  const faults = parts.upstreams.use([
    {
      ...{ name: "stub", preset: "vllm", urls: [url], credential: null, flags: {}, added: "2026-01-01" },
      models: [{ type: "llm", model: "brain", ...model }],
    },
  ]);
  expect(faults).toEqual([]);
}

/** Of the five dollars that are free, in microdollars. */
export async function spentBy({ parts, organizationId }: Talk): Promise<number> {
  const { balanceMicros, overdraftMicros } = await parts.ledger.credit(organizationId);
  return 5_000_000 - balanceMicros + overdraftMicros;
}

/** Its events are among those of `testEveryEvent`. */
/** The row of a session that has ended: it has one while it runs, without tokens, and its line may be logged first. */
export async function endedRow({ logged, parts, organizationId }: Talk) {
  const line = await until(
    () => logged.find(({ event, method }) => event === "request" && method === "WS") ?? false,
  );
  return until(async () => {
    const row = await parts.ledger.request(organizationId, line.id as string);
    return row !== null && row.inputTokens !== null && row;
  });
}

export async function talkTo(server: Pick<Harness, "url" | "key">, query = "model=gpt-realtime") {
  const client = await dial(server, { query });
  keepEvents(client.events);
  return client;
}

/** A message of the user. */
export const said = (text: string) => ({
  item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});

/** Says it, asks for an answer, and waits for the `count`th to end. */
export async function turn(
  client: Client,
  text: string,
  { response = {}, count = 1 }: { response?: object; count?: number } = {},
): Promise<Response> {
  client.send("conversation.item.create", said(text));
  client.send("response.create", { response });
  return (await client.until("response.done", count)).response as Response;
}

export type Response = {
  id: string;
  status: string;
  status_details: {
    type: string;
    reason?: string;
    error?: { type: string; code: string; message: string };
  } | null;
  output: {
    id: string;
    type: string;
    status: string;
    content?: { type: string; transcript?: string; text?: string }[];
  }[];
  usage: { total_tokens: number; input_tokens: number; output_tokens: number };
  latency: Record<"transcript_ms" | "first_token_ms" | "first_clause_ms" | "first_sound_ms", number | null>;
  metadata: object | null;
  conversation_id: string | null;
};

export const deltasOf = (events: ServerEvent[], type: string): string =>
  events
    .filter((event) => event.type === type)
    .map(({ delta }) => delta)
    .join("");

export const audioOf = (events: ServerEvent[]): Buffer =>
  Buffer.concat(
    events
      .filter(({ type }) => type === "response.output_audio.delta")
      .map(({ delta }) => Buffer.from(String(delta), "base64")),
  );

/** What clients rely on, whatever happens. */
export function expectOrder(events: ServerEvent[]): void {
  const known = new Set<string>();
  const open = new Set<string>();
  for (const event of events) {
    expectKnown(event);
    const { item, response, item_id, response_id } = event as ServerEvent & {
      item?: { id: string };
      response?: { id: string; usage: object | null };
      response_id?: string;
    };
    if (event.type === "response.created") open.add(response!.id);
    if (response_id !== undefined) expect(open).toContain(response_id);
    if (event.type === "response.done") {
      expect(open.delete(response!.id)).toBe(true);
      expect(response!.usage).toBeObject();
    }
    if (/item\.added$|output_item\.added$/.test(event.type)) known.add(item!.id);
    if (/item\.done$|output_item\.done$/.test(event.type)) expect(known).toContain(item!.id);
    if (event.type.startsWith("response.") && item_id !== undefined) expect(known).toContain(item_id);
    if (event.type === "conversation.item.added") {
      const previous = event.previous_item_id as string | null;
      expect(previous === null || known.has(previous)).toBe(true);
    }
  }
  expect([...open]).toEqual([]);
}

/** A sentence as sound of 24 kHz, with silence behind it, so that its turn ends. */
export async function spoken(
  { ask }: Pick<Harness, "ask">,
  input: string,
  silenceSeconds = 1,
): Promise<Buffer> {
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-deep", input, response_format: "pcm" });
  const speech = await (await ask("/v1/audio/speech", { method: "POST", body })).bytes();
  return Buffer.concat([speech, Buffer.alloc(48_000 * silenceSeconds)]);
}

const FRAME = 4800; // 100 ms

export function feed(client: Client, sound: Uint8Array): void {
  for (let offset = 0; offset < sound.length; offset += FRAME)
    client.append(sound.subarray(offset, offset + FRAME));
}

export const transcribing = { audio: { input: { transcription: { model: "gpt-4o-transcribe" } } } };
