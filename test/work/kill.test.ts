/** Promise: work whose process is killed between any two steps is done at least once, and ends. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { bundled } from "../bundled.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { putMigrated } from "../migrated.ts";
import type { Orders } from "./killed-process.ts";

const PROCESS = await bundled(join(import.meta.dir, "killed-process.ts"));
const NOW_MS = Date.UTC(2026, 0, 2);
const LEASE_MS = 30_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loquat-kill-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
const server = await openPostgres();
afterAll(() => server?.[Symbol.asyncDispose]());

async function runOne(orders: Orders): Promise<unknown> {
  const child = Bun.spawn([process.execPath, PROCESS, JSON.stringify(orders)], { stderr: "inherit" });
  await child.exited;
  return child.signalCode;
}

type Step = Orders["step"];
/** The step, and how often the row is done in all. */
const STEPS: [Step, number][] = [
  ["added", 1],
  ["claimed", 1],
  ["done", 2],
  ["settled", 1],
];

async function expectDone(orders: Omit<Orders, "step" | "nowMs">, [step, times]: [Step, number]) {
  expect(await runOne({ ...orders, step, nowMs: NOW_MS })).toBe("SIGKILL");
  if (step !== "settled")
    expect(await runOne({ ...orders, step: "none", nowMs: NOW_MS + LEASE_MS })).toBeNull();
  const effects = existsSync(orders.effects) ? readFileSync(orders.effects, "utf8") : "";
  expect(effects).toBe("done\n".repeat(times));
}

test.each(STEPS)("on SQLite, a process that is killed once the row is %s", async (step, times) => {
  const data = mkdtempSync(join(folder, "data-"));
  await putMigrated(data);
  await expectDone({ place: { folder: data }, effects: join(data, "effects") }, [step, times]);
  const database = openSqlite(data);
  expect(await database.query.select().from(database.tables.work)).toEqual([]);
  await database[Symbol.asyncDispose]();
});

const onPostgres = server ? test.each(STEPS) : test.skip.each(STEPS);
onPostgres("on PostgreSQL, a process that is killed once the row is %s", async (step, times) => {
  const effects = join(mkdtempSync(join(folder, "effects-")), "effects");
  await expectDone({ place: { url: server!.url }, effects }, [step, times]);
  expect(await server!.query("select id from work")).toEqual([]);
});

test("a payload that kills its process each time is given up after its attempts", async () => {
  const data = mkdtempSync(join(folder, "poison-"));
  await putMigrated(data);
  const orders = { place: { folder: data }, effects: join(data, "effects") };
  for (let attempt = 0; attempt < 5; attempt++)
    expect(await runOne({ ...orders, step: "done", nowMs: NOW_MS + attempt * LEASE_MS })).toBe("SIGKILL");
  expect(await runOne({ ...orders, step: "none", nowMs: NOW_MS + 5 * LEASE_MS })).toBeNull();
  expect(readFileSync(orders.effects, "utf8")).toBe(`${"done\n".repeat(5)}work_given_up\n`);
});
