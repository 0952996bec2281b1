/**
 * Opens PostgreSQL for several nodes at once: a pool of connections, the schema brought up to date by whoever
 * comes first. Nothing waits for ever: a connection that hangs is given up.
 */
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client, Pool, type PoolClient } from "pg";
import type { Database, Tables } from "./database.ts";
import * as billing from "./postgres/billing-tables.ts";
import * as identity from "./postgres/identity-tables.ts";
import * as accounts from "./postgres/tables.ts";

type Postgres = NodePgDatabase<typeof tables>;

/** A named one is prepared once a connection. */
export type Statement = { name?: string; text: string; values?: unknown[] };

/** One statement on a connection; those that are not waited for go in one packet, and are done in their order. */
export type Ask = (statement: Statement) => Promise<object[]>;

/** `postgres` and `connected` are for stores that know what they stand on. */
export type PostgresDatabase = Database & {
  postgres: Postgres;
  /** A connection of its own, closed where anything failed: nobody knows what state it is in then. */
  connected<T>(work: (ask: Ask) => Promise<T>): Promise<T>;
};

const tables = { ...accounts, ...identity, ...billing };
const MIGRATIONS = fileURLToPath(new URL("../../drizzle/postgres", import.meta.url));
const MIGRATION_LOCK = 7_306_175; // any number, the same on every node

export async function openPostgres(url: string): Promise<PostgresDatabase> {
  await bringUpToDate(url);
  const pool = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 2000,
    query_timeout: 5000,
    keepAlive: true,
    pipeline: true,
  });
  pool.on("error", () => {}); // an idle connection that broke: the next query opens another, or says why not
  pool.on("connect", (client) => void client.on("error", () => {})); // one in use: its query says so itself
  const postgres = drizzle(pool, { schema: tables });
  return {
    postgres,
    connected: (work) => onConnection(pool, (client) => work(async (one) => (await client.query(one)).rows)),
    query: postgres as unknown as Database["query"],
    tables: tables as unknown as Tables,
    async probe() {
      await pool.query("update installation set secret = secret");
    },
    atomically: (statements) =>
      onConnection(pool, (client) =>
        drizzle(client).transaction(async (open) => {
          for (const statement of statements) await open.execute(statement.getSQL());
        }),
      ),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

async function onConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failed = true;
  try {
    const result = await work(client);
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}

/** On a connection that may take its time: a new index over years of requests is not made in seconds. */
async function bringUpToDate(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => {}); // its query says so itself
  await client.connect();
  try {
    const database = drizzle(client);
    await database.execute(sql`select pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate(database, { migrationsFolder: MIGRATIONS });
  } finally {
    await client.end(); // and with it the lock
  }
}
