/**
 * Promise: every request is billed exactly and once, or not at all; requests without credit get the documented code.
 */
import { describe, expect, test } from "bun:test";
import { wavHeader } from "../../../src/audio/pcm.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { spend } from "../../billing/spending.ts";
import { errorOf } from "../../harness.ts";
import { until } from "../../until.ts";
import { CHARACTER, COST, drain, freeHarness, good, SECOND, STARTING } from "./free.ts";

const hears = installedFamilies().has("sphinx");
const unlessRecognition = hears ? "" : " (skipped: libpocketsphinx is not installed)";

const free = freeHarness();
const { speak, transcribe, spent, lastRequest, credit } = free;

/** A sentence said so many times, with a second of silence after each. */
async function repeated(times: number): Promise<Uint8Array> {
  const input = "We are at the old house by the river.";
  const wav = Buffer.from(await (await speak({ input, voice: "male-deep" })).arrayBuffer());
  const once = [wav.subarray(44), Buffer.alloc(48_000)];
  const samples = Buffer.concat(Array.from({ length: times }, () => once).flat());
  return Buffer.concat([wavHeader(samples.length / 2, 24_000), samples]);
}

describe("billing", () => {
  test("charges a successful request for its characters", async () => {
    await drain(await speak());
    expect(await spent()).toBe(COST);
    expect(await lastRequest(1)).toMatchObject({
      status: 200,
      errorCode: null,
      model: "svc-tts1",
      voice: "male-classic",
      stream: false,
      characters: good.input.length,
      costMicros: COST,
    });
  });

  test("counts emoji as code points", async () => {
    await drain(await speak({ input: "Good morning 😀😀" }));
    expect(await spent()).toBe(15 * CHARACTER);
  });

  test.each([
    ["a stream", { response_format: "pcm", stream: true }],
    ["events", { response_format: "pcm", stream_format: "sse" }],
    ["a stream that knows its length", { model: "svc-tts2", stream: true }],
  ])("charges %s for its characters, once", async (_name, fields) => {
    await drain(await speak(fields));
    expect(await spent()).toBe(COST);
    expect((await lastRequest(1)).firstByteMs).not.toBeNull();
  });

  test("charges silence for the characters that it stands for", async () => {
    const response = await speak({ input: "|---|😀" });
    expect(response.status).toBe(200);
    await drain(response);
    expect(await spent()).toBe(6 * CHARACTER);
  });

  const refused: [name: string, fields: object, status: number, code: string][] = [
    ["a bad model", { model: "nobody" }, 400, "invalid_model"],
    ["a bad voice", { voice: "nobody" }, 404, "invalid_voice"],
    ["a bad format", { response_format: "aac" }, 400, "unsupported_response_format"],
    ["a text too long", { input: "a".repeat(8001) }, 422, "validation_error"],
    ["an engine that produced nothing", { input: "ʘ" }, 502, "inference_unavailable"],
    ["a text that the voice cannot pronounce", { input: "你好" }, 422, "unpronounceable_input"],
  ];
  test.each(refused)("charges nothing for %s", async (_name, fields, status, code) => {
    const response = await speak(fields);
    const { message: errorMessage, ...error } = await errorOf(response);
    expect(error).toMatchObject({ status, code });
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("19");
    expect(await spent()).toBe(0);
    expect(await lastRequest(1)).toMatchObject({ status, errorCode: code, errorMessage, costMicros: 0 });
  });

  test("neither charges nor logs a request with an invalid key", async () => {
    await speak({}, { headers: { authorization: "Bearer sk_live_nobody" } });
    expect(await free.harness.parts.ledger.requests(free.harness.organizationId, 1)).toEqual([]);
  });

  test("charges every character when the client disconnects during the audio", async () => {
    const left = new AbortController();
    const input = "This goes on for a while. ".repeat(40).trim();
    const response = await speak({ input, response_format: "pcm", stream: true }, { signal: left.signal });
    await response.body!.getReader().read();
    left.abort();
    expect(await lastRequest(1)).toMatchObject({ status: 499, costMicros: input.length * CHARACTER });
    expect(await spent()).toBe(input.length * CHARACTER);
  });

  test("charges nothing when the client disconnects before the first byte", async () => {
    const left = new AbortController();
    const asked = speak({ input: "This goes on for a while. ".repeat(200) }, { signal: left.signal });
    const { parts, organizationId } = free.harness;
    await until(async () => (await parts.limits.inFlight(organizationId, parts.clock.now())) > 0);
    left.abort();
    await asked.catch(() => null);
    expect(await lastRequest(1)).toMatchObject({ status: 499, costMicros: 0 });
    expect(await spent()).toBe(0);
  });

  test.skipIf(!hears)(`charges a transcript for its exact seconds${unlessRecognition}`, async () => {
    const wav = new Uint8Array(await (await speak({ response_format: "wav" })).arrayBuffer());
    const { usage } = (await (await transcribe(wav)).json()) as { usage: { seconds: number } };
    expect(await spent()).toBe(COST + Math.ceil(usage.seconds * SECOND));
    const { audioSeconds } = await free.harness.parts.ledger.totals(free.harness.organizationId);
    expect(audioSeconds).toBe(usage.seconds);
  });

  test("charges nothing for a refused recording", async () => {
    expect((await transcribe(new Uint8Array(100))).status).toBe(400);
    expect(await spent()).toBe(0);
    expect(await lastRequest(1)).toMatchObject({ status: 400, errorCode: "invalid_audio" });
  });

  test.skipIf(!hears)(
    `charges a cancelled transcript for the recognized part only${unlessRecognition}`,
    async () => {
      const wav = await repeated(3);
      const before = await spent();
      await lastRequest(1);
      const left = new AbortController();
      const response = await transcribe(wav, [["stream", "true"]], { signal: left.signal });
      await response.body!.getReader().read();
      left.abort();
      const { costMicros, audioSeconds } = await lastRequest(2);
      expect(costMicros).toBeWithin(1, audioSeconds! * SECOND - 1);
      expect(await spent()).toBe(before + costMicros);
    },
  );

  test.skipIf(!hears)(
    `charges a streamed transcript for its seconds, rounded up once${unlessRecognition}`,
    async () => {
      const wav = await repeated(2);
      const before = await spent();
      await lastRequest(1);
      await drain(await transcribe(wav, [["stream", "true"]]));
      const { audioSeconds, costMicros } = await lastRequest(2);
      expect(costMicros).toBe(Math.ceil(audioSeconds! * SECOND));
      expect((await spent()) - before).toBe(costMicros);
    },
  );
});

describe("credit", () => {
  test("of a new organization is $5 for thirty days", async () => {
    expect((await credit()).balanceMicros).toBe(STARTING);
    free.harness.clock.pass(30 * 86_400_000);
    expect((await credit()).balanceMicros).toBe(0);
    expect(await errorOf(await speak())).toMatchObject({
      status: 402,
      type: "billing_error",
      code: "insufficient_credits",
    });
  });

  test("that ends during a request lets it finish and count; the next one is refused", async () => {
    const { ledger } = free.harness.parts;
    const input = "It was a long story. ".repeat(30).trim();
    const all = input.length * CHARACTER;
    await spendDownTo(all - 100);
    expect((await speak({ input })).status).toBe(200);
    expect(await credit()).toMatchObject({ balanceMicros: 0, overdraftMicros: 100 });
    expect(await errorOf(await speak())).toMatchObject({ status: 402, code: "insufficient_credits" });
    await ledger.grant({
      id: "grant_more",
      organizationId: free.harness.organizationId,
      kind: "purchase",
      amountMicros: 1000,
      createdAt: 0,
      expiresAt: null,
      topUpId: null,
    });
    expect((await credit()).balanceMicros).toBe(900);
    expect((await speak()).status).toBe(200);
  });

  test("is exceeded by the slots of a new organization times the dearest request at most", async () => {
    const input = "It was a long story. ".repeat(380).trim();
    const dearest = 8000 * CHARACTER;
    await spendDownTo(100);
    const answers = await Promise.all(Array.from({ length: 10 }, () => speak({ input })));
    const served = answers.filter(({ status }) => status === 200);
    expect(served.length).toBeWithin(1, 3);
    for (const { status } of answers) expect([200, 402, 429]).toContain(status);
    await Promise.all(answers.map(drain));
    const { balanceMicros, overdraftMicros } = await credit();
    expect(balanceMicros).toBe(0);
    expect(overdraftMicros).toBe(served.length * input.length * CHARACTER - 100);
    expect(overdraftMicros).toBeLessThan(2 * dearest);
    expect(await errorOf(await speak())).toMatchObject({ status: 402, code: "insufficient_credits" });
  });

  test("cannot exceed the monthly limit, which ends with the month", async () => {
    await free.harness.parts.ledger.setMonthlyLimit(free.harness.organizationId, COST);
    await drain(await speak());
    expect(await errorOf(await speak())).toMatchObject({
      status: 402,
      type: "billing_error",
      code: "spending_limit_reached",
    });
    free.harness.clock.pass(Date.UTC(2026, 1, 1) - free.harness.clock.now());
    expect((await speak()).status).toBe(200);
  });

  async function spendDownTo(micros: number): Promise<void> {
    const { harness } = free;
    const { organizationId } = harness;
    const createdAt = Math.floor(harness.clock.now() / 1000);
    await spend(harness.parts.ledger, {
      id: "req_before",
      organizationId,
      costMicros: STARTING - micros,
      createdAt,
    });
  }
});
