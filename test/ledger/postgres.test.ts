/** Promise: the PostgreSQL ledger keeps the contract, with several nodes on one database. */
import { afterAll, expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/node-postgres";
import { openPostgres, type PostgresDatabase } from "../../src/db/open-postgres.ts";
import * as tables from "../../src/db/postgres/tables.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { openPostgresStore } from "../../src/ledger/postgres.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { type AuditedFixture, ledgerAuditContract } from "../contract/ledger/audited.ts";
import { ledgerBudgetsContract } from "../contract/ledger/budgets.ts";
import { chargedUnitsContract } from "../contract/ledger/charged-units.ts";
import { chargeOf, requestFor } from "../contract/ledger/charges.ts";
import { ledgerCorrectionsContract } from "../contract/ledger/corrections.ts";
import { countedUsageContract } from "../contract/ledger/counted-usage.ts";
import { endUsersContract } from "../contract/ledger/end-users.ts";
import { ledgerContract } from "../contract/ledger/ledger.ts";
import { ledgerLimitUseContract } from "../contract/ledger/limit-use.ts";
import { ledgerLoadContract } from "../contract/ledger/load.ts";
import { ledgerProperty } from "../contract/ledger/model.ts";
import { ledgerOddsContract } from "../contract/ledger/odds.ts";
import { ledgerPlansContract } from "../contract/ledger/plans.ts";
import { ledgerReadsContract } from "../contract/ledger/reads.ts";
import { ledgerRefundsContract } from "../contract/ledger/refunds.ts";
import { ledgerReplaysContract } from "../contract/ledger/replays.ts";
import { requestLogsContract } from "../contract/ledger/request-logs.ts";
import { ledgerStatementsContract } from "../contract/ledger/statements.ts";
import { ledgerVoidsContract } from "../contract/ledger/voids.ts";
import { openPostgres as openServer } from "../faults/server-fixture.ts";
import { heldClock } from "../harness.ts";
import { until } from "../until.ts";

const server = await openServer();
afterAll(() => server?.[Symbol.asyncDispose]());

/** One database for all, emptied between. */
async function prepare(): Promise<AuditedFixture> {
  await server!.empty();
  let node: PostgresDatabase;
  return {
    async open() {
      const opened = await openPostgres(server!.url);
      node = opened;
      return {
        ...openPostgresStore(opened),
        [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
      };
    },
    auditEvents: async () =>
      node.query.select().from(node.tables.auditEvent).orderBy(node.tables.auditEvent.id),
    async [Symbol.asyncDispose]() {},
  };
}

test.each(["EPIPE", "ECONNRESET", "57P01", undefined])(
  "a connection that ends with %s is an error of the store",
  async (code) => {
    const broken = Object.assign(new Error("write failed"), { code });
    const store = openPostgresStore({
      query: drizzle.mock(),
      tables,
      connected: async () => {
        throw broken;
      },
    } as never);
    const limit = { organizationId: "org", micros: null };
    await expect(store.apply([{ limit }])).rejects.toBe(broken);
  },
);

/** A node that stops before it saves, once, until it is let go. */
async function openHeldNode(hold: () => Promise<void>) {
  const node = await openPostgres(server!.url);
  let held: Promise<void> | null = null;
  const connected: PostgresDatabase["connected"] = (work) =>
    node.connected((ask) =>
      work(async (statement) => {
        if (statement.name === "ledger_save") held ??= hold();
        await held; // what comes after it, too
        return ask(statement);
      }),
    );
  const store = openPostgresStore({ ...node, connected });
  return { ...store, [Symbol.asyncDispose]: () => node[Symbol.asyncDispose]() };
}

const waitsForLock = async () => {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  return (await server!.query(waiting)).length > 0;
};

test.skipIf(!server)("sums go on where a node of an older version wrote none of tokens", async () => {
  await using fixture = await prepare();
  await using ledger = openLedger(await fixture.open(), heldClock());
  const charge = async (quantity: number) => {
    const one = {
      ...chargeOf({ organizationId: "old", costMicros: 1 }),
      unit: "input_token" as const,
      quantity,
    };
    await ledger.charge(one, requestFor(one));
  };
  await charge(5);
  await server!.query("update usage_total set tokens = null");
  expect(await ledger.totals("old")).toMatchObject({ tokens: 0 });
  await charge(7);
  expect(await ledger.totals("old")).toMatchObject({ requests: 2, tokens: 7 });
});

/**
 *   a locks Y, which another transaction holds; meanwhile b opens the account of X; a loads X, which it found no account to lock of
 *   c charges X before a saves: it must wait for a, or a must have started over
 */
test.skipIf(!server)(
  "an account that another node creates between lock and load is locked as well",
  async () => {
    const fixture = await prepare();
    const clock = heldClock();
    const write = (organizationId: string, costMicros: number) => {
      const charge = chargeOf({ organizationId, costMicros });
      return { charge, request: requestFor(charge) };
    };
    const spend = (on: Ledger, { charge, request }: ReturnType<typeof write>) => on.charge(charge, request);
    await using b = openLedger(await fixture.open(), clock);
    await using c = openLedger(await fixture.open(), clock);
    let last: Promise<unknown> = Promise.resolve();
    await using a = await openHeldNode(async () => {
      let done = false;
      last = spend(c, write("X", 1000)).then(() => {
        done = true;
      });
      await until(async () => done || (await waitsForLock()));
    });
    await spend(b, write("Y", 1));
    const holder = await openPostgres(server!.url);
    let batch: Promise<unknown> = Promise.resolve();
    await holder.connected(async (ask) => {
      await ask({ text: "begin" });
      await ask({ text: "select from credit_account where organization_id = 'Y' for update" });
      batch = a.apply([write("X", 1), write("Y", 1)]);
      await until(waitsForLock);
      await spend(b, write("X", 100));
      await ask({ text: "rollback" });
    });
    await batch;
    await last; // begun by the batch
    await holder[Symbol.asyncDispose]();
    expect(await b.credit("X")).toMatchObject({ overdraftMicros: 1101, monthMicros: 1101 });
    expect(differencesOf(await b.audit())).toEqual([]);
    await fixture[Symbol.asyncDispose]();
  },
);

test.skipIf(!server)(
  "a charge that was reported as failed is not booked when the database resumes",
  async () => {
    const fixture = await prepare();
    await using ledger = openLedger(await fixture.open(), heldClock());
    const charge = chargeOf({ organizationId: "Z", costMicros: 165 });
    await ledger.charge({ ...charge, id: "before" }, requestFor(charge));
    const holder = await openPostgres(server!.url);
    await holder.connected(async (ask) => {
      await ask({ text: "begin" });
      await ask({ text: "lock table usage_event in exclusive mode" });
      await expect(ledger.charge(charge, requestFor(charge))).rejects.toMatchObject({
        code: "service_unavailable",
      });
      await ask({ text: "rollback" });
    });
    await holder[Symbol.asyncDispose]();
    const isIdle = async () => {
      const busy =
        "select from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()";
      return (await server!.query(busy)).length === 0;
    };
    await until(isIdle); // what the server still had of it is done
    expect(await ledger.totals("Z")).toMatchObject({ requests: 1, costMicros: 165 });
    await ledger.cancel(charge);
    expect(await ledger.totals("Z")).toMatchObject({ requests: 1, costMicros: 165 });
    expect(differencesOf(await ledger.audit())).toEqual([]);
    await fixture[Symbol.asyncDispose]();
  },
);

test.skipIf(!server)("a charge that counts toward budgets makes as many statements as another", async () => {
  const fixture = await prepare();
  const node = await openPostgres(server!.url);
  let asked = 0;
  const connected: PostgresDatabase["connected"] = (work) =>
    node.connected((ask) =>
      work((statement) => {
        asked++;
        return ask(statement);
      }),
    );
  await using ledger = openLedger(openPostgresStore({ ...node, connected }), heldClock());
  const statementsOf = async (parts: Parameters<typeof chargeOf>[0]) => {
    const [charge, before] = [chargeOf(parts), asked];
    await ledger.charge(charge, requestFor(charge));
    return asked - before;
  };
  const budgets: [string, number][] = [
    ["key", 0],
    ["proj", 0],
  ];
  await statementsOf({}); // creates the account
  const plain = await statementsOf({ costMicros: 3 });
  expect(await statementsOf({ costMicros: 4, budgets })).toBe(plain);
  expect(await ledger.budgets([["org", ...budgets[0]!]])).toEqual([4]);
  await node[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

test.skipIf(!server)("the statements of a batch are planned once per connection", async () => {
  const fixture = await prepare();
  const node = await openPostgres(server!.url);
  await using ledger = openLedger(openPostgresStore(node), heldClock());
  for (let turn = 0; turn < 10; turn++) {
    const charge = chargeOf();
    await ledger.charge(charge, requestFor(charge));
  }
  const planned = await node.connected((ask) =>
    ask({
      text: "select name, custom_plans from pg_prepared_statements where name <> 'ledger_create' order by name",
    }),
  );
  expect(planned).toEqual(
    ["ledger_load", "ledger_lock", "ledger_save"].map((name) => ({ name, custom_plans: "0" })),
  );
  await node[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

if (server) {
  ledgerContract("postgres", prepare);
  ledgerOddsContract("postgres", prepare);
  ledgerReadsContract("postgres", prepare);
  ledgerLimitUseContract("postgres", prepare);
  ledgerLoadContract("postgres", prepare);
  endUsersContract("postgres", prepare);
  countedUsageContract("postgres", prepare);
  requestLogsContract("postgres", prepare);
  ledgerPlansContract("postgres", prepare);
  chargedUnitsContract("postgres", prepare);
  ledgerVoidsContract("postgres", prepare);
  ledgerCorrectionsContract("postgres", prepare);
  ledgerRefundsContract("postgres", prepare);
  ledgerBudgetsContract("postgres", prepare);
  ledgerAuditContract("postgres", prepare);
  ledgerReplaysContract("postgres", prepare);
  ledgerStatementsContract("postgres", prepare, 30);
  ledgerProperty("postgres", prepare, 60);
} else {
  test.skip("the ledger on PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
}
