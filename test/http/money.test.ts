/** Promise: what is billable is billed, once and exactly; what is not is not; limits and credit refuse with the right code. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { wavHeader } from "../../src/audio/wav.ts";
import { installedFamilies } from "../../src/engine/installed.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { errorOf, type Harness, openHarness } from "../harness.ts";
import { form } from "./form.ts";

const hears = installedFamilies().has("sphinx");
const unlessHearing = hears ? "" : " (skipped: libpocketsphinx is not installed)";
const STARTING = 5_000_000;
const CHARACTER = 15;
const SECOND = 100;

let harness: Harness;
const seen = new Set<string>();
beforeEach(async () => {
  harness = await openHarness({ free: true, patience: { idleMs: 300, totalMs: 1500 } });
});
afterEach(async () => {
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
  await harness[Symbol.asyncDispose]();
});

const good = { model: "svc-tts1", voice: "male-classic", input: "Hello there." };
const COST = good.input.length * CHARACTER;
const speak = (fields: object = {}, init: RequestInit = {}) =>
  harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify({ ...good, ...fields }), ...init });
const transcribe = (file: Uint8Array, fields: [string, string][] = [], init: RequestInit = {}) =>
  harness.ask("/v1/audio/transcriptions", {
    ...form([["model", "svc-stt1"], ...fields, ["file", file]]),
    ...init,
  });
const credit = () => harness.parts.ledger.credit(harness.organizationId);
const limit = (overrides: Record<string, number>) =>
  harness.parts.accounts.setLimits(harness.organizationId, overrides);
const drain = async (response: Response) => (await response.arrayBuffer()).byteLength;
const spent = async () => {
  const { balanceMicros, overdraftMicros } = await credit();
  return STARTING - balanceMicros + overdraftMicros;
};

/** The row of the request log that is new since last asked, once it is there. */
async function lastRequest(count: number) {
  for (;;) {
    const rows = await harness.parts.ledger.requests(harness.organizationId, 100);
    if (rows.length >= count) {
      const fresh = rows.filter(({ id }) => !seen.has(id));
      for (const { id } of rows) seen.add(id);
      return fresh.at(-1)!;
    }
    await Bun.sleep(5); // the test's own time limit ends a promise that is never kept
  }
}

/** A sentence said so many times, with a second of silence after each. */
async function repeated(times: number): Promise<Uint8Array> {
  const input = "We are at the old house by the river.";
  const wav = Buffer.from(await (await speak({ input, voice: "male-deep" })).arrayBuffer());
  const once = [wav.subarray(44), Buffer.alloc(48_000)];
  const samples = Buffer.concat(Array.from({ length: times }, () => once).flat());
  return Buffer.concat([wavHeader(samples.length / 2, 24_000), samples]);
}

describe("what is billable", () => {
  test("a successful request: its characters", async () => {
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

  test("emoji count as the characters people see typed: code points", async () => {
    await drain(await speak({ input: "Good morning 😀😀" }));
    expect(await spent()).toBe(15 * CHARACTER);
  });

  test.each([
    ["a stream", { response_format: "pcm", stream: true }],
    ["events", { response_format: "pcm", stream_format: "sse" }],
    ["a stream that knows its length", { model: "svc-tts2", stream: true }],
  ])("%s: its characters, once", async (_name, fields) => {
    await drain(await speak(fields));
    expect(await spent()).toBe(COST);
    expect((await lastRequest(1)).firstByteMs).not.toBeNull();
  });

  const refused: [name: string, fields: object, status: number, code: string][] = [
    ["a bad model", { model: "nobody" }, 400, "invalid_model"],
    ["a bad voice", { voice: "nobody" }, 404, "invalid_voice"],
    ["a bad format", { response_format: "aac" }, 400, "unsupported_response_format"],
    ["a text too long", { input: "a".repeat(8001) }, 422, "validation_error"],
    ["an engine that produced nothing", { input: "…" }, 502, "inference_unavailable"],
  ];
  test.each(refused)("%s: nothing", async (_name, fields, status, code) => {
    const response = await speak(fields);
    expect(await errorOf(response)).toMatchObject({ status, code });
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("19");
    expect(await spent()).toBe(0);
    expect(await lastRequest(1)).toMatchObject({ status, errorCode: code, costMicros: 0 });
  });

  test("a bad key: nothing, and no row, for nobody knows whose", async () => {
    await speak({}, { headers: { authorization: "Bearer sk_live_nobody" } });
    expect(await harness.parts.ledger.requests(harness.organizationId, 1)).toEqual([]);
  });

  test("a listener who leaves: every character", async () => {
    const left = new AbortController();
    const input = "This goes on for a while. ".repeat(40).trim();
    const response = await speak({ input, response_format: "pcm", stream: true }, { signal: left.signal });
    await response.body!.getReader().read();
    left.abort();
    expect(await lastRequest(1)).toMatchObject({ status: 499, costMicros: input.length * CHARACTER });
    expect(await spent()).toBe(input.length * CHARACTER);
  });

  test("a caller who leaves before anything came: nothing", async () => {
    const left = new AbortController();
    const asked = speak({ input: "This goes on for a while. ".repeat(200) }, { signal: left.signal });
    await Bun.sleep(100);
    left.abort();
    await asked.catch(() => null);
    expect(await lastRequest(1)).toMatchObject({ status: 499, costMicros: 0 });
    expect(await spent()).toBe(0);
  });

  test.skipIf(!hears)(`a transcript: its seconds, exactly${unlessHearing}`, async () => {
    const wav = new Uint8Array(await (await speak({ response_format: "wav" })).arrayBuffer());
    const { usage } = (await (await transcribe(wav)).json()) as { usage: { seconds: number } };
    expect(await spent()).toBe(COST + Math.ceil(usage.seconds * SECOND));
    const { audioSeconds } = await harness.parts.ledger.totals(harness.organizationId);
    expect(audioSeconds).toBe(usage.seconds);
  });

  test("a recording that is refused: nothing", async () => {
    expect((await transcribe(new Uint8Array(100))).status).toBe(400);
    expect(await spent()).toBe(0);
    expect(await lastRequest(1)).toMatchObject({ status: 400, errorCode: "invalid_audio" });
  });

  test.skipIf(!hears)(
    `a transcript that is left: what was heard, not all of it${unlessHearing}`,
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
    `a streamed transcript to its end: its seconds, rounded up once${unlessHearing}`,
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
  test("is $5 at the start, for thirty days", async () => {
    expect((await credit()).balanceMicros).toBe(STARTING);
    harness.clock.pass(30 * 86_400_000);
    expect((await credit()).balanceMicros).toBe(0);
    expect(await errorOf(await speak())).toMatchObject({
      status: 402,
      type: "billing_error",
      code: "insufficient_credits",
    });
  });

  test("a request under way when it ends finishes and counts; the next is refused", async () => {
    const { ledger } = harness.parts;
    const input = "It was a long story. ".repeat(30).trim();
    const all = input.length * CHARACTER;
    await spendDownTo(all - 100);
    expect((await speak({ input })).status).toBe(200);
    expect(await credit()).toMatchObject({ balanceMicros: 0, overdraftMicros: 100 });
    expect(await errorOf(await speak())).toMatchObject({ status: 402, code: "insufficient_credits" });
    await ledger.grant({
      id: "grant_more",
      organizationId: harness.organizationId,
      kind: "purchase",
      amountMicros: 1000,
      createdAt: 0,
      expiresAt: null,
      topUpId: null,
    });
    expect((await credit()).balanceMicros).toBe(900);
    expect((await speak()).status).toBe(200);
  });

  test("the month's limit refuses even with credit left, and the next month does not", async () => {
    await harness.parts.ledger.setMonthlyLimit(harness.organizationId, COST);
    await drain(await speak());
    expect(await errorOf(await speak())).toMatchObject({
      status: 402,
      type: "billing_error",
      code: "spending_limit_reached",
    });
    harness.clock.pass(Date.UTC(2026, 1, 1) - harness.clock.now());
    expect((await speak()).status).toBe(200);
  });

  async function spendDownTo(micros: number): Promise<void> {
    await harness.parts.ledger.charge({
      id: "req_before.0",
      organizationId: harness.organizationId,
      projectId: "proj",
      keyId: "key",
      environment: "live",
      requestId: "req_before",
      endpoint: "/v1/audio/speech",
      model: "svc-tts1",
      unit: "character",
      quantity: 1,
      priceMicros: 1,
      costMicros: STARTING - micros,
      createdAt: Math.floor(harness.clock.now() / 1000),
    });
  }
});

describe("limits", () => {
  const headersOf = (response: Response, bucket: string) =>
    ["limit", "remaining", "reset"].map((what) => response.headers.get(`x-ratelimit-${what}-${bucket}`));

  test("of the free tier, told on success", async () => {
    const response = await speak();
    expect(headersOf(response, "requests")).toEqual(["20", "19", "3s"]);
    expect(headersOf(response, "characters")).toEqual(["25000", "24988", "29ms"]);
    expect(headersOf(response, "seconds")).toEqual([null, null, null]);
    expect(response.headers.get("retry-after")).toBeNull();
    expect(headersOf(await transcribe(new Uint8Array(9)), "seconds")).toEqual(["1800", "1800", "0s"]);
  });

  test.each(["/v1/models", "/v1/voices", "/v1/me", "/healthz"])(
    "%s carries none and counts as none",
    async (path) => {
      const response = await harness.ask(path);
      expect(response.status).toBe(200);
      expect([...response.headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
      expect(headersOf(await speak(), "requests")[1]).toBe("19");
    },
  );

  test("the twenty-first request of a minute waits; a refusal costs nothing and takes nothing", async () => {
    for (let i = 0; i < 20; i++) await drain(await speak({ input: "" }));
    await lastRequest(20);
    const response = await speak();
    expect(await errorOf(response)).toMatchObject({
      status: 429,
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
    });
    expect(response.headers.get("retry-after")).toBe("3");
    expect(headersOf(response, "requests")).toEqual(["20", "0", "1m0s"]);
    expect(await lastRequest(21)).toMatchObject({ status: 429, errorCode: "rate_limit_exceeded" });
    harness.clock.pass(3000);
    expect((await speak()).status).toBe(200);
    expect(await spent()).toBe(COST);
  });

  test("a missing scope comes before the limits, a limit before the credit, the credit before the body", async () => {
    const { accounts } = harness.parts;
    const project = (await accounts.defaultProject(harness.organizationId))!;
    const made = { projectId: project.id, name: "t", environment: "test", expiresAt: null } as const;
    const { secret } = await accounts.createKey({ ...made, scopes: ["catalog:read"] });
    const headers = { authorization: `Bearer ${secret}` };
    expect(await errorOf(await speak({}, { headers }))).toMatchObject({
      status: 403,
      code: "insufficient_scope",
    });
    await harness.parts.ledger.setMonthlyLimit(harness.organizationId, 0);
    expect((await speak({ input: 7 })).status).toBe(402);
    for (let i = 1; i < 20; i++) await drain(await speak());
    expect((await speak()).status).toBe(429);
  });

  test("two at once and no third; a stream holds its slot until its end", async () => {
    const long = { input: "It was a long story. ".repeat(60), response_format: "pcm", stream: true };
    const open = [await speak(long), await speak(long)];
    const third = await speak();
    expect(await errorOf(third)).toMatchObject({ status: 429, code: "concurrency_limit_exceeded" });
    expect(third.headers.get("retry-after")).toBe("1");
    await Promise.all(open.map(drain));
    await lastRequest(3);
    expect((await speak()).status).toBe(200);
  });

  test("a slot comes back however a request ends", async () => {
    await limit({ concurrentRequests: 1, requestsPerMinute: 1000 });
    harness.clock.pass(1000); // a key's organization is read once a second
    const caller = () => AbortSignal.timeout(30);
    const long = { input: "It was a long story. ".repeat(60) };
    const ends = [
      () => speak(),
      () => speak({ input: 7 }),
      () => speak({ model: "nobody" }),
      () => speak({ input: "…" }),
      () => speak(long, { signal: caller() }),
      () => speak({ ...long, response_format: "pcm", stream: true }, { signal: caller() }),
      () => transcribe(new Uint8Array(5)),
    ];
    for (const [at, end] of ends.entries()) {
      const response = await end().catch(() => null);
      if (response) await response.arrayBuffer().catch(() => null);
      const { errorCode } = await lastRequest(at + 1);
      expect([at, errorCode]).not.toEqual([at, "concurrency_limit_exceeded"]);
    }
  });

  test("characters of a minute", async () => {
    await limit({ ttsCharactersPerMinute: 20 });
    expect((await speak()).status).toBe(200);
    const response = await speak();
    expect(await errorOf(response)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    expect(headersOf(response, "characters")).toEqual(["20", "8", "36s"]);
    expect(response.headers.get("retry-after")).toBe("12");
    expect(await spent()).toBe(COST);
  });

  test("seconds of a minute, after the probe", async () => {
    await limit({ sttSecondsPerMinute: 1 });
    const wav = new Uint8Array(await (await speak({ input: "This is longer than a second." })).arrayBuffer());
    const before = await spent();
    const response = await transcribe(wav);
    expect(await errorOf(response)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    expect(headersOf(response, "requests")[1]).toBe("18");
    expect(await spent()).toBe(before);
  });
});

test("/v1/me says what the key is attached to", async () => {
  const me = (await (await harness.ask("/v1/me")).json()) as Record<string, object>;
  expect(me).toMatchObject({
    object: "key_context",
    key: { object: "api_key", name: "first", environment: "live", status: "active", expires_at: null },
    project: { object: "project", name: "Default", status: "active" },
    organization: { id: harness.organizationId, object: "organization", name: "Default", tier: "free" },
    limits: {
      requests_per_minute: 20,
      concurrent_requests: 2,
      tts_characters_per_minute: 25_000,
      stt_seconds_per_minute: 1800,
    },
  });
  expect(JSON.stringify(me)).not.toContain(harness.key.slice(12));
});
