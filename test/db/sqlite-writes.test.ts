/** Promise: the server continues while another process locks its embedded database, and no write is lost. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { eq } from "drizzle-orm";
import { readConfig } from "../../src/config/config.ts";
import { isConflict } from "../../src/db/database.ts";
import { openStorage, type Storage } from "../../src/server/storage.ts";
import { quietFor } from "../until.ts";

let folder: string;
let storage: Storage;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-writes-"));
  storage = await openStorage(readConfig({ LOQUAT_DATA: folder }), { writer: "thread" });
});
afterEach(async () => {
  await storage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const row = (id: string) => ({ id, type: "test", handledAt: 1 });
const ids = async () => (await query().select().from(events())).map(({ id }) => id).sort();
const query = () => storage.database.query;
const events = () => storage.database.tables.stripeEvent;

test("a write waits for another process's transaction, and nothing else waits", async () => {
  await storage.accounts.createOrganization("Before");
  const other = new Sqlite(join(folder, "loquat.db"));
  other.exec("begin immediate");
  let isWritten = false;
  const written = storage.accounts.createOrganization("Waiting").then(() => {
    isWritten = true;
  });
  const inserted = query().insert(events()).values(row("evt_1"));
  const done = Promise.all([written, inserted]);
  for (let turn = 0; turn < 20; turn++) {
    await quietFor(10); // which never returned while the event loop stood for the lock
    expect(await storage.accounts.answers()).toBe(true);
  }
  expect(isWritten).toBe(false);
  other.exec("commit");
  other.close();
  await done;
  expect(await ids()).toEqual(["evt_1"]);
});

test("a write is visible to the next read, and returns rows where requested", async () => {
  const [made] = await query().insert(events()).values(row("evt_1")).returning();
  expect(made).toEqual(row("evt_1"));
  const changed = await query()
    .update(events())
    .set({ type: "other" })
    .where(eq(events().id, "evt_1"))
    .returning();
  expect(changed.map(({ type }) => type)).toEqual(["other"]);
  expect(
    await query().update(events()).set({ type: "x" }).where(eq(events().id, "none")).returning(),
  ).toEqual([]);
  expect(await ids()).toEqual(["evt_1"]);
  await query().delete(events()).where(eq(events().id, "evt_1"));
  expect(await ids()).toEqual([]);
});

test("many writes at once are all made, except for conflicting ones", async () => {
  const inserted = Array.from({ length: 1000 }, (_, index) => `evt_${index % 700}`);
  const outcomes = await Promise.allSettled(inserted.map((id) => query().insert(events()).values(row(id))));
  const failed = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  expect(failed.length).toBe(300);
  expect(failed.every(isConflict)).toBe(true);
  expect((await ids()).length).toBe(700);
});

test("a transaction makes all of its writes or none", async () => {
  const insert = (id: string) => query().insert(events()).values(row(id));
  await storage.database.atomically([insert("evt_1"), insert("evt_2")]);
  const refused = await storage.database
    .atomically([insert("evt_3"), insert("evt_1")])
    .catch((error: unknown) => error);
  expect(isConflict(refused)).toBe(true);
  expect(await ids()).toEqual(["evt_1", "evt_2"]);
});
