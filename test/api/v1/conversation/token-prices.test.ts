/** Promise: tokens of a language model cost what its operator asks, once the response is over; without a price, nothing. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { spend } from "../../../billing/spending.ts";
import { until } from "../../../until.ts";
import { testEveryEvent } from "./every-event.ts";
import { endedRow, expectOrder, openTalk, type Response, spentBy, type Talk, talkTo, turn } from "./talk.ts";

setDefaultTimeout(120_000);

const ASSISTANT = "model=assistant";
/** A token that is read costs a micro, one that is written two. */
const PRICED = { price_input_micros: 1_000_000, price_output_micros: 2_000_000 };
const TEXT = { response: { output_modalities: ["text"] } };
const USAGE = { input: 40, output: 12 }; // of each answer of the stub

async function openPriced(behaviour: string, options: Parameters<typeof openTalk>[0] = {}): Promise<Talk> {
  const talk = await openTalk({ plan: "prepaid", free: true, ...options });
  talk.use(behaviour, PRICED);
  return talk;
}

/** Everything agrees with the events, and nothing was given or taken beside them. */
async function isClean({ parts }: Talk): Promise<void> {
  expect(differencesOf(await parts.ledger.audit())).toEqual([]);
}

test("each response is charged what its model counted", async () => {
  await using talk = await openPriced("echo");
  const client = await talkTo(talk, ASSISTANT);
  await turn(client, "hello", TEXT);
  await until(async () => (await spentBy(talk)) === 64);
  await turn(client, "hello", { ...TEXT, count: 2 });
  client.close();
  const row = await endedRow(talk);
  expect(row).toMatchObject({ responses: 2, inputTokens: 80, outputTokens: 24, costMicros: 128 });
  expect(row.payment.parts).toEqual([
    { model: "brain", unit: "input_token", priceMicros: 1_000_000, quantity: 80, costMicros: 80 },
    { model: "brain", unit: "output_token", priceMicros: 2_000_000, quantity: 24, costMicros: 48 },
  ]);
  expect(await talk.parts.ledger.totals(talk.organizationId)).toMatchObject({ tokens: 104, costMicros: 128 });
  expect(await spentBy(talk)).toBe(128);
  await isClean(talk);
});

test("a model that counts none is charged a quarter of the characters that it read and wrote", async () => {
  await using talk = await openPriced("nousage");
  const client = await talkTo(talk, ASSISTANT);
  const { output, usage } = await turn(client, "hello", TEXT);
  expect(usage).toMatchObject({ input_tokens: 0, output_tokens: 0 });
  client.close();
  const { inputTokens, outputTokens, costMicros } = await endedRow(talk);
  const read = talk.stub.calls[0]!.body.messages.reduce((sum, { content }) => sum + content.length, 0);
  expect(inputTokens!).toBeWithin(read / 4, read / 4 + 10);
  expect(outputTokens).toBe(Math.ceil(output[0]!.content![0]!.text!.length / 4));
  expect(costMicros).toBe(inputTokens! + 2 * outputTokens!);
  await isClean(talk);
});

test("a response that fails or is cancelled before its first token costs nothing", async () => {
  await using talk = await openPriced("error:500");
  const client = await talkTo(talk, ASSISTANT);
  expect((await turn(client, "hello", TEXT)).status).toBe("failed");
  talk.use("hang", PRICED);
  client.send("response.create", TEXT);
  await until(() => talk.stub.calls.some(({ body }) => body.model === "hang"));
  client.send("response.cancel");
  await client.until("response.done", 2);
  client.close();
  expect(await endedRow(talk)).toMatchObject({
    responses: 2,
    inputTokens: 0,
    outputTokens: 0,
    costMicros: 0,
  });
  expect(await spentBy(talk)).toBe(0);
  await isClean(talk);
});

test.each([
  ["is cancelled", (client: Awaited<ReturnType<typeof talkTo>>) => client.send("response.cancel")],
  ["is left", (client: Awaited<ReturnType<typeof talkTo>>) => client.close()],
])("a response that %s within is charged for what was written", async (_how, end) => {
  await using talk = await openPriced("long", { tokens: { firstMs: 5, tokensPerSecond: 60 } });
  const client = await talkTo(talk, ASSISTANT);
  client.send("response.create", TEXT);
  await client.until("output_text.delta");
  end(client);
  client.close();
  const { inputTokens, outputTokens, costMicros, responses } = await endedRow(talk);
  expect(responses).toBe(1);
  expect([inputTokens! > 0, outputTokens! > 0]).toEqual([true, true]);
  expect(costMicros).toBe(inputTokens! + 2 * outputTokens!);
  expect(await spentBy(talk)).toBe(costMicros);
  await isClean(talk);
});

test("no model is asked where no credit is left, and the charge that used it up ends the session", async () => {
  await using talk = await openPriced("echo");
  const { parts, organizationId, clock, stub } = talk;
  const costMicros = 5_000_000 - 10;
  await spend(parts.ledger, { id: "req_0", organizationId, costMicros, createdAt: clock.now() / 1000 });
  const first = await talkTo(talk, ASSISTANT);
  expect((await turn(first, "hello", TEXT)).status).toBe("completed");
  expect(await first.ended()).toMatchObject({ close: 1008, code: "insufficient_quota" });
  expectOrder(first.events);
  expect(await spentBy(talk)).toBe(costMicros + 64);
  const asked = stub.calls.length;
  const second = await talkTo(talk, ASSISTANT);
  expect(await second.ended()).toMatchObject({ close: 1008, code: "insufficient_credits" });
  expect(stub.calls.length).toBe(asked);
  await isClean(talk);
});

test("credit that was used up meanwhile fails the next response before its model is asked", async () => {
  await using talk = await openPriced("echo");
  const { parts, organizationId, clock, stub } = talk;
  const client = await talkTo(talk, ASSISTANT);
  await client.until("conversation.created");
  await spend(parts.ledger, { id: "req_0", organizationId, costMicros: 5e6, createdAt: clock.now() / 1000 });
  client.send("response.create", TEXT);
  const { response } = (await client.until("response.done")) as unknown as { response: Response };
  expect(response).toMatchObject({
    status: "failed",
    status_details: { error: { code: "insufficient_quota" } },
  });
  expect(await client.ended()).toMatchObject({ close: 1008, code: "insufficient_quota" });
  expect(stub.calls).toEqual([]);
  await isClean(talk);
});

test("an unmetered organization is charged nothing, and its usage has the price", async () => {
  await using talk = await openPriced("echo", { plan: "unmetered" });
  const client = await talkTo(talk, ASSISTANT);
  await turn(client, "hello", TEXT);
  client.close();
  const row = await endedRow(talk);
  expect(row).toMatchObject({
    costMicros: 64,
    payment: { plan: "unmetered", burns: [], overdraftMicros: 0 },
  });
  await isClean(talk);
});

test("a model without a price costs nothing, and its tokens are counted in the row alone", async () => {
  await using talk = await openPriced("echo");
  talk.use("echo");
  const client = await talkTo(talk, ASSISTANT);
  await turn(client, "hello", TEXT);
  client.close();
  const row = await endedRow(talk);
  expect(row).toMatchObject({ inputTokens: USAGE.input, outputTokens: USAGE.output, costMicros: 0 });
  expect(row.payment.parts).toEqual([]);
  expect(await talk.parts.ledger.totals(talk.organizationId)).toMatchObject({ tokens: 0 });
  await isClean(talk);
});

testEveryEvent();
