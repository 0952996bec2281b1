/**
 * Opens PostgreSQL for several nodes at once: a pool of connections, the schema brought up to date by whoever
 * comes first. Nothing waits for ever: a connection that hangs is given up.
 */
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Pool } from "pg";
import type { Database, Tables } from "./open.ts";
import * as tables from "./postgres.ts";

/** `postgres` is for stores that know what they stand on. */
export type PostgresDatabase = Database & { postgres: NodePgDatabase<typeof tables> };

const MIGRATIONS = fileURLToPath(new URL("../../drizzle/postgres", import.meta.url));
const MIGRATION_LOCK = 7_306_175; // any number, the same on every node

export async function openPostgres(url: string): Promise<PostgresDatabase> {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 2000,
    query_timeout: 5000,
    keepAlive: true,
  });
  pool.on("error", () => {}); // an idle connection that broke: the next query opens another, or says why not
  await bringUpToDate(pool);
  const postgres = drizzle(pool, { schema: tables });
  return {
    postgres,
    query: postgres as unknown as Database["query"],
    tables: tables as unknown as Tables,
    async atomically(statements) {
      await postgres.transaction(async (transaction) => {
        for (const statement of statements) await transaction.execute(statement.getSQL());
      });
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
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
