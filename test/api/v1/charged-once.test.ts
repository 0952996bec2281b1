/** Promise: a request that a client sends again because its answer was lost is charged once, and replays are few. */
import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { errorOf } from "../../harness.ts";
import { until } from "../../until.ts";
import { form } from "./form.ts";
import { COST, drain, freeHarness, good, SECOND } from "./free.ts";
import { openLossyProxy } from "./lossy-proxy.ts";

const hears = installedFamilies().has("sphinx");
const unlessRecognition = hears ? "" : " (skipped: libpocketsphinx is not installed)";

const free = freeHarness();
const { spent } = free;
/** Several requests follow each other, faster than the free tier allows. */
const UNLIMITED = { requestsPerMinute: 1e6, concurrentRequests: 1000, ttsCharactersPerMinute: 1e9 };
const speak = (headers: Record<string, string>, fields: object = {}) =>
  free.harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ ...good, ...fields }),
    headers,
  });
const KEY = { "idempotency-key": "order-17" };
const AGAIN = { "x-stainless-retry-count": "1" };
const FIRST = { "x-stainless-retry-count": "0" };
const withKey = (init: ReturnType<typeof form>) => ({ ...init, headers: { ...init.headers, ...KEY } });
const costs = async () => {
  const rows = await free.harness.parts.ledger.requests(free.harness.organizationId, 100);
  return rows.map(({ costMicros }) => costMicros).sort((a, b) => a - b);
};

let proxy: Awaited<ReturnType<typeof openLossyProxy>> | null = null;
afterEach(async () => {
  await proxy?.[Symbol.asyncDispose]();
  proxy = null;
});
async function clientBehind(lost: number) {
  proxy = await openLossyProxy([free.harness.url]);
  proxy.lose(lost);
  return new OpenAI({ apiKey: free.harness.key, baseURL: `${proxy.url}/v1`, maxRetries: 2 });
}

describe("OpenAI's library behind a proxy that loses answers", () => {
  test.each([1, 2])("pays once for speech, after %d lost answers", async (lost) => {
    const client = await clientBehind(lost);
    const answer = await client.audio.speech.create({ ...good, voice: "male-classic" });
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(1000);
    expect(proxy!.answers).toEqual([
      { status: 200, replayed: null },
      ...Array.from({ length: lost }, () => ({ status: 200, replayed: "true" })),
    ]);
    expect(await spent()).toBe(COST);
  });

  test.each([{ stream: true, response_format: "pcm" as const }, { response_format: "opus" as const }])(
    "pays once for %p",
    async (fields) => {
      const client = await clientBehind(1);
      await (
        await client.audio.speech.create({ ...good, ...fields, voice: "male-classic" } as never)
      ).arrayBuffer();
      expect(await spent()).toBe(COST);
    },
  );

  test.skipIf(!hears).each([false, true])(
    `pays once for a recording, streamed %s${unlessRecognition}`,
    async (stream) => {
      const wav = await (await speak({}, { input: "We are at the old house." })).bytes();
      const before = await spent();
      const client = await clientBehind(2);
      const answer = await client.audio.transcriptions.create({
        model: "svc-stt1",
        file: new File([Uint8Array.from(wav)], "a.wav"),
        stream,
      } as never);
      if (stream) for await (const _event of answer as unknown as AsyncIterable<unknown>);
      expect(proxy!.answers.map(({ replayed }) => replayed)).toEqual([null, "true", "true"]);
      const seconds = (await spent()) - before;
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThan(10 * SECOND);
      const paid = (await costs()).filter((micros) => micros > 0);
      expect(paid).toHaveLength(2);
    },
  );
});

describe("an attempt that its client counts", () => {
  test("is charged once it was replayed twice", async () => {
    await drain(await speak(FIRST));
    for (const replayed of ["true", "true", null])
      expect((await speak(AGAIN)).headers.get("idempotent-replayed")).toBe(replayed);
    expect(await spent()).toBe(2 * COST);
  });

  test.each([
    ["another content", {}, { input: "Hello here." }],
    ["no request before it", { "x-test": "1" }, {}],
    ["a count that is no number", { "x-stainless-retry-count": "-1" }, {}],
  ])("is charged for %s", async (name, headers, fields) => {
    if (!name.startsWith("no request")) await drain(await speak(FIRST));
    const before = await spent();
    await drain(await speak({ ...AGAIN, ...headers }, fields));
    expect(await spent()).toBeGreaterThan(before);
  });

  test("is charged where the first had no such count", async () => {
    await drain(await speak({}));
    await drain(await speak(AGAIN));
    expect(await spent()).toBe(2 * COST);
  });

  test("is charged after a failure that charged nothing, and its content in another order is the same", async () => {
    expect((await speak(FIRST, { voice: "unknown" })).status).toBe(404);
    await drain(await speak({ ...AGAIN }));
    expect(await spent()).toBe(COST);
    const { input, voice, model } = good;
    await drain(
      await free.harness.ask("/v1/audio/speech", {
        method: "POST",
        body: JSON.stringify({ input, voice, model }),
        headers: AGAIN,
      }),
    );
    expect(await spent()).toBe(COST);
  });

  test("needs no credit where the first took the last of it", async () => {
    const { parts, organizationId } = free.harness;
    await drain(await speak(FIRST));
    await parts.ledger.setMonthlyLimit(organizationId, 1);
    expect((await speak(AGAIN)).status).toBe(200);
    expect(await errorOf(await speak(AGAIN, { input: "Something else." }))).toMatchObject({
      ...{ status: 402, code: "spending_limit_reached" },
    });
    expect(await errorOf(await speak(AGAIN, { model: "unknown" }))).toMatchObject({ status: 400 });
    expect(await spent()).toBe(COST);
  });
});

describe("an Idempotency-Key", () => {
  test.each(["", "a b", "ä", "a".repeat(256)])("that is %p is refused", async (key) => {
    const response = await speak({ "idempotency-key": key });
    expect(await errorOf(response)).toMatchObject({
      ...{ status: 422, code: "validation_error", param: "Idempotency-Key" },
    });
    expect(await spent()).toBe(0);
  });

  test("is answered again five times, then refused", async () => {
    for (let time = 0; time < 6; time++)
      expect((await speak(KEY)).headers.get("idempotent-replayed")).toBe(time > 0 ? "true" : null);
    const refused = await speak(KEY);
    expect(await errorOf(refused)).toMatchObject({ status: 409, code: "idempotency_key_used" });
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(await spent()).toBe(COST);
    await until(async () => (await costs()).length === 7);
    expect(await costs()).toEqual([0, 0, 0, 0, 0, 0, COST]);
  });

  test("names the request that was charged in the rows of its replays", async () => {
    await drain(await speak(KEY));
    await drain(await speak(KEY));
    const { parts, organizationId } = free.harness;
    await until(async () => (await parts.ledger.requests(organizationId, 9)).length === 2);
    const rows = await parts.ledger.requests(organizationId, 2);
    const first = rows.find(({ costMicros }) => costMicros > 0);
    expect(new Set(rows.map(({ replayOf }) => replayOf))).toEqual(new Set([null, first!.id]));
  });

  test("is refused for another content", async () => {
    await drain(await speak(KEY));
    const refused = await speak(KEY, { input: "Hello here." });
    expect(await errorOf(refused)).toMatchObject({ status: 409, code: "idempotency_key_reused" });
    expect(await spent()).toBe(COST);
  });

  test("is free again after a failure", async () => {
    expect((await speak(KEY, { input: "ʘ" })).status).toBe(502);
    expect((await speak(KEY)).headers.get("idempotent-replayed")).toBeNull();
    expect(await spent()).toBe(COST);
  });

  test("belongs to its API key and its path", async () => {
    const { ask, parts, organizationId } = free.harness;
    await drain(await speak(KEY));
    const captioned = { method: "POST", body: JSON.stringify(good), headers: KEY };
    expect((await ask("/dev/captioned_speech", captioned)).headers.get("idempotent-replayed")).toBeNull();
    const { projectId } = (await parts.ledger.requests(organizationId, 1))[0]!;
    const environment = "live";
    const of = {
      organizationId,
      projectId,
      environment,
      scopes: ["speech:create"],
      expiresAt: null,
    } as const;
    const made = await parts.accounts.createKey({ ...of, name: "other" });
    const authorization = `Bearer ${made.secret}`;
    expect((await speak({ ...KEY, authorization })).headers.get("idempotent-replayed")).toBeNull();
    expect(await spent()).toBe(3 * COST);
  });

  test("of a hundred requests at once lets one run", async () => {
    const { parts, organizationId } = free.harness;
    await parts.accounts.setLimits(organizationId, UNLIMITED);
    const all = await Promise.all(
      Array.from({ length: 100 }, () => speak(KEY, { input: "This is a longer text. ".repeat(20).trim() })),
    );
    const fresh = all.filter(({ status, headers }) => status === 200 && !headers.has("idempotent-replayed"));
    expect(fresh).toHaveLength(1);
    const refused = all.filter(({ status }) => status === 409);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused)
      if (headers.has("retry-after")) expect(headers.get("x-should-retry")).toBe("true");
    expect((await costs()).filter((micros) => micros > 0)).toHaveLength(1);
  });

  test.skipIf(!hears)(`counts a form by its fields and its file${unlessRecognition}`, async () => {
    const wav = await (await speak({})).bytes();
    const before = await spent();
    const again = (boundary: string, fields: [string, string][] = []) =>
      free.harness.ask(
        "/v1/audio/transcriptions",
        withKey(form([["model", "svc-stt1"], ...fields, ["file", wav]], { boundary })),
      );
    await drain(await again("one"));
    const once = await spent();
    expect(once).toBeGreaterThan(before);
    expect((await again("other")).headers.get("idempotent-replayed")).toBe("true");
    expect(await spent()).toBe(once);
    const otherField = await again("one", [["language", "en"]]);
    wav[wav.length - 1]! ^= 1;
    for (const other of [otherField, await again("one")])
      expect(await errorOf(other)).toMatchObject({ status: 409, code: "idempotency_key_reused" });
  });
});
