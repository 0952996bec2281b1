/** Services that tests interrupt: a PostgreSQL database behind a proxy that can be closed, and a Redis process. */
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server, Socket } from "node:net";
import { join } from "node:path";
import { Client } from "pg";
import { openPostgres as openMigrated } from "../../src/db/open-postgres.ts";
import { freePort } from "../free-port.ts";

const HOST = "127.0.0.1";
const PORT = 5432;
const MIGRATIONS = join(import.meta.dir, "../../drizzle/postgres");

export type Proxy = AsyncDisposable & {
  port: number;
  /** Forwards nothing, and breaks no connection, as a cut network does; until `open`. */
  stall(): void;
  /** Breaks every connection and lets no new one in. */
  shut(): void;
  open(): void;
};

export type Fixture = AsyncDisposable & {
  url: string;
  proxy: Proxy;
  query(sql: string): Promise<object[]>;
  /** Deletes all rows. */
  empty(): Promise<void>;
};

const migrations = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
const contents = migrations.sort().map((name) => readFileSync(join(MIGRATIONS, name), "utf8"));
/** A database with all migrations: those of tests are copies of it. Made by the first that needs one. */
const TEMPLATE = `loquat_template_${Bun.hash(contents.join()).toString(36)}`;
const TEMPLATE_LOCK = 7_104_335;
/** With the number of a database: held by the test that uses it. */
const DATABASE_LOCK = 7_104_336;
/** Truncating writes files, so only what has grown is truncated. */
const EMPTY = `
set session_replication_role = replica;
do $$
declare one record;
begin
  for one in select oid::regclass as name, relkind, pg_relation_size(oid) as bytes from pg_class
    where relkind in ('r', 'S') and relnamespace = 'public'::regnamespace
  loop
    if one.relkind = 'S' then perform setval(one.name, 1, false);
    elsif one.bytes > 1000000 then execute format('truncate %s cascade', one.name);
    elsif one.bytes > 0 then execute format('delete from %s', one.name);
    end if;
  end loop;
end $$`;

async function ensureTemplate(admin: Client): Promise<void> {
  await admin.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`);
  const { rowCount } = await admin.query("select 1 from pg_database where datname = $1", [TEMPLATE]);
  if (rowCount === 0) {
    const unfinished = `${TEMPLATE}_unfinished`;
    await admin.query(`drop database if exists ${unfinished} with (force)`);
    await admin.query(`create database ${unfinished}`);
    await (await openMigrated(`postgres://root@${HOST}:${PORT}/${unfinished}`))[Symbol.asyncDispose]();
    await admin.query(`alter database ${unfinished} rename to ${TEMPLATE}`);
  }
  await admin.query(`select pg_advisory_unlock(${TEMPLATE_LOCK})`);
}

async function create(admin: Client, database: string): Promise<void> {
  await admin.query(`create database ${database} template ${TEMPLATE}`);
  // no test ends this server, which would lose what is not yet on the disk
  await admin.query(`alter database ${database} set synchronous_commit = off`);
}

/** Databases stay for the tests that follow, also of later runs: making one takes longer than emptying it. */
async function takeDatabase(admin: Client): Promise<string> {
  for (let number = 0; ; number++) {
    const lock = `select pg_try_advisory_lock(${DATABASE_LOCK}, ${number}) as is_held`;
    const { rows } = await admin.query<{ is_held: boolean }>(lock);
    if (!rows[0]!.is_held) continue;
    const database = `${TEMPLATE}_${number}`;
    const { rowCount } = await admin.query("select 1 from pg_database where datname = $1", [database]);
    if (rowCount === 0) await create(admin, database);
    else {
      const left = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1";
      await admin.query(left, [database]);
      await query(database, EMPTY);
    }
    return database;
  }
}

async function query(database: string, sql: string): Promise<object[]> {
  const client = new Client(`postgres://root@${HOST}:${PORT}/${database}`);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Migrated, and empty. Null where no server answers: then what needs it is skipped, and says so.
 * @param name of a database whose tables a test changes: it is made for it, and dropped.
 */
export async function openPostgres(name?: string): Promise<Fixture | null> {
  const admin = new Client({
    connectionString: `postgres://root@${HOST}:${PORT}/test`,
    connectionTimeoutMillis: 1000,
  });
  try {
    await admin.connect();
  } catch {
    return null;
  }
  await ensureTemplate(admin);
  const own = name && `loquat_${name}_${process.pid}`;
  if (own) await create(admin, own);
  const database = own ?? (await takeDatabase(admin));
  const proxy = await openProxy(PORT);
  return {
    url: `postgres://root@${HOST}:${proxy.port}/${database}`,
    proxy,
    query: (sql) => query(database, sql),
    empty: async () => void (await query(database, EMPTY)),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      if (own) await admin.query(`drop database ${own} with (force)`);
      await admin.end();
    },
  };
}

/** Of a port of this machine. */
export async function openProxy(target: number): Promise<Proxy> {
  const pairs = new Set<Socket>();
  let isOpen = true;
  let isStalled = false;
  const server: Server = createServer((inner) => {
    if (!isOpen) return void inner.destroy();
    if (isStalled) inner.pause();
    const outer = new Socket().connect(target, HOST);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      pairs.add(from);
      from.on("data", (bytes) => to.write(bytes));
      if (isStalled) from.pause();
      from.on("close", () => {
        pairs.delete(from);
        to.destroy();
      });
      from.on("error", () => {});
    }
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, HOST, () => resolve((server.address() as { port: number }).port));
  });
  return {
    port,
    stall() {
      isStalled = true;
      for (const socket of pairs) socket.pause();
    },
    shut() {
      isOpen = false;
      for (const socket of pairs) socket.destroy();
    },
    open() {
      isOpen = true;
      isStalled = false;
      for (const socket of pairs) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of pairs) socket.destroy();
      server.close();
    },
  };
}

export type OwnRedis = AsyncDisposable & {
  url: string;
  signal(name: NodeJS.Signals): void;
  /** After it was killed. */
  restart(): Promise<void>;
};

/** Null where there is no redis-server to start. */
export async function openRedis(): Promise<OwnRedis | null> {
  const binary = Bun.which("redis-server");
  if (!binary) return null;
  const port = freePort();
  let process: Bun.Subprocess;
  const restart = async () => {
    process = Bun.spawn([binary, "--port", String(port), "--save", "", "--bind", HOST], {
      stdout: "ignore",
      stderr: "ignore",
    });
    while (!(await answers(port))) await Bun.sleep(10);
  };
  await restart();
  return {
    url: `redis://${HOST}:${port}`,
    signal: (name) => process.kill(name),
    restart,
    async [Symbol.asyncDispose]() {
      process.kill("SIGKILL");
      await process.exited;
    },
  };
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = new Socket().connect(port, HOST);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
