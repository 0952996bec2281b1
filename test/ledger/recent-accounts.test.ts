/** Promise: what a batch wrote answers reads as the database would, for a while and no longer. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Principal } from "../../src/accounts/principal.ts";
import { openPostgres } from "../../src/db/open-postgres.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { openAccountsRead, openLedgerReads } from "../../src/db/queries/ledger-reads.ts";
import { bookAll } from "../../src/ledger/booking/batch.ts";
import { type BudgetPeriod, type NewGrant, newAccount } from "../../src/ledger/booking/burn-down.ts";
import type { Loaded } from "../../src/ledger/booking/changes.ts";
import type { Write } from "../../src/ledger/booking/write.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { openPostgresStore } from "../../src/ledger/postgres.ts";
import { applyOnThread, openSqliteStore, openSqliteWriter } from "../../src/ledger/sqlite.ts";
import type { Store } from "../../src/ledger/store.ts";
import { leftAfter, OWN_MS, openRecentAccounts, type RecentAccounts } from "../../src/ledger/write-queue.ts";
import { checkCredit, isCertain } from "../../src/usage/admission.ts";
import { chargeOf } from "../contract/ledger/charges.ts";
import { openPostgres as openServer } from "../faults/server-fixture.ts";

const server = await openServer();
afterAll(() => server?.[Symbol.asyncDispose]());

const START = Date.UTC(2026, 0, 2) / 1000;
const grantOf = ({
  id,
  ...options
}: Pick<NewGrant, "id" | "amountMicros" | "expiresAt"> & Partial<NewGrant>) =>
  ({
    id,
    organizationId: "org",
    kind: "adjustment",
    createdAt: START,
    topUpId: null,
    ...options,
  }) satisfies NewGrant;

/** As threads take batches and answer them, in place. */
const threadsOf = (write: ReturnType<typeof openSqliteWriter>) => ({
  write: async (batch: string) => JSON.stringify(write(JSON.parse(batch))),
  checkpoint: async () => {},
});

const NO_REMEDIES = { credit: () => "", spending: () => "", limits: () => "" };

const NOTHING: Loaded = {
  accounts: [],
  months: [],
  grants: [],
  events: [],
  reversals: [],
  logs: [],
  replayables: [],
  alerts: [],
};

/** What a batch of these writes leaves of organizations without a history. */
const leftOf = (...writes: Write[]) => leftAfter(NOTHING, bookAll({ ...NOTHING }, writes).changes, []);

describe("an account that was just written", () => {
  test("has its balance at the time of the read", () => {
    const recent = openRecentAccounts(20, () => 0);
    const grants = [
      grantOf({ id: "a", amountMicros: 70, expiresAt: START + 60 }),
      grantOf({ id: "b", amountMicros: 30, expiresAt: null }),
    ];
    recent.remember(leftOf(...grants.map((grant) => ({ grant }))));
    expect(recent.account("org", START)?.balanceMicros).toBe(100);
    expect(recent.account("org", START + 60)?.balanceMicros).toBe(30);
    expect(recent.account("other", START)).toBeNull();
  });

  test("is as the last batch left it", () => {
    const recent = openRecentAccounts(20, () => 0);
    const grant = { grant: grantOf({ id: "a", amountMicros: 70, expiresAt: null }) };
    recent.remember(leftOf(grant));
    recent.remember(leftOf(grant, { charge: chargeOf({ costMicros: 90 }) }));
    expect(recent.account("org", START)).toMatchObject({ balanceMicros: 0, overdraftMicros: 20 });
  });

  test("is read from the store after some milliseconds, and after a batch that failed", () => {
    let nowMs = 0;
    const recent = openRecentAccounts(20, () => nowMs);
    const left = [{ account: newAccount("org"), grants: [], budgets: [] }];
    recent.remember(left);
    nowMs = 19.9;
    expect(recent.account("org", START)).not.toBeNull();
    nowMs = 20;
    expect(recent.account("org", START)).toBeNull();
    recent.remember(left);
    recent.forget(["org"]);
    expect(recent.account("org", START)).toBeNull();
  });

  test("has the budgets that were added to for as long, and no others", () => {
    let nowMs = 0;
    const recent = openRecentAccounts(20, () => nowMs);
    const of = (subject: string) => ({ organizationId: "org", subject, start: 0, micros: 5 });
    recent.remember([{ account: newAccount("org"), grants: [], budgets: [of("one")] }]);
    nowMs = 10;
    recent.remember([{ account: newAccount("org"), grants: [], budgets: [of("two")] }]);
    expect(
      recent.account("org", START, [
        ["two", 0],
        ["one", 0],
      ])?.budgetMicros,
    ).toEqual([5, 5]);
    expect(recent.account("org", START, [["two", 1]])).toBeNull();
    nowMs = 20;
    expect(recent.account("org", START, [["two", 0]])?.budgetMicros).toEqual([5]);
    expect(recent.account("org", START, [["one", 0]])).toBeNull();
  });
});

const PERIODS: BudgetPeriod[] = [
  ["key", START],
  ["proj", 0],
];

const organization = fc.constantFrom("a", "b", "c");
const micros = fc.integer({ min: 0, max: 100 });
const step = fc.oneof(
  fc.tuple(organization, micros, fc.constantFrom(null, 0, 50, 5000)).map(([owner, amount, expires]) => ({
    give: { owner, amount: amount + 1, expires },
  })),
  fc.tuple(organization, micros, fc.nat(40)).map(([owner, cost, days]) => ({ spend: { owner, cost, days } })),
  fc.record({ undo: fc.nat(20) }),
  fc.tuple(organization, micros).map(([owner, amount]) => ({ limit: { owner, amount } })),
);

/** A store that remembers what its batches leave, and reads of the database behind it. */
type Remembering = { store: Store; read: Store["account"] };

async function expectSameAccounts(open: (recent: RecentAccounts) => Remembering): Promise<void> {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
      async (batches) => {
        run++;
        const recent = openRecentAccounts(20, () => 0);
        const { store, read } = open(recent);
        const charges: ReturnType<typeof chargeOf>[] = [];
        let grants = 0;
        const write = (one: typeof step extends fc.Arbitrary<infer T> ? T : never): Write => {
          if ("give" in one) {
            const { owner, amount, expires } = one.give;
            const expiresAt = expires === null ? null : START + expires;
            const id = `${run} ${++grants}`;
            return {
              grant: grantOf({ id, organizationId: `${owner}${run}`, amountMicros: amount, expiresAt }),
            };
          }
          if ("limit" in one)
            return { limit: { organizationId: `${one.limit.owner}${run}`, micros: one.limit.amount } };
          const undone = "undo" in one ? charges[one.undo % Math.max(1, charges.length)] : null;
          if (undone) return { void: undone };
          const { owner, cost, days } = "spend" in one ? one.spend : { owner: "a", cost: 1, days: 0 };
          const createdAt = START + days * 86_400;
          const budgets = PERIODS.slice(cost % 3); // of both, of one or of none
          const charge = chargeOf({ organizationId: `${owner}${run}`, costMicros: cost, createdAt, budgets });
          charges.push(charge);
          return { charge };
        };
        for (const batch of batches) {
          await store.apply(batch.map(write));
          for (const owner of ["a", "b", "c"])
            for (const now of [START, START + 50, START + 6000]) {
              const known = recent.account(`${owner}${run}`, now, PERIODS);
              const stored = await read(`${owner}${run}`, now, PERIODS);
              if (known) expect(known).toEqual(stored!);
              expect(await store.account(`${owner}${run}`, now, PERIODS)).toEqual(stored);
            }
        }
        if (batches.length > 0)
          expect(["a", "b", "c"].some((owner) => recent.account(`${owner}${run}`, START))).toBe(true);
      },
    ),
    { numRuns: 25 },
  );
}

describe("whatever is written, it is what the database has", () => {
  test.skipIf(!server)(`in PostgreSQL${server ? "" : " (skipped: no PostgreSQL)"}`, async () => {
    await using node = await openPostgres(server!.url);
    const read = openAccountsRead(node);
    await expectSameAccounts((recent) => ({
      store: openPostgresStore(node, async () => {}, recent),
      read: async (id, now, asked = []) => {
        const periods = asked.map(([subject, start]): [string, string, number] => [id, subject, start]);
        const { accounts, budgets } = await read({ organizationIds: [id], periods }, now);
        const budgetMicros = periods.map((period) => budgets.get(period.join(" ")) ?? 0);
        return accounts[0] ? { ...accounts[0], budgetMicros } : null;
      },
    }));
  });

  test("in SQLite, as its thread tells", async () => {
    const folder = mkdtempSync(join(tmpdir(), "loquat-recent-"));
    await using database = openSqlite(folder);
    const threads = threadsOf(openSqliteWriter(database.sqlite));
    await expectSameAccounts((recent) => ({
      store: openSqliteStore(database, applyOnThread(threads, recent), recent),
      read: openLedgerReads(database).account,
    }));
    rmSync(folder, { recursive: true });
  });

  test("a batch that failed is forgotten", async () => {
    const recent = openRecentAccounts(20, () => 0);
    recent.remember([{ account: newAccount("org"), grants: [], budgets: [] }]);
    const threads = { write: () => Promise.reject(new Error("gone")), checkpoint: async () => {} };
    await expect(applyOnThread(threads, recent)([{ charge: chargeOf() }])).rejects.toThrow("gone");
    expect(recent.account("org", START)).toBeNull();
  });
});

test("a request near the end of its credit is admitted by what another process has written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-recent-"));
  await using database = openSqlite(folder);
  const writer = openSqliteWriter(database.sqlite);
  const recent = openRecentAccounts(OWN_MS);
  const clock = { now: () => START * 1000 };
  await using ledger = openLedger(
    openSqliteStore(database, applyOnThread(threadsOf(writer), recent), recent),
    clock,
  );
  await ledger.grant(grantOf({ id: "a", amountMicros: 50, expiresAt: null }));
  await ledger.charge(chargeOf({ costMicros: 50, createdAt: START }));
  const command = { grant: grantOf({ id: "b", amountMicros: 70, expiresAt: null }) };
  writer([command]);
  expect(ledger.recentCredit("org")?.balanceMicros).toBe(0);
  expect((await ledger.credit("org")).balanceMicros).toBe(70);
  const read = ledger.recentCredit("org")!;
  const principal = { plan: "prepaid", organizationId: "org", caps: [] } as unknown as Principal;
  const deps = { ledger, clock, remedies: NO_REMEDIES };
  expect(isCertain(read, principal, START)).toBe(false);
  await checkCredit(principal, deps); // throws where it has none
  rmSync(folder, { recursive: true });
});
