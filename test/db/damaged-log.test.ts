/** Promise: a log of SQLite that lost what was committed is found, however large it is; a torn end is no damage. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { keepDamagedLog } from "../../src/db/damaged-log.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-log-"));
const path = join(folder, "log");
let whole: Buffer;
beforeAll(() => {
  const file = join(folder, "a.db");
  const database = new Sqlite(file);
  database.pragma("journal_mode = WAL");
  database.exec("create table row (text)");
  for (let count = 0; count < 300; count++)
    database.prepare("insert into row values (?)").run("x".repeat(3000));
  whole = readFileSync(`${file}-wal`);
  database.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What is kept of a log that was changed. */
function keptOf(change: (log: Buffer) => Buffer): Buffer | null {
  const log = change(Buffer.from(whole));
  writeFileSync(path, log);
  rmSync(`${path}.damaged`, { force: true });
  const kept = keepDamagedLog(path);
  expect(kept).toBe(existsSync(`${path}.damaged`) ? `${path}.damaged` : null);
  return kept === null ? null : readFileSync(kept);
}

test.each([0.1, 0.5, 0.9])("one changed byte at %p of the log", (part) => {
  expect(whole.length).toBeGreaterThan(2 * 1024 * 1024); // it is read in several pieces
  const changed = (log: Buffer) => {
    log[Math.floor(part * log.length)]! ^= 1;
    return log;
  };
  expect(keptOf(changed)).toEqual(changed(Buffer.from(whole)));
});

test("a log that is whole, torn or without a frame is not damaged", () => {
  expect(keptOf((log) => log)).toBeNull();
  for (const length of [0, 20, 40, 60, 5000, whole.length - 2000])
    expect(keptOf((log) => log.subarray(0, length))).toBeNull();
  expect(keepDamagedLog(join(folder, "none"))).toBeNull();
});

test("a size of pages that no log has is damage", () => {
  for (const size of [0, 1, 0xffff_ffff])
    expect(
      keptOf((log) => {
        log.writeUInt32BE(size, 8);
        return log;
      }),
    ).not.toBeNull();
});
