/** Promise: an organization gets what its limits allow, reported in headers, and no slot is ever lost. */
import { describe, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { until } from "../../until.ts";
import { COST, drain, freeHarness } from "./free.ts";

const free = freeHarness();
const { speak, transcribe, spent, lastRequest } = free;
const limit = (overrides: Record<string, number>) =>
  free.harness.parts.accounts.setLimits(free.harness.organizationId, overrides);

describe("rate limits", () => {
  const headersOf = (response: Response, bucket: string) =>
    ["limit", "remaining", "reset"].map((what) => response.headers.get(`x-ratelimit-${what}-${bucket}`));

  test("are reported on a successful response of the free tier", async () => {
    const response = await speak();
    expect(headersOf(response, "requests")).toEqual(["20", "19", "3s"]);
    expect(headersOf(response, "characters")).toEqual(["25000", "24988", "29ms"]);
    expect(headersOf(response, "seconds")).toEqual([null, null, null]);
    expect(response.headers.get("retry-after")).toBeNull();
    expect(headersOf(await transcribe(new Uint8Array(9)), "seconds")).toEqual(["1800", "1800", "0s"]);
  });

  test.each(["/v1/models", "/v1/voices", "/v1/me", "/healthz"])(
    "are neither reported nor consumed by %s",
    async (path) => {
      const response = await free.harness.ask(path);
      expect(response.status).toBe(200);
      expect([...response.headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
      expect(headersOf(await speak(), "requests")[1]).toBe("19");
    },
  );

  test("refuse the twenty-first request of a minute, which costs and consumes nothing", async () => {
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
    free.harness.clock.pass(3000);
    expect((await speak()).status).toBe(200);
    expect(await spent()).toBe(COST);
  });

  test("are checked after the scope, before the credit, and both before the body", async () => {
    const { accounts } = free.harness.parts;
    const project = (await accounts.defaultProject(free.harness.organizationId))!;
    const made = { projectId: project.id, name: "t", environment: "test", expiresAt: null } as const;
    const { secret } = await accounts.createKey({ ...made, scopes: ["catalog:read"] });
    const headers = { authorization: `Bearer ${secret}` };
    expect(await errorOf(await speak({}, { headers }))).toMatchObject({
      status: 403,
      code: "insufficient_scope",
    });
    await free.harness.parts.ledger.setMonthlyLimit(free.harness.organizationId, 0);
    expect((await speak({ input: 7 })).status).toBe(402);
    for (let i = 1; i < 20; i++) await drain(await speak());
    expect((await speak()).status).toBe(429);
  });

  test("admit two requests at once and no third; a stream holds its slot until its end", async () => {
    const long = { input: "It was a long story. ".repeat(60), response_format: "pcm", stream: true };
    const open = [await speak(long), await speak(long)];
    const third = await speak();
    expect(await errorOf(third)).toMatchObject({ status: 429, code: "concurrency_limit_exceeded" });
    expect(third.headers.get("retry-after")).toBe("1");
    await Promise.all(open.map(drain));
    await lastRequest(3);
    expect((await speak()).status).toBe(200);
  });

  test("free the slot however a request ends", async () => {
    await limit({ concurrentRequests: 1, requestsPerMinute: 1000 });
    free.harness.clock.pass(1000); // a key's organization is read once a second
    const { parts, organizationId, clock } = free.harness;
    /** Leaves once the request has its slot: one that never arrived would not be in the log. */
    async function leave(fields: object): Promise<Response> {
      const caller = new AbortController();
      const request = speak(fields, { signal: caller.signal });
      await until(async () => (await parts.limits.inFlight(organizationId, clock.now())) > 0);
      caller.abort();
      return request;
    }
    const long = { input: "It was a long story. ".repeat(60) };
    const ends = [
      () => speak(),
      () => speak({ input: 7 }),
      () => speak({ model: "nobody" }),
      () => speak({ input: "…" }),
      () => leave(long),
      () => leave({ ...long, response_format: "pcm", stream: true }),
      () => transcribe(new Uint8Array(5)),
    ];
    for (const [index, end] of ends.entries()) {
      const response = await end().catch(() => null);
      if (response) await response.arrayBuffer().catch(() => null);
      const { errorCode } = await lastRequest(index + 1);
      expect([index, errorCode]).not.toEqual([index, "concurrency_limit_exceeded"]);
    }
  });

  test("admit and count requests after the clock steps back an hour", async () => {
    await drain(await speak());
    free.harness.clock.pass(-3_600_000);
    const response = await speak();
    expect([response.status, ...headersOf(response, "requests")]).toEqual([200, "20", "18", "6s"]);
    await drain(response);
    await lastRequest(2);
    expect(await spent()).toBe(2 * COST);
  });

  test("count characters per minute", async () => {
    await limit({ ttsCharactersPerMinute: 20 });
    expect((await speak()).status).toBe(200);
    const response = await speak();
    expect(await errorOf(response)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    expect(headersOf(response, "characters")).toEqual(["20", "8", "36s"]);
    expect(response.headers.get("retry-after")).toBe("12");
    expect(await spent()).toBe(COST);
  });

  test("count seconds of audio per minute, once the duration is known", async () => {
    await limit({ sttSecondsPerMinute: 1 });
    const wav = new Uint8Array(await (await speak({ input: "This is longer than a second." })).arrayBuffer());
    const before = await spent();
    const response = await transcribe(wav);
    expect(await errorOf(response)).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
    expect(headersOf(response, "requests")[1]).toBe("18");
    expect(await spent()).toBe(before);
  });
});

test("/v1/me shows the organization, the project and the scopes of the key", async () => {
  const me = (await (await free.harness.ask("/v1/me")).json()) as Record<string, object>;
  expect(me).toMatchObject({
    object: "key_context",
    key: { object: "api_key", name: "first", environment: "live", status: "active", expires_at: null },
    project: { object: "project", name: "Default", status: "active" },
    organization: { id: free.harness.organizationId, object: "organization", name: "Default", tier: "free" },
    limits: {
      requests_per_minute: 20,
      concurrent_requests: 2,
      tts_characters_per_minute: 25_000,
      stt_seconds_per_minute: 1800,
    },
  });
  expect(JSON.stringify(me)).not.toContain(free.harness.key.slice(12));
});
