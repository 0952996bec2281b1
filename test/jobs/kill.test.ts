/** Promise: a job whose node is killed at any step ends, with the words of an undisturbed one and one charge. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundled } from "../bundled.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { putMigrated } from "../migrated.ts";
import {
  firstPrincipal,
  goOn,
  type JobNode,
  openJobNode,
  PRICE_MICROS,
  type Principal,
  textOf,
} from "./job-node.ts";
import { type Orders, STEPS } from "./killed-job.ts";

const PROCESS = await bundled(join(import.meta.dir, "killed-job.ts"));
const NOW_MS = Date.UTC(2026, 0, 2);
const LEASE_MS = 30_000;
const SECONDS = 620; // two pieces of five minutes at most, and the rest

let root: string;
let undisturbed: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "loquat-killed-jobs-"));
  const place = await freshSqlite();
  await run({ ...place, step: "none" });
  undisturbed = await ended(place);
});
afterAll(() => rmSync(root, { recursive: true }));

type Place = Pick<Orders, "folder" | "url"> & { keyId: string };

const folderOf = (name: string) => mkdtempSync(join(root, `${name}-`));

async function freshSqlite(): Promise<Place> {
  const folder = folderOf("data");
  await putMigrated(folder);
  return fresh({ folder, url: null });
}

async function fresh(place: Pick<Orders, "folder" | "url">): Promise<Place> {
  await using node = await openJobNode({ ...place, clock: { now: () => NOW_MS } });
  return { ...place, keyId: (await firstPrincipal(node)).keyId };
}

/** Returns the signal that ended the process; null: it ended by itself. */
async function run(orders: Omit<Orders, "nowMs" | "seconds"> & { nowMs?: number }): Promise<unknown> {
  const child = Bun.spawn([process.execPath, PROCESS], { stdin: "pipe", stderr: "inherit" });
  child.stdin.write(JSON.stringify({ nowMs: NOW_MS, seconds: SECONDS, ...orders } satisfies Orders));
  await child.stdin.end();
  await child.exited;
  if (child.signalCode === null) expect(child.exitCode).toBe(0);
  return child.signalCode;
}

const chargesOf = ({ database: { query, tables } }: JobNode) => query.select().from(tables.usageEvent);

async function onlyJob(node: JobNode, principal: Principal) {
  const [job] = await node.jobs.list(principal, { status: null, after: null, limit: 2 });
  return job!.row;
}

/** The words of the only job, once everything else is as it must be. */
async function ended({ folder, url, keyId }: Place): Promise<string> {
  await using node = await openJobNode({ folder, url, clock: { now: () => NOW_MS + 10 * LEASE_MS } });
  const principal = await node.accounts.principalOfStarter(keyId);
  const row = await onlyJob(node, principal);
  const costMicros = (SECONDS * PRICE_MICROS) / 1e6;
  expect(row).toMatchObject({
    status: "completed",
    samples: SECONDS * 16_000,
    costMicros,
    reservedMicros: 0,
  });
  expect(await chargesOf(node)).toMatchObject([{ id: row.id, costMicros, quantity: SECONDS }]);
  expect(await node.database.query.select().from(node.database.tables.work)).toEqual([]);
  await node.cleanFiles();
  expect(await node.database.query.select().from(node.database.tables.filePart)).toEqual([]);
  return await textOf(node, principal, row.id); // before the node is closed
}

async function expectWhole(place: Place, step: Orders["step"]): Promise<void> {
  expect(await run({ ...place, step })).toBe("SIGKILL");
  await goOn(place, NOW_MS + LEASE_MS);
  const text = await ended(place);
  expect(text).toBe(undisturbed);
}

test("an undisturbed job is cut into pieces, and keeps the language of the first", () => {
  expect(undisturbed.split(" ").length).toBe(6);
});

test.each(STEPS)(
  "on SQLite, a job whose process is killed once it is %s ends as if it had not been",
  async (step) => {
    await expectWhole(await freshSqlite(), step);
  },
);

const server = await openPostgres();
afterAll(() => server?.[Symbol.asyncDispose]());
const onPostgres = server ? test.each(STEPS) : test.skip.each(STEPS);

describe("on PostgreSQL, another node goes on", () => {
  onPostgres("with a job whose node is killed once it is %s", async (step) => {
    const own = (await openPostgres())!;
    try {
      await expectWhole(await fresh({ folder: folderOf("files"), url: own.url }), step);
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });
});

test("a job that kills its process three times fails, and costs nothing", async () => {
  const place = await freshSqlite();
  for (let attempt = 0; attempt < 3; attempt++) {
    const keyId = attempt === 0 ? place.keyId : null;
    expect(await run({ ...place, keyId, step: "begun", nowMs: NOW_MS + attempt * LEASE_MS })).toBe("SIGKILL");
  }
  await goOn(place, NOW_MS + 3 * LEASE_MS);
  await using node = await openJobNode({ ...place, clock: { now: () => NOW_MS } });
  const row = await onlyJob(node, await node.accounts.principalOfStarter(place.keyId));
  expect(row).toMatchObject({ status: "failed", errorCode: "internal_error", costMicros: 0 });
  expect(await chargesOf(node)).toEqual([]);
});
