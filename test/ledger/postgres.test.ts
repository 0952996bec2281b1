/** Promise: the PostgreSQL ledger keeps the contract, with several nodes on one database. */
import { afterAll, expect, test } from "bun:test";
import { drizzle } from "drizzle-orm/node-postgres";
import { Client } from "pg";
import { openPostgres } from "../../src/db/open-postgres.ts";
import { openPostgresStore } from "../../src/ledger/postgres.ts";
import { type Ground, ledgerContract } from "../contract/ledger.ts";
import { ledgerProperty } from "../contract/ledger-model.ts";

const SERVER = "postgres://root@127.0.0.1:5432";
const database = `loquat_test_${process.pid}`;

/** Null where no server answers: then these tests are skipped, and say so. */
async function connect(): Promise<Client | null> {
  const client = new Client({ connectionString: `${SERVER}/test`, connectionTimeoutMillis: 1000 });
  try {
    await client.connect();
    return client;
  } catch {
    return null;
  }
}

const admin = await connect();
await admin?.query(`create database ${database}`);
afterAll(async () => {
  await admin?.query(`drop database if exists ${database} with (force)`);
  await admin?.end();
});

/** One database for all, emptied between. */
async function prepare(): Promise<Ground> {
  const owner = await openPostgres(`${SERVER}/${database}`);
  await owner.postgres.execute("truncate credit_account, credit_grant, usage_event, request_log");
  return {
    async open() {
      const node = await openPostgres(`${SERVER}/${database}`);
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
      postgres: drizzle.mock(),
      connected: async () => {
        throw broken;
      },
    } as never);
    const limit = { organizationId: "org", micros: null };
    await expect(store.apply([{ limit }])).rejects.toBe(broken);
  },
);

if (admin) {
  ledgerContract("postgres", prepare);
  ledgerProperty("postgres", prepare, 60);
} else {
  test.skip("the ledger on PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
}
