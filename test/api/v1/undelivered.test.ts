/** Promise: speech that the server failed to deliver is not charged; what was delivered of it is, and what its caller left. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { neverShutDown } from "../../../src/api/middleware/shutdown.ts";
import { Refusal } from "../../../src/errors.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { planSpeech } from "../../../src/speech/plan.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { begin, openStandIn, type StandIn, stream, tone } from "../../upstreams/stand-in.ts";

const PRICE = 20; // micros a character
const SENTENCES = [
  "The harbour lights came on one by one while the last boats turned for home.",
  "Nobody had told the baker that the street would be closed until noon, or why, or for how long it would be.",
  "She folded the map twice and put it under the lamp to keep it flat, where it dies and is found by nobody else.",
  "The train was late again, so they walked along the river and talked, and this is never heard by anybody there.",
];
const INPUT = SENTENCES.join(" ");

/** More than the segments before the one that "dies" with their pauses: once as much has arrived, they were delivered. */
const BEFORE_BYTES = 103_000;

const cut = new AbortController(); // aborted by the last test
let harness: Harness;
let far: StandIn;
/** Ends the answer whose text "dies", after some of its audio. */
let dies: () => void;

beforeAll(async () => {
  harness = await openHarness({ shutdown: { ...neverShutDown(), cut: cut.signal } });
  far = openStandIn(() => {});
  const voice = { id: "acme-voice", speaker: "voice", name: "Acme", languages: ["en"] };
  const model = { type: "tts", model: "acme-tts", upstream_model: "acme", price_micros: PRICE * 1_000_000 };
  const flags = { health: null, timeouts: { first_byte_ms: 3000, between_bytes_ms: 3000, whole_ms: 9000 } };
  const definition = {
    credential: null,
    name: "acme",
    preset: "openai",
    urls: [far.url],
    flags,
    added: "2026-11-23",
  };
  await harness.parts.upstreamAdmin.put({ ...definition, models: [{ ...model, voices: [voice] }] });
});
afterAll(async () => {
  far[Symbol.dispose]();
  await harness[Symbol.asyncDispose]();
});

beforeEach(() => {
  const death = Promise.withResolvers<void>();
  dies = death.resolve;
  far.answer = async ({ body }, reply) => {
    if (!body.includes("dies")) return stream(reply, [tone(0.5), tone(0.5)]);
    begin(reply, [tone(0.5)]);
    await Promise.race([death.promise, reply.left]);
    reply.reset();
  };
});
afterEach(async () => expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]));

const speak = (fields: object = {}, init: RequestInit = {}) =>
  fetch(`${harness.url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${harness.key}` },
    body: JSON.stringify({ model: "acme-tts", voice: "acme-voice", input: INPUT, stream: true, ...fields }),
    ...init,
  });

/** Everything that arrives until the body ends or breaks. */
async function received(response: Response, onBytes = (_count: number) => {}): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  try {
    for await (const chunk of response.body!) {
      chunks.push(chunk);
      count += chunk.length;
      onBytes(count);
    }
  } catch {}
  return Buffer.concat(chunks);
}

/** The request's row, once it has ended and its cost is no longer that of the whole text. */
async function settled(response: Response, status: number) {
  const id = response.headers.get("x-request-id")!;
  return until(async () => {
    const row = await harness.parts.ledger.request(harness.organizationId, id);
    return row?.status === status && (status === 499 || row.costMicros < wholeMicros(INPUT)) && row;
  });
}

const wholeMicros = (input: string) => [...input].length * PRICE;

/** The cost of the segments before the one that dies. */
function deliveredMicros(input = INPUT): number {
  const plan = planSpeech(input, "en", "streamed");
  const lengthOf = (segments: typeof plan) => segments.reduce((sum, { text }) => sum + text.length, 0);
  const before = plan.slice(
    0,
    plan.findIndex(({ text }) => text.includes("dies")),
  );
  return Math.floor(([...input].length * lengthOf(before)) / lengthOf(plan)) * PRICE;
}

test.each([
  ["samples", { response_format: "pcm" }],
  ["MP3", { response_format: "mp3" }],
  ["events", { response_format: "pcm", stream_format: "sse" }],
])("a stream of %s that breaks off costs what was delivered of it", async (_name, fields) => {
  const { totals } = harness.parts.ledger;
  const before = await totals(harness.organizationId);
  const response = await speak(fields);
  setTimeout(dies, 300);
  const bytes = await received(response);
  const row = await settled(response, 502);
  const expected = deliveredMicros();
  expect(expected).toBeGreaterThan(0);
  expect(row).toMatchObject({ costMicros: expected, errorCode: "stream_interrupted" });
  expect(row.payment).toMatchObject({ quantity: expected / PRICE, burns: [[expect.any(String), expected]] });
  const after = await totals(harness.organizationId);
  expect(after.costMicros - before.costMicros).toBe(expected);
  expect(after.characters - before.characters).toBe(expected / PRICE);
  if (!("stream_format" in fields)) expect(bytes.length).toBeGreaterThan(0);
  else expect(Buffer.from(bytes).toString()).toContain('"code":"stream_interrupted"');
});

test("a stream whose first segment breaks off costs nothing", async () => {
  const input = "It dies at once.";
  const response = await speak({ input, response_format: "pcm" });
  setTimeout(dies, 100);
  expect((await received(response)).length).toBeGreaterThan(0);
  expect(await settled(response, 502)).toMatchObject({ costMicros: 0, payment: { quantity: 0, burns: [] } });
});

test("a caller who leaves a stream is charged for all of it", async () => {
  const left = new AbortController();
  const response = await speak({ response_format: "pcm" }, { signal: left.signal });
  await received(response, (count) => count > 48_000 && left.abort());
  expect(await settled(response, 499)).toMatchObject({ costMicros: wholeMicros(INPUT) });
});

test("a server that cannot wait for the end of a stream charges what was delivered", async () => {
  const response = await speak({ response_format: "pcm" });
  const bytes = received(
    response,
    (count) => count > BEFORE_BYTES && cut.abort(new Refusal("service_unavailable", "Bye.")),
  );
  expect(await settled(response, 503)).toMatchObject({ costMicros: deliveredMicros() });
  expect((await bytes).length).toBeGreaterThan(BEFORE_BYTES);
});
