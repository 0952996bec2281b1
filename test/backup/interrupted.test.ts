/** Promise: a backup that is interrupted, or whose reader goes, leaves no copy of the database behind. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { MAIN } from "../cli/process.ts";

const PIPE_BYTES = 1 << 20; // more than a pipe holds: the command waits for its reader

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-backup-"));
  await using database = openSqlite(folder);
  const asset = { name: "large", type: "text/plain", gzip: randomBytes(2 * PIPE_BYTES), usedMs: 0 };
  await database.query.insert(database.tables.webAsset).values(asset);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const leftovers = () => readdirSync(folder).filter((name) => /backup-|partial/.test(name));

test.each([
  ["is interrupted", 130],
  ["has no reader any more", 0],
] as const)("a backup that %s ends with %d", async (what, code) => {
  const child = Bun.spawn([process.execPath, MAIN, "backup", "-"], {
    env: { PATH: Bun.env.PATH, LOQUAT_DATA: folder },
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  await reader.read();
  expect(leftovers()).toHaveLength(1);
  if (what === "is interrupted") child.kill("SIGINT");
  else await reader.cancel();
  expect(await child.exited).toBe(code);
  expect(leftovers()).toEqual([]);
});
