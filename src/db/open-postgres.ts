/**
 * Opens PostgreSQL for several nodes at once: a pool of connections, the schema brought up to date by whoever
 * comes first. Nothing waits for ever: a connection that hangs is given up.
 */
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Pool } from "pg";
import * as tables from "./postgres.ts";

export type Postgres = NodePgDatabase<typeof tables> & AsyncDisposable;

const MIGRATIONS = fileURLToPath(new URL("../../drizzle/postgres", import.meta.url));
const MIGRATION_LOCK = 7_306_175; // any number, the same on every node

export async function openPostgres(url: string): Promise<Postgres> {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 2000,
    query_timeout: 5000,
    keepAlive: true,
  });
  pool.on("error", () => {}); // an idle connection that broke: the next query opens another, or says why not
  const database = drizzle(pool, { schema: tables });
  await bringUpToDate(pool);
  return Object.assign(database, { [Symbol.asyncDispose]: () => pool.end() });
}

async function bringUpToDate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    const database = drizzle(client, { schema: tables });
    await database.execute(sql`select pg_advisory_lock(${MIGRATION_LOCK})`);
    await migrate(database, { migrationsFolder: MIGRATIONS });
    await database.execute(sql`select pg_advisory_unlock(${MIGRATION_LOCK})`);
  } finally {
    client.release();
  }
}
