/** Promise: what an organization can owe when its credit ends is bounded by its slots. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { openSqliteStore, openSqliteWriter } from "../../src/ledger/sqlite.ts";
import { limitsOf, machineLimits } from "../../src/plans.ts";
import { openActivity } from "../../src/usage/activity.ts";
import { openMeter } from "../../src/usage/meter.ts";
import { heldClock } from "../harness.ts";

const clock = heldClock();
const folder = mkdtempSync(join(tmpdir(), "loquat-credit-"));
const database = openSqlite(folder);
const write = openSqliteWriter(database.sqlite);
const ledger = openLedger(
  openSqliteStore(database, async (writes) => write(writes).outcomes),
  clock,
);
afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test("a request that gets the slot of one that used up the credit is refused", async () => {
  const organizationId = "org_small";
  await ledger.grant({
    ...{ id: "grant_small", organizationId, kind: "adjustment", amountMicros: 100 },
    ...{ createdAt: 0, expiresAt: null, topUpId: null },
  });
  let whileDeciding = async () => {};
  const nothing = () => {};
  const meter = openMeter({
    ...{ clock, ledger, charged: nothing, requireSpace: nothing, machine: machineLimits(readConfig({})) },
    log: { info: nothing, warn: nothing, error: nothing },
    metrics: { count: nothing, add: nothing, record: nothing },
    activity: openActivity(clock),
    remedies: { credit: () => "", spending: () => "", limits: () => "" },
    limits: {
      async decide() {
        await whileDeciding();
        return { refused: null, levels: [] };
      },
      release: async () => {},
      renew: async () => {},
    },
  } as never);
  const open = (id: string) => {
    const principal = {
      organizationId,
      projectId: "proj",
      keyId: "key",
      environment: "live",
      plan: "prepaid",
      caps: [],
      priceFactor: 10_000,
      redaction: null,
      endUserHeader: null,
    };
    const request = { id, principal, endpoint: "/v1/audio/speech", method: "POST", bucket: "characters" };
    return meter.open({ ...request, ip: null, userAgent: null } as never);
  };
  const first = open("req_1");
  await first.admit();
  whileDeciding = async () => {
    await first.post({ model: "svc-tts1", priceMicros: 15_000_000, quantity: 8000 });
    first.end(200, null);
  };
  const second = open("req_2");
  await expect(second.admit()).rejects.toMatchObject({ code: "insufficient_credits" });
  second.end(402, "insufficient_credits");
  expect((await ledger.credit(organizationId)).overdraftMicros).toBe(8000 * 15 - 100);
  await meter[Symbol.asyncDispose]();
});

test("a new organization has two slots", () => {
  const fresh = { plan: "prepaid", limitOverrides: null } as const;
  expect(limitsOf(fresh, 0, machineLimits(readConfig({ LOQUAT_THREADS: "64" }))).concurrentRequests).toBe(2);
});
