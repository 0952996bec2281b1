/** Promise: limits of one machine keep the contract, and a restart. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LimitStore } from "../../src/limit/limits.ts";
import { openSqliteLimits } from "../../src/limit/sqlite.ts";
import { limitContract } from "../contract/limit.ts";

const folders: string[] = [];
const fresh = () => {
  folders.push(mkdtempSync(join(tmpdir(), "loquat-limits-")));
  return folders.at(-1)!;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

limitContract("sqlite", async () => openSqliteLimits(fresh()), 2000);

const take = (store: LimitStore, cost: number, now: number) =>
  store.decide({
    organizationId: "org",
    now,
    take: [{ bucket: "requests", cost, perMinute: 60 }],
    slot: { id: "a", max: 1 },
  });

test("a restart fills no bucket and leaves no slot held", async () => {
  const folder = fresh();
  const before = openSqliteLimits(folder);
  await take(before, 60, 1000);
  await before[Symbol.asyncDispose]();
  await using after = openSqliteLimits(folder);
  expect(await take(after, 11, 11_000)).toMatchObject({ refused: "requests", levels: [{ points: 10 }] });
  expect(await take(after, 10, 11_000)).toMatchObject({ refused: null });
});

test("a crash forgets a second at most", async () => {
  const folder = fresh();
  await using crashed = openSqliteLimits(folder);
  await take(crashed, 60, 1000);
  await Bun.sleep(1100);
  await using after = openSqliteLimits(folder);
  expect((await take(after, 1, 1000)).refused).toBe("requests");
});
