/** A data folder's migrated database, made once in a run: what a test opens is a copy, as its migrations take most of the time. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite, SQLITE_FILE } from "../src/db/open-sqlite.ts";

let made: Promise<Buffer> | null = null;

async function make(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "loquat-migrated-"));
  await openSqlite(folder)[Symbol.asyncDispose]();
  const bytes = readFileSync(join(folder, SQLITE_FILE));
  rmSync(folder, { recursive: true });
  return bytes;
}

/** Puts the database into a new folder. */
export async function putMigrated(folder: string): Promise<void> {
  made ??= make();
  writeFileSync(join(folder, SQLITE_FILE), await made, { mode: 0o600 });
}
