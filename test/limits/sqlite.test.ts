/** Promise: limits of one machine keep the contract, and survive a restart. */
import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { LimitStore } from "../../src/limits/limits.ts";
import { openSqliteLimits } from "../../src/limits/sqlite.ts";
import { openLog } from "../../src/log/log.ts";
import { limitContract } from "../contract/limit.ts";
import { until } from "../until.ts";

const folders: string[] = [];
const fresh = () => {
  folders.push(mkdtempSync(join(tmpdir(), "loquat-limits-")));
  return folders.at(-1)!;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const logged: { event: string; movedTo?: string }[] = [];
const log = openLog("debug", (line) => logged.push(JSON.parse(line)));
const open = (folder: string) => openSqliteLimits(folder, log);

limitContract("sqlite", async () => open(fresh()), 2000);

function savedIn(folder: string): number {
  const file = new Sqlite(join(folder, "limits.db"), { readonly: true });
  const { length } = file.prepare("select key from bucket_level").all();
  file.close();
  return length;
}

const take = (store: LimitStore, cost: number, now: number) =>
  store.decide({
    organizationId: "org",
    now,
    take: [{ bucket: "requests", cost, perMinute: 60 }],
    slot: { id: "a", max: 1 },
  });

test("a restart fills no bucket and leaves no slot held", async () => {
  const folder = fresh();
  const before = open(folder);
  await take(before, 60, 1000);
  await before[Symbol.asyncDispose]();
  await using after = open(folder);
  expect(await take(after, 11, 11_000)).toMatchObject({ refused: "requests", levels: [{ points: 10 }] });
  expect(await take(after, 10, 11_000)).toMatchObject({ refused: null });
});

test("a bucket that is full again is not saved", async () => {
  const folder = fresh();
  const store = open(folder);
  await take(store, 1, 1000);
  await store.decide({
    ...{ organizationId: "other", now: 2000, slot: null },
    take: [{ bucket: "requests", cost: 60, perMinute: 60 }],
  });
  await store[Symbol.asyncDispose]();
  expect(savedIn(folder)).toBe(1);
});

test("a crash loses at most a second of counts", async () => {
  const folder = fresh();
  await using crashed = open(folder);
  await take(crashed, 60, 1000);
  await until(() => savedIn(folder) > 0);
  await using after = open(folder);
  expect((await take(after, 1, 1000)).refused).toBe("requests");
});

test.each<[string, (path: string) => void]>([
  ["no database", (path) => writeFileSync(path, "not a database, but for its name".repeat(1000))],
  ["cut off", (path) => truncateSync(path, 5000)],
  ["overwritten", (path) => writeFileSync(path, readFileSync(path).fill(0xa5, 4096))],
  ["a database of something else", other],
  [
    "a folder",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
])("a file that is %s is moved aside, and limits are counted anew", async (_what, damage) => {
  const folder = fresh();
  const before = open(folder);
  for (let index = 0; index < 500; index++)
    await before.decide({
      ...{ organizationId: `org_${index}`, now: 1000, slot: null },
      take: [{ bucket: "requests", cost: 60, perMinute: 60 }],
    });
  await before[Symbol.asyncDispose]();
  logged.length = 0;
  damage(join(folder, "limits.db"));
  const after = open(folder);
  expect(logged.map(({ event }) => event)).toEqual(["limits_file_damaged"]);
  expect(existsSync(logged[0]!.movedTo!)).toBe(true);
  await take(after, 60, 1000);
  await after[Symbol.asyncDispose]();
  await using again = open(folder);
  expect((await take(again, 1, 1000)).refused).toBe("requests");
});

function other(path: string): void {
  rmSync(path);
  const sqlite = new Sqlite(path);
  sqlite.exec("create table bucket_level (name text)");
  sqlite.close();
}

test("a missing folder is created", async () => {
  await using store = open(join(fresh(), "data"));
  expect((await take(store, 1, 0)).levels[0]?.points).toBe(59);
});
