/**
 * Limits of a single server: counted in memory and saved to a separate file, so that a restart refills no bucket.
 * A crash loses the last second. Slots are not saved: their requests end with the process.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Log } from "../log/log.ts";
import type { LimitStore } from "./limits.ts";
import { type Noted, openMemoryLimits } from "./memory.ts";

const NOTE_MS = 1000;

/** Creates the folder, which PostgreSQL alone does not need. */
export function openSqliteLimits(folder: string, log: Log): LimitStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { file, levels } = openFile(join(folder, "limits.db"), log);
  const changed = new Map<string, Noted>();
  const memory = openMemoryLimits(levels, { keep: (key, bucket) => changed.set(key, bucket) });
  let asked = 0;

  function note(): void {
    memory.forgetFull();
    file.save(changed, asked);
    changed.clear();
  }
  const noting = setInterval(note, NOTE_MS);

  return {
    ...memory,
    decide(ask) {
      asked = ask.now;
      return memory.decide(ask);
    },
    async [Symbol.asyncDispose]() {
      clearInterval(noting);
      note();
      file.close();
    },
  };
}

/** Opens the file. It is only a cache: a damaged one is moved aside and replaced. */
function openFile(path: string, log: Log): { file: LimitFile; levels: Map<string, Noted> } {
  try {
    return load(path);
  } catch (cause) {
    if (HINDERED.some((code) => (cause as { code?: string }).code?.startsWith(code))) throw cause;
    const movedTo = `${path}.damaged`; // one copy is kept
    for (const end of ["", "-wal", "-shm"]) {
      rmSync(movedTo + end, { recursive: true, force: true });
      if (existsSync(path + end)) renameSync(path + end, movedTo + end);
    }
    log.warn("limits_file_damaged", { movedTo, cause });
    return load(path);
  }
}

/** Errors that do not mean the file is damaged. */
const HINDERED = ["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_NOMEM"];

type LimitFile = {
  save(changed: Map<string, Noted>, now: number): void;
  close(): void;
};

function load(path: string): ReturnType<typeof openFile> {
  const sqlite = new Sqlite(path);
  try {
    const file = prepare(sqlite);
    const rows = sqlite.prepare("select key, points, at, full_at as fullAt from bucket_level").all();
    const levels = (rows as (Noted & { key: string })[]).map(({ key, ...noted }) => [key, noted] as const);
    return { file, levels: new Map(levels) };
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function prepare(sqlite: Sqlite.Database): LimitFile {
  sqlite.pragma("journal_mode = WAL");
  sqlite.pragma("synchronous = NORMAL");
  sqlite.exec(`create table if not exists bucket_level (
    key text primary key, points real not null, at integer not null, full_at integer not null) without rowid, strict`);
  const save = sqlite.prepare("replace into bucket_level (key, points, at, full_at) values (?, ?, ?, ?)");
  const forget = sqlite.prepare("delete from bucket_level where full_at <= ?");
  return {
    /**
     * A failed save is repeated with the bucket's next change; a full disk is reported by the ledger. A bucket that is full
     * again is not saved: a row that it may have has refilled for longer.
     */
    save(changed, now) {
      if (changed.size === 0) return;
      try {
        sqlite.transaction(() => {
          for (const [key, { points, at, fullAt }] of changed)
            if (fullAt > now) save.run(key, points, at, fullAt);
          forget.run(now);
        })();
      } catch {}
    },
    close: () => void sqlite.close(),
  };
}
