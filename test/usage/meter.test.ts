/** Promise: undelivered work is not charged, also when the ledger's response is lost; delivered work is charged. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import type { Write } from "../../src/ledger/booking/write.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { openSqliteStore, openSqliteWriter } from "../../src/ledger/sqlite.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { openActivity } from "../../src/usage/activity.ts";
import { StreamBilling } from "../../src/usage/live-billing.ts";
import { type Meter, openMeter } from "../../src/usage/meter.ts";
import type { Work } from "../../src/usage/work.ts";
import { heldClock } from "../harness.ts";
import { until } from "../until.ts";

const PRICE = { model: "svc-stt1", priceMicros: 1_000_000 };
const clock = heldClock();
const folder = mkdtempSync(join(tmpdir(), "loquat-meter-"));
const database = openSqlite(folder);
const write = openSqliteWriter(database.sqlite);
/** What becomes of the answers to batches with charges. */
let answers: "kept" | "lost" | "refused" = "kept";
let ledger: Ledger;
let meter: Meter;
let sequence = 0;

beforeEach(async () => {
  answers = "kept";
  const apply = async (writes: Write[]) => {
    const isMoney = writes.some((one) => "charge" in one);
    if (answers === "refused" && isMoney) throw new Error("the store is gone");
    const { outcomes } = write(writes);
    if (answers === "lost" && isMoney) throw new Error("the answer was lost");
    return outcomes;
  };
  ledger = openLedger(openSqliteStore(database, apply), clock);
  const nothing = () => {};
  const log = { info: nothing, warn: nothing, error: nothing };
  const parts = {
    clock,
    log,
    metrics: { count: nothing, add: nothing, record: nothing },
    activity: openActivity(clock),
  };
  meter = openMeter({ ...parts, ledger, limits: {}, charged: nothing, requireSpace: nothing } as never);
});
afterEach(async () => {
  await meter[Symbol.asyncDispose]();
  await ledger[Symbol.asyncDispose]();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function open(
  bucket: "characters" | "seconds",
  priceFactor = 10_000,
): { work: Work; organizationId: string } {
  const organizationId = `org_${++sequence}`;
  const principal = {
    organizationId,
    projectId: "proj",
    keyId: "key",
    environment: "live",
    plan: "prepaid",
    caps: [],
    priceFactor,
    redaction: null,
    endUserHeader: null,
  };
  const visit = { id: `req_${sequence}`, principal, endpoint: "/v1/audio/speech", method: "POST", bucket };
  return { work: meter.open({ ...visit, ip: null, userAgent: null } as never), organizationId };
}

const used = async (organizationId: string) => {
  const { overdraftMicros } = await ledger.credit(organizationId);
  return { overdraftMicros, ...(await ledger.totals(organizationId)) };
};

/** What is patient is written with the next batch, or in a moment. */
async function settled(): Promise<void> {
  await ledger.setMonthlyLimit("org_other", null);
  expect(differencesOf(await ledger.audit())).toEqual([]);
}

test.each(["lost", "refused"] as const)(
  "a charge with a response that is %s charges nothing",
  async (fate) => {
    const { work, organizationId } = open("characters");
    answers = fate;
    await expect(work.post({ ...PRICE, quantity: 5 })).rejects.toMatchObject({ code: "service_unavailable" });
    work.end(503, "service_unavailable");
    answers = "kept";
    await settled();
    expect(await used(organizationId)).toMatchObject({ overdraftMicros: 0, costMicros: 0, characters: 0 });
    expect(await ledger.request(organizationId, `req_${sequence}`)).toMatchObject({
      status: 503,
      costMicros: 0,
    });
  },
);

test("each charge pays for the difference, and a failed one for nothing", async () => {
  const { work, organizationId } = open("seconds");
  await work.post({ ...PRICE, quantity: 5 });
  answers = "lost";
  await expect(work.post({ ...PRICE, quantity: 7 })).rejects.toThrow();
  answers = "kept";
  await work.post({ ...PRICE, quantity: 11 });
  await settled();
  expect(await used(organizationId)).toMatchObject({ overdraftMicros: 11, audioSeconds: 11, requests: 1 });
});

test.each([
  [5000, 3, 3],
  [0, 0, 0],
  [12_345, 8, 7], // 6 and 5 units at 1.2345 micros
])("a price factor of %d ten-thousandths holds for charges and refunds", async (factor, charged, left) => {
  const { work, organizationId } = open("characters", factor);
  await work.post({ ...PRICE, quantity: 4 });
  await work.post({ ...PRICE, quantity: 6 });
  expect((await used(organizationId)).costMicros).toBe(charged);
  work.refund({ ...PRICE, quantity: 5 });
  work.end(502, "stream_interrupted");
  await settled();
  expect(await used(organizationId)).toMatchObject({ costMicros: left, characters: 5 });
});

test("what is delivered of the last charge stays charged, and the rest is returned once", async () => {
  const { work, organizationId } = open("characters");
  await work.post({ ...PRICE, quantity: 50 });
  await work.post({ ...PRICE, quantity: 80 });
  work.refund({ ...PRICE, quantity: 60 });
  work.refund({ ...PRICE, quantity: 0 });
  work.end(502, "stream_interrupted");
  await settled();
  expect(await used(organizationId)).toMatchObject({ overdraftMicros: 60, costMicros: 60, characters: 60 });
  expect(await ledger.request(organizationId, `req_${sequence}`)).toMatchObject({
    status: 502,
    costMicros: 60,
  });
});

test("no more is returned than the last charge took", async () => {
  const { work, organizationId } = open("characters");
  await work.post({ ...PRICE, quantity: 50 });
  await work.post({ ...PRICE, quantity: 80 });
  work.refund({ ...PRICE, quantity: 10 });
  await settled();
  expect(await used(organizationId)).toMatchObject({ overdraftMicros: 50, characters: 50 });
});

test("a price that falls during a session returns nothing", async () => {
  const { work, organizationId } = open("seconds");
  await work.post({ ...PRICE, quantity: 10 });
  await work.post({ ...PRICE, priceMicros: 100_000, quantity: 12 });
  await settled();
  expect(await used(organizationId)).toMatchObject({ overdraftMicros: 10, audioSeconds: 12 });
});

test.each(["lost", "refused"] as const)(
  "the end of a live session is charged once when the response is %s",
  async (fate) => {
    const { work, organizationId } = open("seconds");
    const streamBilling = new StreamBilling(work, PRICE);
    answers = fate;
    let refused: unknown = null;
    streamBilling.charge(6, (reason) => {
      refused = reason;
    });
    await until(() => refused !== null);
    const finished = streamBilling.finish(9.5);
    await ledger.credit(organizationId);
    setTimeout(() => {
      answers = "kept";
    });
    await finished;
    work.end(101);
    await settled();
    expect(await used(organizationId)).toMatchObject({ overdraftMicros: 10, audioSeconds: 9.5, requests: 1 });
  },
);

test("a request is in the log and in the sums as soon as it is charged", async () => {
  const { work, organizationId } = open("characters");
  work.note({ model: "svc-tts1", characters: 5 });
  await work.post({ ...PRICE, quantity: 5 });
  expect(await used(organizationId)).toMatchObject({ requests: 1, costMicros: 5 });
  expect(await ledger.requests(organizationId, 9)).toMatchObject([
    { model: "svc-tts1", characters: 5, status: 200, costMicros: 5 },
  ]);
});
