/** Promise: a key proves exactly who it was made for, for as long as it holds, and its secret is stored nowhere. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Accounts, openAccounts } from "../../src/account/accounts.ts";
import { SCOPES } from "../../src/account/principal.ts";
import type { Database } from "../../src/db/open.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { heldClock } from "../harness.ts";

const MINUTE = 60_000;
let folder: string;
let database: Database;
let accounts: Accounts;
let clock: ReturnType<typeof heldClock>;
let first: { id: string; secret: string };
let home: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-accounts-"));
  database = openSqlite(folder);
  clock = heldClock();
  accounts = openAccounts(database, clock);
  const started = (await accounts.firstStart())!;
  first = started.key;
  home = (await accounts.defaultProject(started.organizationId))!.id;
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const code = (name: string) => expect.objectContaining({ code: name });
const now = () => Math.floor(clock.now() / 1000);
const newKey = (expiresAt: number | null = null) =>
  accounts.createKey({
    projectId: home,
    name: "another",
    environment: "test",
    scopes: ["catalog:read"],
    expiresAt,
  });

describe("the first start", () => {
  test("makes one project and one live key that may do everything", async () => {
    expect(first.secret).toMatch(/^sk_live_[0-9A-Za-z]{40}$/);
    expect((await accounts.project(home))!.name).toBe("Default");
    const principal = await accounts.authenticate(first.secret);
    expect(principal).toMatchObject({ keyId: first.id, environment: "live" });
    expect([...principal.scopes].sort()).toEqual([...SCOPES].sort());
  });

  test("happens once, also for a second process", async () => {
    expect(await accounts.firstStart()).toBeNull();
    await using second = openSqlite(folder);
    expect(await openAccounts(second, clock).firstStart()).toBeNull();
    expect((await accounts.listKeys()).length).toBe(1);
  });
});

describe("a key", () => {
  test("is nowhere on the disk in clear", async () => {
    const made = await newKey();
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name)).toString("latin1");
      for (const { secret } of [first, made]) expect(bytes.includes(secret.slice(12))).toBe(false);
    }
  });

  test("is listed newest first, without its secret", async () => {
    clock.pass(5000);
    const made = await newKey();
    const [newest, oldest] = await accounts.listKeys();
    const { secret, ...record } = made;
    expect(newest).toEqual(record);
    expect(oldest!.id).toBe(first.id);
    expect(record).toMatchObject({
      object: "api_key",
      environment: "test",
      prefix: secret.slice(0, 12),
      last4: secret.slice(-4),
      status: "active",
      created_at: now(),
      last_used_at: null,
    });
  });

  test("remembers when it was last used, to the minute", async () => {
    const used = async () => (await accounts.listKeys())[0]!.last_used_at;
    await accounts.authenticate(first.secret);
    const begun = now();
    expect(await used()).toBe(begun);
    clock.pass(MINUTE / 2);
    await accounts.authenticate(first.secret);
    expect(await used()).toBe(begun);
    clock.pass(MINUTE / 2);
    await accounts.authenticate(first.secret);
    expect(await used()).toBe(now());
  });

  test("expires the second its time comes", async () => {
    const made = await newKey(now() + 60);
    clock.pass(MINUTE - 1000);
    expect((await accounts.authenticate(made.secret)).keyId).toBe(made.id);
    clock.pass(1000);
    await expect((async () => accounts.authenticate(made.secret))()).rejects.toEqual(code("api_key_expired"));
    expect((await accounts.key(made.id))!.status).toBe("expired");
  });

  test("is revoked once, and revoking again changes nothing", async () => {
    const revoked = (await accounts.revokeKey(first.id))!;
    clock.pass(MINUTE);
    expect(await accounts.revokeKey(first.id)).toEqual(revoked);
    expect(revoked).toMatchObject({ status: "revoked", revoked_at: now() - 60 });
    await expect((async () => accounts.authenticate(first.secret))()).rejects.toEqual(
      code("api_key_revoked"),
    );
    expect(await accounts.revokeKey("key_nobody")).toBeNull();
  });

  test("revoked by another process is refused within a second", async () => {
    await accounts.authenticate(first.secret);
    await using second = openSqlite(folder);
    await openAccounts(second, clock).revokeKey(first.id);
    clock.pass(1000);
    await expect((async () => accounts.authenticate(first.secret))()).rejects.toEqual(
      code("api_key_revoked"),
    );
  });

  test("made after it was asked for in vain is known at once", async () => {
    await using second = openSqlite(folder);
    const elsewhere = openAccounts(second, clock);
    const made = await newKey();
    expect((await elsewhere.authenticate(made.secret)).keyId).toBe(made.id);
  });

  test.each([
    "",
    "sk_live_",
    `sk_live_${"a".repeat(39)}`,
    `sk_live_${"a".repeat(40)}`,
    `SK_LIVE_${"a".repeat(40)}`,
  ])("%j is known to nobody", async (secret) => {
    await expect((async () => accounts.authenticate(secret))()).rejects.toEqual(code("invalid_api_key"));
  });
});
