/** Promise: a language model that lies fails its response and costs no token, no caller waits for it, and the session goes on. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { delta, INTERNALS, LIES, sse } from "../../../upstreams/chat/lies.ts";
import { openStandIn, stream } from "../../../upstreams/stand-in.ts";
import { testEveryEvent } from "./every-event.ts";
import { endedRow, expectOrder, openTalk, type Response, type Talk, talkTo, turn } from "./talk.ts";

setDefaultTimeout(120_000);

const PRICED = { price_input_micros: 1_000_000, price_output_micros: 2_000_000 };
const TEXT = { output_modalities: ["text"] };

/** The server's language model sends this from now on, from a server of its own. */
function serve({ parts }: Talk, answer: string, type = "text/event-stream"): Disposable {
  const server = openStandIn((_request, reply) => stream(reply, [Buffer.from(answer)], type));
  const models = [{ type: "llm", model: "brain", upstream_model: "theirs", ...PRICED }];
  const at = { preset: "vllm", urls: [server.url], credential: null, flags: { health: null } };
  expect(parts.upstreams.use([{ name: "stub", ...at, added: "2026-01-01", models }])).toEqual([]);
  return server;
}

const FAILED = { status: "failed", status_details: { error: { code: "llm_unavailable" } } };

test("every lie fails its response, nothing is charged, and the next one is answered", async () => {
  await using talk = await openTalk({ plan: "prepaid", free: true });
  talk.use("echo", PRICED);
  const client = await talkTo(talk, "model=assistant");
  let count = 0;
  for (const [what, answer, type] of LIES) {
    using _server = serve(talk, answer, type);
    const response = await turn(client, what, { response: TEXT, count: ++count });
    expect({ what, ...response }).toMatchObject({ what, ...FAILED });
  }
  talk.use("echo", PRICED);
  const last = await turn(client, "hello", { response: TEXT, count: ++count });
  expect(last.status).toBe("completed");
  client.close();
  expectOrder(client.events);
  expect(JSON.stringify(client.events)).not.toContain(INTERNALS);
  const row = await endedRow(talk);
  expect(row).toMatchObject({ responses: count, inputTokens: 40, outputTokens: 12, costMicros: 64 });
  expect(differencesOf(await talk.parts.ledger.audit())).toEqual([]);
});

test("of an answer that fails while it is spoken, what was spoken is charged, and no token", async () => {
  await using talk = await openTalk({ plan: "prepaid", free: true });
  const said = "Good morning to you all, it is a sunny day. ";
  talk.use("echo", PRICED);
  using _server = serve(talk, delta({ content: said }) + delta({ content: "x".repeat(600_000) }) + sse.done);
  const client = await talkTo(talk, "model=assistant");
  expect(await turn(client, "hello")).toMatchObject(FAILED);
  client.close();
  const { inputTokens, outputTokens, payment } = await endedRow(talk);
  expect([inputTokens, outputTokens]).toEqual([0, 0]);
  for (const { unit, quantity } of payment.parts) {
    expect(unit).toBe("character");
    expect(quantity).toBeLessThanOrEqual(said.length);
  }
  expect(differencesOf(await talk.parts.ledger.audit())).toEqual([]);
});

test("an answer of marks alone is complete", async () => {
  await using talk = await openTalk();
  const client = await talkTo(talk);
  let count = 0;
  for (const content of [", ! ".repeat(1500), "```".repeat(1000)]) {
    using _server = serve(talk, delta({ content }) + sse.done);
    client.send("response.create");
    const { response } = (await client.until("response.done", ++count)) as unknown as { response: Response };
    expect(response.status).toBe("completed");
  }
  expectOrder(client.events);
});

testEveryEvent();
