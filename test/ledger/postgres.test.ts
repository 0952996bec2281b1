/** Promise: the PostgreSQL ledger keeps the contract, with several nodes on one database. */
import { afterAll, expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/node-postgres";
import { openPostgres, type PostgresDatabase } from "../../src/db/open-postgres.ts";
import * as tables from "../../src/db/postgres.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { openPostgresStore } from "../../src/ledger/postgres.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { chargeOf } from "../contract/charges.ts";
import { type Ground, ledgerContract } from "../contract/ledger.ts";
import { ledgerProperty } from "../contract/ledger-model.ts";
import { ledgerOddsContract } from "../contract/ledger-odds.ts";
import { ledgerReadsContract } from "../contract/ledger-reads.ts";
import { openPostgres as openServer } from "../faults/ground.ts";
import { heldClock } from "../harness.ts";

const server = await openServer("ledger");
afterAll(() => server?.[Symbol.asyncDispose]());

/** One database for all, emptied between. */
async function prepare(): Promise<Ground> {
  const owner = await openPostgres(server!.url);
  await owner.postgres.execute(
    "truncate credit_account, credit_grant, credit_reversal, usage_event, request_log, usage_total",
  );
  return {
    async open() {
      const node = await openPostgres(server!.url);
      return {
        ...openPostgresStore(node),
        [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
      };
    },
    [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose](),
  };
}

test.each(["EPIPE", "ECONNRESET", "57P01", undefined])(
  "a connection that ends with %s is the store's fault",
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

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await Bun.sleep(1);
};

/**
 *   a locks Y, which somebody holds; meanwhile b opens the account of X; a loads X, which it found no account to lock of
 *   c charges X before a saves: it must wait for a, or a must have started over
 */
test.skipIf(!server)(
  "an account that another node opens between lock and load is locked all the same",
  async () => {
    const ground = await prepare();
    const clock = heldClock();
    const charge = (organizationId: string, costMicros: number) => chargeOf({ organizationId, costMicros });
    await using b = openLedger(await ground.open(), clock);
    await using c = openLedger(await ground.open(), clock);
    let last: Promise<unknown> = Promise.resolve();
    await using a = await openHeldNode(async () => {
      let done = false;
      last = c.charge(charge("X", 1000)).then(() => {
        done = true;
      });
      await until(async () => done || (await waitsForLock()));
    });
    await b.charge(charge("Y", 1));
    const holder = await openPostgres(server!.url);
    let batch: Promise<unknown> = Promise.resolve();
    await holder.connected(async (ask) => {
      await ask({ text: "begin" });
      await ask({ text: "select from credit_account where organization_id = 'Y' for update" });
      batch = a.apply([{ charge: charge("X", 1) }, { charge: charge("Y", 1) }]);
      await until(waitsForLock);
      await b.charge(charge("X", 100));
      await ask({ text: "rollback" });
    });
    await batch;
    await last; // begun by the batch
    await holder[Symbol.asyncDispose]();
    expect(await b.credit("X")).toMatchObject({ overdraftMicros: 1101, monthMicros: 1101 });
    expect(differencesOf(await b.audit())).toEqual([]);
    await ground[Symbol.asyncDispose]();
  },
);

if (server) {
  ledgerContract("postgres", prepare);
  ledgerOddsContract("postgres", prepare);
  ledgerReadsContract("postgres", prepare);
  ledgerProperty("postgres", prepare, 60);
} else {
  test.skip("the ledger on PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
}
