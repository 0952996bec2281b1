/** Promise: operators see how fast conversations answer, and how they end, and nothing of what is said in them. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Collector, openCollector } from "../../../tracing/collector.ts";
import { until } from "../../../until.ts";
import { scriptedLive } from "../realtime/live.ts";
import { testEveryEvent } from "./every-event.ts";
import { feed, openTalk, spoken, type Talk, talkTo, turn } from "./talk.ts";

setDefaultTimeout(120_000);

/** The values of a metric by its labels. */
async function valuesOf({ parts }: Talk, name: string): Promise<Record<string, number>> {
  const lines = (await parts.metrics.text()).split("\n").filter((line) => line.startsWith(name));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(name.length, at), Number(line.slice(at + 1))];
    }),
  );
}

const stagesOf = async (talk: Talk) =>
  Object.keys(await valuesOf(talk, "loquat_conversation_stage_seconds_count"))
    .map((labels) => /stage="(\w+)"/.exec(labels)![1])
    .sort();

const openSpoken = (options = {}) =>
  openTalk({ services: { live: scriptedLive(() => "what time is it").live }, ...options });

test("a spoken turn has all stages, an answer that was asked for has no caller to wait", async () => {
  await using talk = await openSpoken();
  const client = await talkTo(talk);
  await turn(client, "hello");
  expect(await stagesOf(talk)).toEqual(["first_audio", "first_clause", "first_token"]);
  feed(client, await spoken(talk, "What time is it?"));
  await client.until("response.done", 2);
  expect(await stagesOf(talk)).toEqual([
    ...["first_audio", "first_clause", "first_token"],
    ...["transcript", "voice_to_voice"],
  ]);
  const sum = await valuesOf(talk, 'loquat_conversation_stage_seconds_sum{stage="voice_to_voice"}');
  expect(Object.values(sum)[0]).toBeWithin(0, 20);
  client.close();
});

test("responses are counted by how they ended, and their tokens by direction", async () => {
  await using talk = await openTalk();
  const client = await talkTo(talk);
  const { usage } = await turn(client, "hello");
  talk.use("error:500");
  await turn(client, "hello", { count: 2 });
  talk.use("length");
  await turn(client, "hello", { response: { output_modalities: ["text"] }, count: 3 });
  talk.use("hang");
  client.send("response.create");
  await client.until("response.created", 4);
  client.send("response.cancel");
  await client.until("response.done", 4);
  client.send("response.create");
  await client.until("response.created", 5);
  client.close();
  await until(async () => {
    const ended = Object.keys(await valuesOf(talk, "loquat_conversation_responses_total{"));
    return ended.some((labels) => labels.includes("session_ended"));
  });
  expect(await valuesOf(talk, "loquat_conversation_responses_total")).toEqual({
    '{status="completed",reason=""}': 1,
    '{status="failed",reason="llm_unavailable"}': 1,
    '{status="incomplete",reason="max_output_tokens"}': 1,
    '{status="cancelled",reason="client_cancelled"}': 1,
    '{status="cancelled",reason="session_ended"}': 1,
  });
  const tokens = await valuesOf(talk, "loquat_llm_tokens_total");
  expect(tokens['{direction="in"}']).toBeGreaterThan(usage.input_tokens);
  expect(tokens['{direction="out"}']).toBeGreaterThan(usage.output_tokens);
});

/** What a server that is traced delivers of it. */
async function spansOf(steps: (talk: Talk) => Promise<void>): Promise<Collector["spans"]> {
  await using collector = openCollector();
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  {
    await using talk = await openSpoken({ environment });
    await steps(talk);
  }
  return collector.spans;
}

test("a response is a span with its parts, which have no word of it", async () => {
  let logged = "";
  const spans = await spansOf(async (talk) => {
    const client = await talkTo(talk);
    feed(client, await spoken(talk, "What time is it?"));
    await client.until("response.done");
    talk.use("error:500");
    await turn(client, "hello", { count: 2 });
    client.close();
    await until(() => talk.logged.some(({ event, method }) => event === "request" && method === "WS"));
    logged = JSON.stringify(talk.logged);
  });
  const session = spans.find(({ name }) => name === "WS /v1/realtime")!;
  const [answered, failed] = spans.filter(({ name }) => name === "response");
  expect(answered).toMatchObject({
    parentSpanId: session.spanId,
    attributes: { "loquat.response.status": "completed", "gen_ai.request.model": "brain" },
    status: { code: 0 },
  });
  expect(Number(answered!.attributes["gen_ai.usage.output_tokens"])).toBeGreaterThan(0);
  const partsOf = (id: string) => spans.filter(({ parentSpanId }) => parentSpanId === id);
  const parts = partsOf(answered!.spanId);
  expect(parts.map(({ name }) => name)).toEqual(["transcribe", "chat", "synthesize"]);
  for (const { startTimeUnixNano: start, endTimeUnixNano: end } of parts) {
    expect(BigInt(end) >= BigInt(start)).toBe(true);
    expect(BigInt(start) >= BigInt(answered!.startTimeUnixNano)).toBe(true);
    expect(BigInt(end) <= BigInt(answered!.endTimeUnixNano)).toBe(true);
  }
  expect(failed).toMatchObject({
    attributes: { "loquat.response.status": "failed", "error.type": "llm_unavailable" },
    status: { code: 2 },
  });
  expect(partsOf(failed!.spanId).map(({ name }) => name)).toEqual(["chat"]);
  for (const said of ["what time", "hello", "You said"]) {
    expect(JSON.stringify(spans)).not.toContain(said);
    expect(logged).not.toContain(said);
  }
});

testEveryEvent();
