/** Promise: what was read of keys and pronunciations is kept while nothing changes, and no longer, whichever process changes it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { type Accounts, openAccounts } from "../../src/accounts/accounts.ts";
import { openSqlite, SQLITE_FILE, type SqliteDatabase } from "../../src/db/open-sqlite.ts";
import { openPronunciations } from "../../src/pronunciations/pronunciations.ts";
import { heldClock } from "../harness.ts";
import { putMigrated } from "../migrated.ts";

let folder: string;
let database: SqliteDatabase;
let other: Sqlite.Database;
let clock: ReturnType<typeof heldClock>;
let accounts: Accounts;
let first: { id: string; secret: string };
let organizationId: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-changes-"));
  await putMigrated(folder);
  database = openSqlite(folder);
  other = new Sqlite(join(folder, SQLITE_FILE)); // as another process
  clock = heldClock();
  accounts = openAccounts(database, clock);
  ({ key: first, organizationId } = (await accounts.firstStart())!);
});
afterEach(async () => {
  other.close();
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const count = () => database.changes!("accounts");
/** By how many changes are counted meanwhile. */
function countedOf(sql: string): number {
  const before = count();
  other.exec(sql);
  return count() - before;
}

describe("counted", () => {
  test("each row that is made, changed or deleted, once it is committed", () => {
    expect(countedOf("update api_key set revoked_at = 1")).toBe(1);
    expect(countedOf("update project set status = 'archived'")).toBe(1);
    expect(countedOf("update organization set status = 'suspended'")).toBe(1);
    expect(
      countedOf(`insert into project (id, organization_id, name, status, is_default, created_at)
        select 'proj_new', id, 'New', 'active', 0, 1 from organization`),
    ).toBe(1);
    expect(countedOf("delete from project where id = 'proj_new'")).toBe(1);
    expect(countedOf("begin; update organization set status = 'active'")).toBe(0);
    expect(countedOf("rollback")).toBe(0);
    expect(countedOf("update credit_account set month = 1")).toBe(0);
  });

  test("not that a key was used, unless something else is set with it, nor a lock of a row", () => {
    expect(countedOf("update api_key set last_used_at = 7")).toBe(0);
    expect(countedOf("update api_key set last_used_at = 8, revoked_at = 1")).toBe(1);
    expect(countedOf("update organization set id = id")).toBe(0);
  });

  test("on the other count: a pronunciation", () => {
    const before = count();
    other
      .prepare("insert into pronunciation (organization_id, key, word, alias) values (?, 'a', 'a', 'b')")
      .run(organizationId);
    expect(database.changes!("pronunciations")).toBe(1);
    expect(count()).toBe(before);
  });

  test("also where a table was made anew or has another column, and on with the same count", async () => {
    const before = count();
    other.exec("drop trigger count_update_of_api_key");
    expect(countedOf("update api_key set name = 'uncounted'")).toBe(0);
    other.exec("alter table project add column extra text");
    expect(countedOf("update project set extra = 'uncounted'")).toBe(0);
    await using again = openSqlite(folder);
    expect(again.changes!("accounts")).toBe(before);
    expect(countedOf("update api_key set name = 'counted'")).toBe(1);
    expect(countedOf("update project set extra = 'counted'")).toBe(1);
  });

  test("without a write where it is counted already", async () => {
    const version = () => other.pragma("schema_version", { simple: true });
    const before = version();
    await using _ = openSqlite(folder);
    expect(version()).toBe(before);
  });
});

describe("a key", () => {
  const principal = () => accounts.authenticate(first.secret);
  /** Keeps it in use for a while, and returns the last principal. */
  async function usedFor(seconds: number) {
    for (let second = 0; second < seconds; second++) {
      clock.pass(1000);
      await principal();
    }
    return principal();
  }

  test("is read once while nothing changes, also while its use is noted", async () => {
    const read = await principal();
    expect(await usedFor(130)).toBe(read);
    expect((await accounts.listKeys())[0]!.last_used_at).toBe(Math.floor(clock.now() / 1000) - 10);
  });

  test("that was in use for long is refused a second after another process revoked it", async () => {
    await usedFor(10);
    clock.pass(500);
    other.exec("update api_key set revoked_at = 1");
    clock.pass(999);
    await expect((async () => principal())()).rejects.toMatchObject({ code: "api_key_revoked" });
  });

  test("that was read just before it was revoked is refused a second later, too", async () => {
    const made = await accounts.createKey({
      ...{ projectId: (await accounts.defaultProject(organizationId))!.id, name: "late", scopes: [] },
      ...{ environment: "live", expiresAt: null },
    });
    await usedFor(1);
    clock.pass(900);
    await accounts.authenticate(made.secret);
    other.prepare("update api_key set revoked_at = 1 where id = ?").run(made.id);
    clock.pass(100);
    await expect((async () => accounts.authenticate(made.secret))()).rejects.toMatchObject({
      code: "api_key_revoked",
    });
  });

  test("is read again where the count cannot be read", async () => {
    await principal();
    other.exec("alter table change_count rename to away");
    clock.pass(1000);
    expect((await principal()).keyId).toBe(first.id);
    other.exec("drop trigger count_update_of_api_key; update api_key set revoked_at = 1");
    clock.pass(1000);
    await expect((async () => principal())()).rejects.toMatchObject({ code: "api_key_revoked" });
  });

  test("has its later price from that second on, without a change of its row", async () => {
    const at = Math.floor(clock.now() / 1000) + 90;
    await accounts.setPriceFactor(organizationId, 5000, at);
    expect((await usedFor(89)).priceFactor).toBe(10_000);
    expect((await usedFor(1)).priceFactor).toBe(5000);
  });
});

test("a dictionary is kept while none changes, and read again once one did", async () => {
  const pronunciations = openPronunciations(database, clock);
  const read = await pronunciations.dictionaryOf(organizationId);
  clock.pass(60_000);
  expect(await pronunciations.dictionaryOf(organizationId)).toBe(read);
  other
    .prepare("insert into pronunciation (organization_id, key, word, alias) values (?, 'a', 'a', 'b')")
    .run(organizationId);
  clock.pass(1000);
  expect(await pronunciations.dictionaryOf(organizationId)).not.toBe(read);
});
