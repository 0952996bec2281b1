/**
 * Promise: a batch whose node is killed at any step ends with one answer, one job and one charge a line, as an undisturbed one, and
 * leaves no file twice.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundled } from "../bundled.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { putMigrated } from "../migrated.ts";
import { firstPrincipal, openJobNode, PRICE_MICROS } from "./job-node.ts";
import { BATCH_STEPS, type BatchOrders, doBatch, LINES } from "./killed-batch.ts";

const PROCESS = await bundled(join(import.meta.dir, "killed-batch.ts"));
const NOW_MS = Date.UTC(2026, 0, 2);
const LEASE_MS = 30_000;
const LATER_MS = 10 * LEASE_MS;

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "loquat-killed-batch-"));
});
afterAll(() => rmSync(root, { recursive: true }));

type Place = Pick<BatchOrders, "folder" | "url"> & { keyId: string };

const folderOf = (name: string) => mkdtempSync(join(root, `${name}-`));

async function freshSqlite(): Promise<Place> {
  const folder = folderOf("data");
  await putMigrated(folder);
  return fresh({ folder, url: null });
}

async function fresh(place: Pick<BatchOrders, "folder" | "url">): Promise<Place> {
  await using node = await openJobNode({ ...place, clock: { now: () => NOW_MS } });
  return { ...place, keyId: (await firstPrincipal(node)).keyId };
}

/** Returns the signal that ended the process; null: it ended by itself. */
async function run(orders: Omit<BatchOrders, "nowMs"> & { nowMs?: number }): Promise<unknown> {
  const child = Bun.spawn([process.execPath, PROCESS], { stdin: "pipe", stderr: "inherit" });
  child.stdin.write(JSON.stringify({ nowMs: NOW_MS, ...orders } satisfies BatchOrders));
  await child.stdin.end();
  await child.exited;
  if (child.signalCode === null) expect(child.exitCode).toBe(0);
  return child.signalCode;
}

async function expectOnce({ folder, url, keyId }: Place): Promise<void> {
  await using node = await openJobNode({ folder, url, clock: { now: () => NOW_MS + 2 * LATER_MS } });
  const principal = await node.accounts.principalOfStarter(keyId);
  const { query, tables } = node.database;
  const [batch, ...others] = await query.select().from(tables.batch);
  expect(others).toEqual([]);
  expect(batch).toMatchObject({ status: "completed", lines: 3, completedLines: 2, failedLines: 1 });
  const jobs = await query.select().from(tables.job);
  expect(jobs.map(({ status }) => status)).toEqual(["completed", "completed"]);
  const charges = await query.select().from(tables.usageEvent);
  expect(charges.map(({ id, costMicros }) => `${id} ${costMicros}`).toSorted()).toEqual(
    jobs.map(({ id, characters }) => `${id}.1 ${(characters! * PRICE_MICROS) / 1e6}`).toSorted(),
  );
  expect(await query.select().from(tables.work)).toEqual([]);
  const linesIn = async (id: string) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of node.files.files.content({ id })) pieces.push(piece);
    return Buffer.concat(pieces)
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  const output = await linesIn(batch!.outputFileId!);
  expect(output.map(({ custom_id }) => custom_id)).toEqual(["line 0", "line 2"]);
  const sounds = output.map(({ response }) => response.body.file_id as string);
  const errors = await linesIn(batch!.errorFileId!);
  expect(errors.map(({ custom_id }) => custom_id)).toEqual(["line 1"]);
  const files = await node.files.files.list(principal, {
    purpose: null,
    order: "asc",
    after: null,
    limit: 100,
  } as never);
  expect(files.map(({ id }) => id).toSorted()).toEqual(
    [batch!.inputFileId, batch!.outputFileId!, batch!.errorFileId!, ...sounds].toSorted(),
  );
  for (const id of sounds)
    expect((await node.files.files.find(principal, id))!.bytes).toBeGreaterThan(44 + LINES[0]!.length);
}

async function expectWhole(place: Place, step: BatchOrders["step"]): Promise<void> {
  expect(await run({ ...place, step })).toBe(step === "none" ? null : "SIGKILL");
  await doBatch({ ...place, keyId: null, step: "none", nowMs: NOW_MS + LATER_MS });
  await expectOnce(place);
}

const ALL = ["none", ...BATCH_STEPS] as const;

test.each(ALL)("on SQLite, a batch whose process is killed once it is %s ends once", async (step) => {
  await expectWhole(await freshSqlite(), step);
});

const server = await openPostgres();
afterAll(() => server?.[Symbol.asyncDispose]());
const onPostgres = server ? test.each(ALL) : test.skip.each(ALL);

describe("on PostgreSQL, another node goes on", () => {
  onPostgres("with a batch whose node is killed once it is %s", async (step) => {
    const own = (await openPostgres())!;
    try {
      await expectWhole(await fresh({ folder: folderOf("files"), url: own.url }), step);
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });
});
