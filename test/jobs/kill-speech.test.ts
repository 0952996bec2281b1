/** Promise: a job that speaks, whose node is killed at any step, ends with the sound of an undisturbed one and one charge a chapter. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundled } from "../bundled.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { putMigrated } from "../migrated.ts";
import { firstPrincipal, goOn, openJobNode, PRICE_MICROS, soundOf } from "./job-node.ts";
import { SPEECH_STEPS, type SpeechOrders, TEXTS } from "./killed-speech.ts";

const PROCESS = await bundled(join(import.meta.dir, "killed-speech.ts"));
const NOW_MS = Date.UTC(2026, 0, 2);
const LEASE_MS = 30_000;

let root: string;
let undisturbed: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "loquat-killed-speech-"));
  const place = await freshSqlite();
  await run({ ...place, step: "none" });
  undisturbed = await ended(place);
});
afterAll(() => rmSync(root, { recursive: true }));

type Place = Pick<SpeechOrders, "folder" | "url"> & { keyId: string };

const folderOf = (name: string) => mkdtempSync(join(root, `${name}-`));

async function freshSqlite(): Promise<Place> {
  const folder = folderOf("data");
  await putMigrated(folder);
  return fresh({ folder, url: null });
}

async function fresh(place: Pick<SpeechOrders, "folder" | "url">): Promise<Place> {
  await using node = await openJobNode({ ...place, clock: { now: () => NOW_MS } });
  return { ...place, keyId: (await firstPrincipal(node)).keyId };
}

/** Returns the signal that ended the process; null: it ended by itself. */
async function run(orders: Omit<SpeechOrders, "nowMs"> & { nowMs?: number }): Promise<unknown> {
  const child = Bun.spawn([process.execPath, PROCESS], { stdin: "pipe", stderr: "inherit" });
  child.stdin.write(JSON.stringify({ nowMs: NOW_MS, ...orders } satisfies SpeechOrders));
  await child.stdin.end();
  await child.exited;
  if (child.signalCode === null) expect(child.exitCode).toBe(0);
  return child.signalCode;
}

/** A digest of all that the only job has spoken, once everything else is as it must be. */
async function ended({ folder, url, keyId }: Place): Promise<string> {
  await using node = await openJobNode({ folder, url, clock: { now: () => NOW_MS + 10 * LEASE_MS } });
  const principal = await node.accounts.principalOfStarter(keyId);
  const [job] = await node.jobs.list(principal, { status: null, after: null, limit: 2 });
  const { row } = job!;
  const costs = TEXTS.map((text) => (text.length * PRICE_MICROS) / 1e6);
  expect(row).toMatchObject({ status: "completed", costMicros: costs[0]! + costs[1]!, reservedMicros: 0 });
  const { query, tables } = node.database;
  const charges = await query.select().from(tables.usageEvent);
  expect(charges.map(({ id, costMicros }) => [id, costMicros]).toSorted()).toEqual(
    costs.map((cost, index) => [`${row.id}.${index + 1}`, cost]),
  );
  expect(await query.select().from(tables.work)).toEqual([]);
  await node.cleanFiles();
  expect((await query.select().from(tables.filePart)).length).toBe(3);
  const hash = new Bun.CryptoHasher("sha256");
  for (const chapter of [null, 1, 2]) hash.update(await soundOf(node, principal, { id: row.id, chapter }));
  hash.update(JSON.stringify(await node.speechJobs.captions(job!, null)));
  return hash.digest("hex");
}

async function expectWhole(place: Place, step: SpeechOrders["step"]): Promise<void> {
  expect(await run({ ...place, step })).toBe("SIGKILL");
  await goOn(place, NOW_MS + LEASE_MS);
  expect(await ended(place)).toBe(undisturbed);
}

test.each(SPEECH_STEPS)(
  "on SQLite, a job whose process is killed once it is %s ends as if it had not been",
  async (step) => {
    await expectWhole(await freshSqlite(), step);
  },
);

const server = await openPostgres();
afterAll(() => server?.[Symbol.asyncDispose]());
const onPostgres = server ? test.each(SPEECH_STEPS) : test.skip.each(SPEECH_STEPS);

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
