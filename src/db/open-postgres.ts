/**
 * Opens PostgreSQL for several nodes: a pool of connections, and migrations run by the first node. A connection that
 * hangs is closed after a timeout.
 */
import { sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client, Pool, type PoolClient } from "pg";
import { resource } from "../resources.ts";
import type { Database } from "./database.ts";
import * as postgresTables from "./postgres/tables.ts";
import { refuseNewer } from "./schema-version.ts";

type Postgres = NodePgDatabase;

/** A named statement is prepared once per connection. */
export type Statement = { name?: string; text: string; values?: unknown[] };

/** Sends a statement on a connection. Statements that are not awaited are pipelined, and run in order. */
export type Ask = (statement: Statement) => Promise<object[]>;

/** `postgres` and `connected` are for PostgreSQL-specific stores. */
export type PostgresDatabase = Database & {
  postgres: Postgres;
  /** Runs work on a separate connection, which is closed after any failure, because its state is unknown. */
  connected<T>(work: (ask: Ask) => Promise<T>): Promise<T>;
};

const tables = { ...postgresTables };
const MIGRATIONS = resource("drizzle/postgres");
const PROBES = 5; // each may meet another session of the pooler
const SHARED_SESSION = ["42P05", "26000"]; // a named statement exists already, or does not
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
  pool.on("error", () => {}); // an idle connection was lost: the next query opens another, or fails
  pool.on("connect", (client) => void client.on("error", () => {})); // a connection in use was lost: its query fails
  const postgres = drizzle(pool);
  return {
    postgres,
    connected: (work) => onConnection(pool, (client) => work(askOn(client))),
    query: postgres as unknown as Database["query"],
    tables,
    async probe() {
      await pool.query("update installation set secret = secret");
    },
    atomically: (statements) =>
      onConnection(pool, (client) =>
        drizzle(client).transaction(async (open) => {
          for (const statement of statements) await open.execute(statement.getSQL());
        }),
      ),
    ifChanged: (change, then) =>
      onConnection(pool, (client) =>
        drizzle(client).transaction(async (open) => {
          const { rowCount } = await open.execute(change.getSQL());
          if (!rowCount) return false;
          for (const statement of then) await open.execute(statement.getSQL());
          return true;
        }),
      ),
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/** Statements that are sent in one tick leave in one packet. */
function askOn(client: PoolClient): Ask {
  const { stream } = (client as PoolClient & Pick<Client, "connection">).connection;
  let isHeld = false;
  const hold = () => {
    isHeld = true;
    stream.cork();
    queueMicrotask(() => {
      isHeld = false;
      stream.uncork();
    });
  };
  return async (statement) => {
    if (!isHeld) hold();
    return (await client.query(statement)).rows;
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

/** On a connection without timeouts: building an index over years of requests takes long. */
async function bringUpToDate(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => {}); // its query fails by itself
  await client.connect();
  try {
    const database = drizzle(client);
    await requireNamedStatements(url, client);
    await client.query("begin"); // ended by the migrator: a pooler may change the session between transactions
    await database.execute(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    refuseNewer(await newestApplied(client), MIGRATIONS);
    await migrate(database, { migrationsFolder: MIGRATIONS });
  } finally {
    await client.end();
  }
}

/** Throws where a pooler gives one session to several clients, and does not keep their named statements apart. */
async function requireNamedStatements(url: string, client: Client): Promise<void> {
  const other = new Client({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 5000 });
  other.on("error", () => {});
  await other.connect();
  try {
    for (let turn = 0; turn < PROBES; turn++)
      for (const each of [client, other])
        await each.query({ name: `loquat_probe_${turn}`, text: "select 1" });
  } catch (error) {
    if (!SHARED_SESSION.includes((error as { code?: string }).code ?? "")) throw error;
    throw new Error(
      "there is a pooler before PostgreSQL that shares sessions, such as PgBouncer with pool_mode = transaction. " +
        "Set max_prepared_statements to 100 (PgBouncer 1.21 or later) or pool_mode to session, or connect without it.",
      { cause: error },
    );
  } finally {
    await other.end();
  }
}

/** When the newest migration of the database was made, in milliseconds; null where it has had none. */
async function newestApplied(client: Client): Promise<number | null> {
  const { rows: found } = await client.query("select to_regclass('drizzle.__drizzle_migrations') as name");
  if (found[0]?.name === null) return null;
  const { rows } = await client.query("select max(created_at) as newest from drizzle.__drizzle_migrations");
  return rows[0]?.newest === null ? null : Number(rows[0]?.newest);
}
