/** Opens the configured database, and on it the accounts and the ledger. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Accounts, openAccounts } from "../accounts/accounts.ts";
import type { FirstStart } from "../accounts/organizations.ts";
import { type Audit, openAudit } from "../audit/audit-events.ts";
import { type Clock, systemClock } from "../clock.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { keepDamagedLog } from "../db/damaged-log.ts";
import type { Database } from "../db/database.ts";
import { serverSecrets } from "../db/encryption.ts";
import type { PostgresDatabase } from "../db/open-postgres.ts";
import { lockFolder, openSqlite, SQLITE_FILE, type SqliteDatabase, writtenBy } from "../db/open-sqlite.ts";
import type { WorkerEnded } from "../engine/back-off.ts";
import { lazily, type Runner } from "../engine/runner.ts";
import { openSoleThread } from "../engine/threads/sole-thread.ts";
import { openThreadPool } from "../engine/threads/thread-pool.ts";
import { isDiskFull } from "../errors.ts";
import { readInTurns } from "../ledger/fair-queue.ts";
import { type Ledger, openLedger } from "../ledger/ledger.ts";
import {
  applyOnThread,
  type CheckpointWork,
  openSqliteStore,
  openSqliteWriter,
  type WriterWork,
} from "../ledger/sqlite.ts";
import type { LongReads, ReadWork, Store } from "../ledger/store.ts";
import { OWN_MS, openRecentAccounts } from "../ledger/write-queue.ts";
import { freeBytes } from "../models/store/disk-space.ts";
import type { Plan } from "../plans.ts";
import { openPronunciations, type Pronunciations } from "../pronunciations/pronunciations.ts";
import { worker } from "../resources.ts";
import { type Consents, openConsents } from "../voices/consents.ts";
import { openVoices, type Voices } from "../voices/voices.ts";
import { requireDataFolder } from "./lifecycle/data-folder.ts";

const WRITER = worker("ledger/writer");
const READER = worker("ledger/reader");
const CHECKPOINT = worker("ledger/checkpoint");

/** Long reads in parallel: more than one, so that an organization's long read delays no other organization. */
const READS_AT_ONCE = { sqlite: 2, postgres: 4 };

const LOG_FILE = `${SQLITE_FILE}-wal`;

/** Of a new database, with its log. */
const DATABASE_LEAST_BYTES = 2 * 1024 * 1024;

/** `postgres` null: the database is embedded, so there is one node. */
export type Storage = AsyncDisposable & {
  database: Database;
  postgres: PostgresDatabase | null;
  accounts: Accounts;
  audit: Audit;
  pronunciations: Pronunciations;
  voices: Voices;
  consents: Consents;
  ledger: Ledger;
};

type StorageOptions = {
  clock?: Clock;
  /** Where SQLite is written and long reads run: on threads for a server, in place for a command. */
  writer?: "thread" | "here";
  /** Called after each batch of the ledger, with the time it took. */
  committed?: (durationMs: number) => void;
  /** Called when one of its threads has ended unexpectedly. */
  ended?: WorkerEnded;
  /** Called where the log of SQLite is damaged, with the path of a copy that is kept. */
  damagedLog?: (kept: string) => void;
};

export async function openStorage(
  { data, identity, voices, retention }: Config,
  { clock = systemClock, writer = "here", committed = () => {}, ended, damagedLog }: StorageOptions = {},
): Promise<Storage> {
  await using stack = new AsyncDisposableStack();
  const damaged = data.url === null && damagedLog ? keepDamagedLog(join(data.folder, LOG_FILE)) : null;
  if (damaged !== null) damagedLog?.(damaged);
  const opened = stack.use(await openDatabase(data));
  if (damagedLog && "sqlite" in opened) refuseDamaged(opened, data.folder);
  const thread = "sqlite" in opened && writer === "thread" ? stack.use(openWriter(data.folder, ended)) : null;
  const ledger = stack.use(
    openLedger(
      timed(await storeOf(opened, data.folder, thread && { writer: thread, ended }), committed),
      clock,
    ),
  );
  const database =
    "sqlite" in opened && thread ? writtenBy(opened, (jobs) => thread.run({ kind: "jobs", jobs })) : opened;
  const accounts = openAccounts(database, clock, retention.keyMaxDays);
  const secrets = serverSecrets(identity, accounts);
  const storage = stack.move();
  return {
    database,
    postgres: "postgres" in opened ? opened : null,
    accounts,
    audit: openAudit(database, clock),
    pronunciations: openPronunciations(database, clock),
    voices: openVoices(database, { clock, secrets, max: voices.max }),
    consents: openConsents(database, { clock, secrets, max: voices.max }),
    ledger,
    [Symbol.asyncDispose]: () => storage.disposeAsync(),
  };
}

/** Whether there is a database already, so that opening it creates nothing; PostgreSQL tells when it is opened. */
export const hasDatabase = ({ data: { folder, url } }: Config): boolean =>
  url !== null || existsSync(join(folder, SQLITE_FILE));

async function openDatabase({ folder, url }: Config["data"]): Promise<SqliteDatabase | PostgresDatabase> {
  const name = url === null ? `LOQUAT_DATA: ${folder}` : "DATABASE_URL: it";
  try {
    if (url !== null) return await (await import("../db/open-postgres.ts")).openPostgres(url);
    requireDataFolder(folder);
    refuseEmptied(folder);
    return openSqlite(folder);
  } catch (error) {
    throw unusable(name, url === null ? folder : null, error);
  }
}

/**
 * Locks an embedded database, since two servers would count its limits twice; nodes share one of PostgreSQL. Null where another
 * server holds the lock.
 */
export function lockDatabase({ data: { folder, url } }: Config): Disposable | null {
  if (url !== null) return new DisposableStack();
  try {
    return lockFolder(folder);
  } catch (error) {
    throw unusable(`LOQUAT_DATA: ${folder}`, folder, error);
  }
}

/** The lock, or its refusal. */
export function soleServer(config: Config, lock = lockDatabase(config)): Disposable {
  if (lock) return lock;
  throw new ConfigError(
    `LOQUAT_DATA: ${config.data.folder} is in use by another server. Stop that one, or set LOQUAT_DATA elsewhere.`,
  );
}

/** A server with a key had a database, which a file without a byte is not any more. */
function refuseEmptied(folder: string): void {
  const file = join(folder, SQLITE_FILE);
  const isEmptied = existsSync(join(folder, "first-key")) && existsSync(file) && statSync(file).size === 0;
  if (isEmptied) throw damagedDatabase(folder, "it is empty");
}

/** A millisecond for each megabyte; a large one is not read whole before the server listens. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024;

/** SQLite itself notices a damaged page when it reads it. */
function refuseDamaged({ sqlite }: SqliteDatabase, folder: string): void {
  if (statSync(join(folder, SQLITE_FILE)).size > CHECKED_BYTES_MAX) return;
  const found = sqlite.$client.pragma("quick_check(1)", { simple: true });
  if (found !== "ok") throw damagedDatabase(folder, String(found).split("\n").join(" "));
}

const damagedDatabase = (folder: string, why: string) =>
  new ConfigError(
    `LOQUAT_DATA: ${join(folder, SQLITE_FILE)} is damaged (${why}). It was not changed. Restore a backup with ` +
      '"loquat restore", or move the file and first-key elsewhere: then the server starts anew, without its accounts.',
  );

const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** A failed write may be told as another: of the transaction that could not be rolled back. */
function unusable(name: string, folder: string | null, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  if (folder !== null && DAMAGED.test(String((error as { code?: unknown }).code)))
    return damagedDatabase(folder, (error as Error).message);
  const free = folder === null ? null : freeBytes(folder);
  const isFull = isDiskFull(error) || (free !== null && free < DATABASE_LEAST_BYTES);
  const reason = isFull ? "no space is left on its disk. Free some." : (error as Error).message;
  return new ConfigError(`${name} cannot be used as the database: ${reason}`);
}

const openWriter = (folder: string, ended?: WorkerEnded) =>
  openSoleThread<WriterWork>(WRITER, { data: { folder }, ended });

type Threads = { writer: Runner<WriterWork>; ended: WorkerEnded | undefined };

async function storeOf(
  database: SqliteDatabase | PostgresDatabase,
  folder: string,
  threads: Threads | null,
): Promise<Store> {
  if ("postgres" in database) {
    const { openPostgresStore } = await import("../ledger/postgres.ts"); // not loaded on SQLite
    const store = openPostgresStore(database, Bun.sleep, openRecentAccounts());
    return readInTurns(store, READS_AT_ONCE.postgres);
  }
  if (threads === null) {
    const write = openSqliteWriter(database.sqlite);
    return openSqliteStore(database, async (writes) => write(writes).outcomes);
  }
  const { writer, ended } = threads;
  const reader = lazily(() =>
    openThreadPool<ReadWork>(READER, { size: READS_AT_ONCE.sqlite, data: { folder }, ended }),
  );
  const checkpoints = lazily(() =>
    openThreadPool<CheckpointWork>(CHECKPOINT, { size: 1, data: { folder }, ended }),
  );
  const recent = openRecentAccounts(OWN_MS);
  const apply = applyOnThread(
    { write: (writes) => writer.run({ kind: "writes", writes }), checkpoint: () => checkpoints.run({}) },
    recent,
  );
  const store = {
    ...openSqliteStore(database, apply, recent),
    ...longReads(reader),
    async [Symbol.asyncDispose]() {
      await Promise.all([reader[Symbol.asyncDispose](), checkpoints[Symbol.asyncDispose]()]);
    },
  };
  return readInTurns(store, READS_AT_ONCE.sqlite);
}

/** The store, with the time that each batch takes. */
function timed(store: Store, committed: (durationMs: number) => void): Store {
  return {
    ...store,
    async apply(writes) {
      const begunMs = performance.now();
      try {
        return await store.apply(writes);
      } finally {
        committed(performance.now() - begunMs);
      }
    },
  };
}

/** Reads on a separate thread: a sum over a month must not delay a request. */
function longReads({ run }: Runner<ReadWork>): LongReads {
  return {
    usage: (...args) => run({ read: "usage", args }),
    requestPage: (...args) => run({ read: "requestPage", args }),
    request: (...args) => run({ read: "request", args }),
    recentErrors: (...args) => run({ read: "recentErrors", args }),
    latencies: (...args) => run({ read: "latencies", args }),
    load: (...args) => run({ read: "load", args }),
    limitUse: (...args) => run({ read: "limitUse", args }),
    businessRows: (...args) => run({ read: "businessRows", args }),
    statementRows: (...args) => run({ read: "statementRows", args }),
  };
}

/** Creates the first organization, its key and, if prepaid, its starting credit. Null if there is one already. */
export async function firstStart({ accounts, ledger }: Storage, plan: Plan): Promise<FirstStart | null> {
  const first = await accounts.firstStart(plan);
  if (first && plan === "prepaid") await ledger.grantStarting(first.organizationId);
  return first;
}
