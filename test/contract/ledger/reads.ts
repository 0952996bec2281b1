/** What every ledger store must answer of what was used: sums, single requests, and who paid for them. */
import { describe, expect, test } from "bun:test";
import { newId } from "../../../src/ids.ts";
import type { Charge } from "../../../src/ledger/booking/burn-down.ts";
import type { RequestLog } from "../../../src/ledger/booking/write.ts";
import type { Ledger, RequestQuery, UsageQuery } from "../../../src/ledger/ledger.ts";
import { heldClock } from "../../harness.ts";
import { requestOf } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const HOUR_MS = 3_600_000;
const DAY = 86_400;
const everything: RequestQuery = {
  organizationId: "org",
  start: null,
  end: null,
  filters: {},
  status: null,
  errorCode: null,
  ...{ idPrefix: null, endUser: null, label: null, language: null },
  before: null,
  limit: 100,
};

export function ledgerReadsContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, reads`, () => {
    let ledger: Ledger;
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock } = fresh);
    });

    const request = (parts: Partial<RequestLog> = {}) =>
      requestOf({
        id: newId("req", clock),
        createdAt: now(),
        durationMs: 12,
        environment: "live",
        model: "svc-tts1",
        audioSeconds: 1.5,
        ...{ responses: 2, inputTokens: 700, outputTokens: 20 },
        ip: "127.0.0.1",
        ...parts,
      });
    const noted = async (parts: Partial<RequestLog> = {}) => {
      const log = request(parts);
      await ledger.log(log);
      return log;
    };
    const chargeOf = (log: RequestLog, number: number, parts: Partial<Charge> = {}): Charge => ({
      id: `${log.id}.${number}`,
      organizationId: log.organizationId,
      projectId: log.projectId,
      keyId: log.keyId,
      environment: log.environment,
      plan: "prepaid",
      requestId: log.id,
      endpoint: log.endpoint,
      model: log.model!,
      unit: "character",
      quantity: 10,
      priceMicros: 1_000_000,
      costMicros: 10,
      createdAt: log.createdAt,
      ...parts,
    });
    const usage = (parts: Partial<UsageQuery> = {}) =>
      ledger.usage({
        organizationId: "org",
        start: now() - 30 * DAY,
        end: now() + 1,
        bucket: "day",
        groupBy: [],
        filters: {},
        ...parts,
      });
    const page = async (parts: Partial<RequestQuery> = {}) =>
      (await ledger.requestPage({ ...everything, ...parts })).map(({ id }) => id);
    const nothing = {
      ...{ requests: 0, errors: 0, succeeded: 0, characters: 0, audioSeconds: 0, tokens: 0 },
      ...{ costMicros: 0, unmeteredMicros: 0 },
    };

    test("free requests are logged once each, newest first", async () => {
      const first = request();
      clock.pass(1000);
      const logs = [first, request({ status: 429, model: null, errorCode: "rate_limit_exceeded" })];
      await Promise.all([...logs, first].map((log) => ledger.log(log)));
      await ledger.log(first);
      expect(await ledger.requests("org", 10)).toEqual(logs.toReversed());
      expect(await usage()).toMatchObject([{ ...nothing, requests: 2, errors: 1, succeeded: 1, groups: {} }]);
      expect(await ledger.totals("org")).toMatchObject({ requests: 1, costMicros: 0 });
    });

    test("a request that is logged repeatedly counts once, with its last values", async () => {
      const begun = request({ status: 101, model: null });
      const later = { ...begun, model: "svc-stt1", durationMs: 900 };
      await Promise.all([ledger.log(begun), ledger.log(later)]);
      await ledger.log({ ...later, status: 500, errorCode: "internal_error" });
      await ledger.log({ ...later, status: 500, errorCode: "internal_error" });
      expect(await usage({ groupBy: ["model"] })).toEqual([
        { ...nothing, start: now() - (now() % DAY), groups: { model: "svc-stt1" }, requests: 1, errors: 1 },
      ]);
      await ledger.log({ ...later, status: 499 });
      expect(await usage()).toMatchObject([{ requests: 1, errors: 0, succeeded: 0 }]);
    });

    test("charges are added up by unit, each once", async () => {
      const log = await noted();
      const charges = [
        chargeOf(log, 0, { quantity: 2, costMicros: 30 }),
        chargeOf(log, 1, { unit: "second", quantity: 3.4375 }),
        chargeOf(log, 2, { unit: "second", quantity: 1.25 }),
        chargeOf(log, 3, { unit: "input_token", quantity: 700 }),
        chargeOf(log, 4, { unit: "output_token", quantity: 20 }),
      ];
      await Promise.all([...charges, charges[0]!].map((charge) => ledger.charge(charge, log)));
      const sums = { requests: 1, characters: 2, audioSeconds: 4.6875, tokens: 720, costMicros: 70 };
      expect(await ledger.totals("org")).toEqual(sums);
      expect(await usage()).toMatchObject([sums]);
      expect((await ledger.totals("other")).costMicros).toBe(0);
    });

    test("usage is grouped by hour and day, filtered; a bucket that overlaps the range counts whole", async () => {
      await noted();
      await noted({ keyId: "other", environment: "test" });
      clock.pass(HOUR_MS);
      await noted({ endpoint: "/v1/realtime" });
      clock.pass(24 * HOUR_MS);
      const last = await noted({ model: null });
      const hour = last.createdAt - (last.createdAt % 3600);
      const day = last.createdAt - (last.createdAt % DAY);
      const counts = async (parts: Partial<UsageQuery>) =>
        (await usage(parts)).map(({ start, groups, requests }) => [start, groups, requests]);
      expect(await counts({})).toEqual([
        [day - DAY, {}, 3],
        [day, {}, 1],
      ]);
      expect(await counts({ bucket: "hour", groupBy: ["key", "endpoint"] })).toEqual([
        [hour - 25 * 3600, { key: "key", endpoint: "/v1/audio/speech" }, 1],
        [hour - 25 * 3600, { key: "other", endpoint: "/v1/audio/speech" }, 1],
        [hour - 24 * 3600, { key: "key", endpoint: "/v1/realtime" }, 1],
        [hour, { key: "key", endpoint: "/v1/audio/speech" }, 1],
      ]);
      expect(await counts({ filters: { environment: "test" }, groupBy: ["project"] })).toEqual([
        [day - DAY, { project: "proj" }, 1],
      ]);
      expect(await counts({ filters: { model: "" } })).toEqual([[day, {}, 1]]);
      expect(await counts({ start: now(), end: now() + 1, bucket: "hour" })).toEqual([[hour, {}, 1]]);
      expect(await counts({ end: day })).toEqual([[day - DAY, {}, 3]]);
    });

    test("every filter finds the rows that a full scan finds, page by page", async () => {
      const logs: RequestLog[] = [];
      for (let index = 0; index < 120; index++) {
        clock.pass(index % 7 === 0 ? 5 * HOUR_MS : index % 3 === 0 ? 40 * 60_000 : 900);
        const status = index % 11 === 0 ? 429 : index % 13 === 0 ? 503 : index % 17 === 0 ? 101 : 200;
        logs.push(
          request({
            keyId: `key_${index % 4}`,
            projectId: index === 50 ? "proj_rare" : "proj",
            environment: index % 5 === 0 ? "test" : "live",
            model: status === 429 ? null : `model_${index % 3}`,
            endpoint: status === 101 ? "/v1/realtime" : "/v1/audio/speech",
            status,
            errorCode: status === 429 ? "rate_limit_exceeded" : status === 503 ? "engine_busy" : null,
            createdAt: now() + (index % 2), // opened a moment after its id was made
          }),
        );
      }
      await Promise.all(logs.map((log) => ledger.log(log)));
      await noted({ organizationId: "other" });
      const middle = logs[60]!;
      const questions: [Partial<RequestQuery>, (log: RequestLog) => boolean][] = [
        [{}, () => true],
        [{ start: middle.createdAt }, ({ createdAt }) => createdAt >= middle.createdAt],
        [{ end: middle.createdAt }, ({ createdAt }) => createdAt < middle.createdAt],
        [{ filters: { key: "key_1" } }, ({ keyId }) => keyId === "key_1"],
        [{ filters: { project: "proj_rare" } }, ({ projectId }) => projectId === "proj_rare"],
        [{ filters: { model: "" } }, ({ model }) => model === null],
        [
          { filters: { environment: "test" }, status: "429" },
          (log) => log.environment === "test" && log.status === 429,
        ],
        [
          { filters: { endpoint: "/v1/realtime" }, start: middle.createdAt },
          (log) => log.status === 101 && log.createdAt >= middle.createdAt,
        ],
        [
          { filters: { key: "key_0" }, end: middle.createdAt },
          (log) => log.keyId === "key_0" && log.createdAt < middle.createdAt,
        ],
        [{ status: "200" }, ({ status }) => status === 200],
        [
          { status: "2xx", filters: { model: "model_1" } },
          (log) => log.status === 200 && log.model === "model_1",
        ],
        [{ status: "5xx", filters: { key: "key_2" } }, (log) => log.status === 503 && log.keyId === "key_2"],
        [{ status: "302" }, () => false],
        [{ errorCode: "engine_busy" }, ({ status }) => status === 503],
        [{ errorCode: "engine_busy", status: "4xx" }, () => false],
        [{ idPrefix: middle.id.slice(0, 9) }, ({ id }) => id.startsWith(middle.id.slice(0, 9))],
        [{ idPrefix: middle.id, filters: { key: "key_0" } }, ({ id }) => id === middle.id],
      ];
      const isOrdered = logs.toSorted((a, b) => (a.id < b.id ? 1 : -1));
      for (const [asked, matches] of questions) {
        const expected = isOrdered.filter(matches).map(({ id }) => id);
        const ids: string[] = [];
        for (let before: string | null = null; ; before = ids.at(-1)!) {
          const next = await page({ ...asked, before, limit: 7 });
          ids.push(...next);
          if (next.length < 7) break;
        }
        expect([asked, ids]).toEqual([asked, expected]);
      }
    });

    test("a row between two adjacent hours is found once", async () => {
      clock.pass(HOUR_MS - (clock.now() % HOUR_MS) - 30_000);
      const failed = await noted({ status: 503 });
      clock.pass(60_000);
      await Promise.all([noted(), noted(), noted()]);
      expect(await page({ filters: { key: "key" }, status: "503", limit: 2 })).toEqual([failed.id]);
    });

    test("a request shows which grants paid, for all of its charges", async () => {
      for (const id of ["first", "second"]) {
        const expiresAt = now() + DAY;
        const grant = { id, organizationId: "org", kind: "adjustment", amountMicros: 15 } as const;
        await ledger.grant({ ...grant, createdAt: now(), expiresAt, topUpId: null });
      }
      const [paid, free] = [await noted(), await noted()];
      for (let number = 0; number < 4; number++) await ledger.charge(chargeOf(paid, number), paid);
      const payment = {
        plan: "prepaid",
        quantity: 40,
        unit: "character",
        priceMicros: 1_000_000,
        parts: [
          { model: "svc-tts1", unit: "character", priceMicros: 1_000_000, quantity: 40, costMicros: 40 },
        ],
        overdraftMicros: 10,
        burns: [
          ["first", 15],
          ["second", 15],
        ],
      };
      const nothing = { plan: null, quantity: 0, unit: null, priceMicros: null };
      const none = { ...nothing, parts: [], overdraftMicros: 0, burns: [] };
      const rows = await ledger.requestPage(everything);
      expect(rows.find(({ id }) => id === paid.id)).toEqual({ ...paid, costMicros: 40, payment } as never);
      expect(rows.find(({ id }) => id === free.id)).toEqual({ ...free, payment: none } as never);
      expect(await ledger.request("org", paid.id)).toEqual({ ...paid, costMicros: 40, payment } as never);
      expect(await ledger.request("other", paid.id)).toBeNull();
      await ledger.charge(chargeOf(free, 0, { priceMicros: 5 }), free);
      await ledger.charge(chargeOf(free, 1, { priceMicros: 6 }), free);
      expect((await ledger.request("org", free.id))!.payment.priceMicros).toBeNull();
    });

    test("latencies are those of the organization's requests that had a first byte, in the range and the filters", async () => {
      const [start, whose] = [now(), { firstByteMs: 120, endpoint: "/v1/audio/speech" }];
      for (const fields of [{ firstByteMs: 80 }, { firstByteMs: null }, { organizationId: "other" }])
        await noted({ ...whose, ...fields });
      clock.pass(5000);
      await noted({ ...whose, firstByteMs: 200 });
      const of = { filters: { endpoint: whose.endpoint }, measure: "first_output" as const };
      const waits = (end: number) => ledger.latencies({ organizationId: "org", start, end, ...of });
      expect((await waits(now() + 1)).map(({ waitMs }) => waitMs).sort()).toEqual([200, 80]);
      expect(await waits(start + 1)).toMatchObject([{ createdAt: start, waitMs: 80, model: "svc-tts1" }]);
    });

    test("recent errors are server errors of all organizations", async () => {
      const failed: string[] = [];
      for (const organizationId of ["org", "other", "third"]) {
        clock.pass(1000);
        failed.unshift((await noted({ organizationId, status: 500, errorCode: "internal_error" })).id);
        await noted({ organizationId, status: 404 });
      }
      expect((await ledger.recentErrors(10)).map(({ id }) => id)).toEqual(failed);
      expect((await ledger.recentErrors(2)).map(({ id }) => id)).toEqual(failed.slice(0, 2));
    });

    test("old requests of all organizations are deleted, and the sums stay", async () => {
      const logs = Array.from({ length: 600 }, () => request());
      await Promise.all([...logs, request({ organizationId: "other" })].map((log) => ledger.log(log)));
      clock.pass(95 * DAY * 1000);
      const kept = await noted();
      await ledger.forgetRequests(() => kept.createdAt);
      expect(await page()).toEqual([kept.id]);
      expect(await page({ organizationId: "other" })).toEqual([]);
      expect((await ledger.totals("org")).requests).toBe(601);
      expect(await page({ filters: { key: "key" } })).toEqual([kept.id]);
    });
  });
}
