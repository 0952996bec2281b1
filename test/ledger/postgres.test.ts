/** Promise: the PostgreSQL ledger keeps the contract, with several nodes on one database. */
import { afterAll, expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/node-postgres";
import { openPostgres } from "../../src/db/open-postgres.ts";
import * as tables from "../../src/db/postgres.ts";
import { openPostgresStore } from "../../src/ledger/postgres.ts";
import { type Ground, ledgerContract } from "../contract/ledger.ts";
import { ledgerProperty } from "../contract/ledger-model.ts";
import { ledgerReadsContract } from "../contract/ledger-reads.ts";
import { openPostgres as openServer } from "../faults/ground.ts";

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

if (server) {
  ledgerContract("postgres", prepare);
  ledgerReadsContract("postgres", prepare);
  ledgerProperty("postgres", prepare, 60);
} else {
  test.skip("the ledger on PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
}
