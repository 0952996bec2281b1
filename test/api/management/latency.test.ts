/**
 * Promise: latency is the nearest-rank percentile of how long requests to an endpoint waited for the first output or the whole answer,
 * in all, by hour or day, and by model.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { latencyRecord } from "../../../src/api/management/handlers/latency.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import type { usageRoutes } from "../../../src/api/management/schema/usage-routes.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

const DAY = 86_400;
const OF = { endpoint: "/v1/audio/speech", measure: "first_output", bucket: "day" } as const;
const NO_FACTORS = { p50_realtime_factor: null, p95_realtime_factor: null };
const wait = (createdAt: number, waitMs: number, model = "one", audioSeconds = 0) => ({
  ...{ createdAt, waitMs, model, audioSeconds },
});

test("of a hundred requests, half waited at most p50, and 95 at most p95", () => {
  const waits = Array.from({ length: 100 }, (_none, index) => wait(index, 100 - index));
  expect(latencyRecord(waits, OF)).toMatchObject({ requests: 100, p50_ms: 50, p95_ms: 95 });
});

test("days are in order, each with its own percentiles, and days without requests are left out", () => {
  const waits = [wait(2 * DAY + 5, 30), wait(10, 10), wait(20, 20)];
  expect(latencyRecord(waits, OF).data).toEqual([
    { start: 0, end: DAY, requests: 2, p50_ms: 10, p95_ms: 20, ...NO_FACTORS },
    { start: 2 * DAY, end: 3 * DAY, requests: 1, p50_ms: 30, p95_ms: 30, ...NO_FACTORS },
  ]);
});

test("without requests there is no percentile", () => {
  expect(latencyRecord([], { ...OF, bucket: "hour" })).toEqual({
    ...{ object: "latency", endpoint: "/v1/audio/speech", measure: "first_output" },
    ...{ requests: 0, p50_ms: null, p95_ms: null, ...NO_FACTORS },
    data: [],
    models: [],
  });
});

test("models have their own percentiles, those with the most requests first", () => {
  const waits = [wait(1, 90, "two"), wait(2, 10), wait(3, 30)];
  expect(latencyRecord(waits, OF).models).toEqual([
    { model: "one", requests: 2, p50_ms: 10, p95_ms: 30, ...NO_FACTORS },
    { model: "two", requests: 1, p50_ms: 90, p95_ms: 90, ...NO_FACTORS },
  ]);
});

test("answers are also measured by the length of their audio, where it is known", () => {
  const waits = [wait(1, 1000, "one", 10), wait(2, 3000, "one", 10), wait(3, 500, "one")];
  const { models } = latencyRecord(waits, { ...OF, measure: "answer" });
  expect(models).toMatchObject([{ requests: 3, p50_realtime_factor: 0.1, p95_realtime_factor: 0.3 }]);
});

type Answer = ReplyOf<(typeof usageRoutes)["GET /api/organizations/:organization/latency"]>;

let fixture: Fixture;
let who: Person;
let path: string;
beforeAll(async () => {
  fixture = await openFixture();
  const { id: organizationId } = await fixture.parts.accounts.createOrganization("Waiting");
  who = await fixture.person("member", { organizationId, role: "member" });
  path = `/api/organizations/${organizationId}/latency`;
  const log = async (fields: Parameters<Fixture["request"]>[0]) => {
    fixture.clock.pass(1000);
    await fixture.request({ organizationId, durationMs: 900, firstByteMs: 120, ...fields });
  };
  const heard = { endpoint: "/v1/audio/transcriptions", model: "svc-stt1", characters: null };
  await log({});
  await log({ ...heard, durationMs: 2000, firstByteMs: 1990, audioSeconds: 10 });
  await log({ ...heard, durationMs: 4000, firstByteMs: 600, audioSeconds: 10, stream: true });
  await log({ ...heard, durationMs: 9000, status: 502, errorCode: "stream_interrupted" });
  await log({ ...heard, durationMs: 900_000, firstByteMs: null, audioSeconds: 3600 }); // a line of a batch
  const live = { endpoint: "/deepgram/v1/listen", method: "WS", status: 101, firstByteMs: 60_000 };
  await log({ ...live, finalTextMs: 240 });
  await log({ ...live, finalTextMs: null });
});
afterAll(() => fixture[Symbol.asyncDispose]());

test("without an endpoint it is that of speech, until the first audio", async () => {
  expect(await who.get<Answer>(`GET ${path}`)).toMatchObject({
    ...{ endpoint: "/v1/audio/speech", measure: "first_output" },
    ...{ requests: 1, p50_ms: 120, p50_realtime_factor: null },
  });
});

test("recordings have the time until all of a successful answer, and its part of their length", async () => {
  const asked = `GET ${path}?endpoint=/v1/audio/transcriptions`;
  expect(await who.get<Answer>(`${asked}&measure=answer`)).toMatchObject({
    ...{ endpoint: "/v1/audio/transcriptions", measure: "answer" },
    ...{ requests: 2, p50_ms: 2000, p95_ms: 4000, p50_realtime_factor: 0.2, p95_realtime_factor: 0.4 },
    models: [{ model: "svc-stt1", requests: 2 }],
  });
  expect(await who.get<Answer>(asked)).toMatchObject({ measure: "first_output", p50_ms: 600 });
});

test("live sessions have the wait for the final text, where it was recorded", async () => {
  const asked = `GET ${path}?endpoint=/deepgram/v1/listen&measure=final_text`;
  expect(await who.get<Answer>(asked)).toMatchObject({ requests: 1, p50_ms: 240, p50_realtime_factor: null });
});

test.each(["first_output", "answer"])("a live session has no %s", async (measure) => {
  const asked = `GET ${path}?endpoint=/deepgram/v1/listen&measure=${measure}`;
  expect(await who.get<Answer>(asked)).toMatchObject({ requests: 0, p50_ms: null });
});
