/**
 * Counts how often rows that many requests read have changed, so that what was read of them is kept until one changes.
 *
 * On SQLite, triggers count in the transaction of each change, whichever process makes it. PostgreSQL counts nothing: a counter
 * row would make changes wait for each other, and a sequence counts before the commit.
 */
import type Sqlite from "better-sqlite3";
import type { Clock } from "../clock.ts";

/** The tables whose changes are counted together. */
const COUNTED = {
  accounts: ["api_key", "project", "organization"],
  pronunciations: ["pronunciation"],
} as const;

type Counted = keyof typeof COUNTED;

/** Columns by which nothing changes that is kept: when a key was used, and what is set to itself only to lock its row. */
const UNCOUNTED: Readonly<Record<string, string>> = { api_key: "last_used_at", organization: "id" };

/** After the migrations: one that makes a table anew drops its triggers, and one may add columns. */
export function countChanges(connection: Sqlite.Database): void {
  const found = connection.prepare("select name, sql from sqlite_master where type = 'trigger'").all();
  const known = new Map((found as Trigger[]).map(({ name, sql }) => [name, sql]));
  const lacking = triggersOf(connection).filter(({ name, sql }) => known.get(name) !== sql);
  if (lacking.length === 0) return;
  const make = connection.transaction(() => {
    connection.exec(
      "create table if not exists change_count (subject text primary key, count integer not null) without rowid",
    );
    for (const subject of Object.keys(COUNTED))
      connection.prepare("insert or ignore into change_count values (?, 0)").run(subject);
    for (const { name, sql } of lacking) connection.exec(`drop trigger if exists ${name}; ${sql}`);
  });
  make.immediate();
}

/** `sql`: as SQLite keeps it. */
type Trigger = { name: string; sql: string };

function triggersOf(connection: Sqlite.Database): Trigger[] {
  return Object.entries(COUNTED).flatMap(([subject, tables]) => {
    const count = `update change_count set count = count + 1 where subject = '${subject}'`;
    return tables.flatMap((table) =>
      ["insert", `update of ${countedColumns(connection, table)}`, "delete"].map((change) => {
        const name = `count_${change.split(" ", 1)[0]}_of_${table}`;
        return { name, sql: `CREATE TRIGGER ${name} after ${change} on ${table} begin ${count}; end` };
      }),
    );
  });
}

const countedColumns = (connection: Sqlite.Database, table: string): string =>
  (connection.pragma(`table_info(${table})`) as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== UNCOUNTED[table])
    .join(", ");

/** How many changes have been committed so far. */
export type CountOf = (subject: Counted) => number;

export function changeReader(connection: Sqlite.Database): CountOf {
  const read = connection.prepare("select count from change_count where subject = ?").pluck();
  return (subject) => read.get(subject) as number;
}

const LOOK_MS = 1000;

/** A count, and when it was read: in milliseconds, by the clock. */
export type Look = { count: number; atMs: number };

/**
 * Returns a look at a count of at most a second ago. Where two looks have the same count, what was read after the first was still so
 * at the second. Null where the database does not count, or cannot be read.
 */
export function openLooks(countOf: CountOf | undefined, subject: Counted, clock: Clock): () => Look | null {
  if (!countOf) return () => null;
  let [last, triedMs]: [Look | null, number] = [null, Number.NEGATIVE_INFINITY];
  return () => {
    const nowMs = clock.now();
    if (Math.abs(nowMs - triedMs) < LOOK_MS) return last;
    triedMs = nowMs;
    try {
      last = { count: countOf(subject), atMs: nowMs };
    } catch {
      last = null; // what needs the rows reads them, and says why it cannot
    }
    return last;
  };
}
