/** The simulation's PostgreSQL: its own database without durability, and connections that take one statement at a time. */
import { Client } from "pg";
import { openPostgres } from "../../../src/db/open-postgres.ts";
import type { Stored } from "./reference.ts";

const SERVER = "postgres://root@127.0.0.1:5432";
const NAME = "loquat_simulation_";
const TABLES = [
  "credit_account",
  "credit_grant",
  "credit_reversal",
  "usage_event",
  "request_log",
  "usage_total",
  "replayable_request",
  "budget_period",
];

export type Connection = AsyncDisposable & { client: Client; pid: number };

export type Fixture = AsyncDisposable & {
  connect(): Promise<Connection>;
  /** The processes that wait for a lock, now. */
  waiting(): Promise<Set<number>>;
  /** Empties the tables, because reading them takes longer the more rows they have. They must not be in use. */
  clear(): Promise<void>;
};

/** Null where no server answers. Databases that killed simulations left behind are dropped first. */
export async function openFixture(): Promise<Fixture | null> {
  const admin = new Client({ connectionString: `${SERVER}/test`, connectionTimeoutMillis: 1000 });
  try {
    await admin.connect();
  } catch {
    return null;
  }
  const name = `${NAME}${process.pid}`;
  const drop = async (database: string) =>
    void (await admin.query(`drop database if exists ${database} with (force)`));
  const { rows } = await admin.query(`select datname from pg_database where datname like '${NAME}%'`);
  for (const { datname } of rows) if (!isAlive(Number(datname.slice(NAME.length)))) await drop(datname);
  await drop(name);
  await admin.query(`create database ${name}`);
  await admin.query(`alter database ${name} set synchronous_commit = off`);
  await admin.query(`alter database ${name} set deadlock_timeout = '100ms'`);
  const url = `${SERVER}/${name}`;
  await (await openPostgres(url))[Symbol.asyncDispose](); // migrated
  const connect = () => connectTo(url);
  const { client, ...connection } = await connect();
  for (const table of TABLES) await client.query(`alter table ${table} set unlogged`);
  return {
    connect,
    waiting: shared(async () => {
      const asked = { name: "waiting", text: "select pid from pg_locks where not granted" };
      return new Set((await client.query(asked)).rows.map(({ pid }) => pid as number));
    }),
    async clear() {
      await client.query(`truncate ${TABLES.join(", ")} cascade`);
    },
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]();
      await drop(name);
      await admin.end();
    },
  };
}

async function connectTo(url: string): Promise<Connection> {
  const client = new Client(url);
  client.on("error", () => {}); // its query says so itself
  await client.connect();
  const { rows } = await client.query("select pg_backend_pid() as pid");
  return { client, pid: rows[0].pid as number, [Symbol.asyncDispose]: () => client.end() };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Who asks while an answer is on its way gets the next one: the answer is never older than the question. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const answer = ask();
      running = answer.catch(() => {});
      return answer;
    });
    return next;
  };
}

const PARTS = [
  "accounts",
  "grants",
  "reversals",
  "events",
  "logs",
  "totals",
  "replayables",
  "budgets",
] as const;

/** All of the organizations' rows, on a connection that has nothing else to do. */
export async function storedIn({ client }: Connection, organizations: string[]): Promise<Stored> {
  const rows = TABLES.map((table) => `(select json_agg(t) from ${table} t where organization_id = any($1))`);
  const asked = {
    name: "stored",
    text: `select json_build_array(${rows.join(", ")}) as all`,
    values: [organizations],
  };
  const [{ all }] = (await client.query(asked)).rows as [{ all: (Record<string, unknown>[] | null)[] }];
  return Object.fromEntries(PARTS.map((part, index) => [part, (all[index] ?? []).map(named)])) as Stored;
}

/** By the names the server uses. */
const named = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  );
