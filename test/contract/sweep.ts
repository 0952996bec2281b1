/** Which expired rows are deleted, on every database; all others stay. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Accounts, openAccounts } from "../../src/accounts/accounts.ts";
import type { Database } from "../../src/db/database.ts";
import { openBudgetRows } from "../../src/db/queries/budget-rows.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

const DAY = 86_400_000;

export function sweepContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, the cleanup job`, () => {
    let fixture: AccountFixture;
    let database: Database;
    let accounts: Accounts;
    let organizationId: string;
    const clock = heldClock();
    beforeEach(async () => {
      fixture = await prepare();
      database = await fixture.open();
      accounts = openAccounts(database, clock);
      ({ organizationId } = (await accounts.firstStart())!);
    });
    afterEach(async () => {
      await database[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const inMs = (ms: number) => new Date(clock.now() + ms);
    async function newUser(name: string, { ageMs = 0, emailVerified = false } = {}) {
      const { user, credential } = database.tables;
      const times = { createdAt: inMs(-ageMs), updatedAt: inMs(-ageMs) };
      await database.query
        .insert(user)
        .values({ id: name, name, email: `${name}@example.com`, emailVerified, ...times });
      const access = { id: `cred_${name}`, userId: name, accountId: name, providerId: "credential" };
      await database.query.insert(credential).values({ ...access, password: "x", ...times });
    }
    const idsOf = async (table: "user" | "session" | "verification" | "invitation" | "credential") =>
      (await database.query.select().from(database.tables[table])).map(({ id }) => id).sort();

    test("deletes accounts that were not verified for a week, and their data", async () => {
      await newUser("old", { ageMs: 7 * DAY });
      await newUser("young", { ageMs: 7 * DAY - 1000 });
      await newUser("verified", { ageMs: 70 * DAY, emailVerified: true });
      await newUser("seated", { ageMs: 70 * DAY });
      const seat = { id: "mem_1", organizationId, userId: "seated", role: "owner", createdAt: inMs(0) };
      await database.query.insert(database.tables.member).values(seat);
      await accounts.forgetOld();
      expect(await idsOf("user")).toEqual(["seated", "verified", "young"]);
      expect(await idsOf("credential")).toEqual(["cred_seated", "cred_verified", "cred_young"]);
    });

    test("forgets what was counted of budgets long ago, but not the last of each", async () => {
      const { query, tables } = database;
      const row = (subject: string, start: number) => ({ organizationId, subject, start, micros: 1 });
      await query.insert(tables.budgetPeriod).values([row("key_1", 1), row("key_1", 2), row("key_2", 3)]);
      await query.insert(tables.budgetPeriod).values([row("key_1", 1000), row("key_1", 1001)]);
      expect(await openBudgetRows(database).forget(1000)).toBeFalse();
      const left = (await query.select().from(tables.budgetPeriod)).map(({ start }) => start);
      expect(left.sort((a, b) => a - b)).toEqual([3, 1000, 1001]);
    });

    test("deletes expired sessions, links, attempts, invitations and client secrets", async () => {
      const { query, tables } = database;
      const { session, verification, invitation, attempt, clientSecret } = tables;
      await newUser("ann", { emailVerified: true });
      const times = { createdAt: inMs(-DAY), updatedAt: inMs(-DAY) };
      for (const [id, expiresAt] of [
        ["over", inMs(0)],
        ["live", inMs(1000)],
      ] as const) {
        await query.insert(session).values({ id, userId: "ann", token: id, expiresAt, ...times });
        await query.insert(verification).values({ id, identifier: id, value: "x", expiresAt, ...times });
        const until = expiresAt.getTime() / 1000;
        await query.insert(attempt).values({ key: id, count: 1, until: Math.floor(until) });
        const asked = { id, organizationId, email: "b@example.com", role: "member", inviterId: "ann" };
        const endedAt = new Date(expiresAt.getTime() - 30 * DAY);
        await query
          .insert(invitation)
          .values({ ...asked, status: "pending", expiresAt: endedAt, createdAt: inMs(-40 * DAY) });
        const keyId = (await accounts.listKeys())[0]!.id;
        const endSeconds = Math.floor(until) - 61;
        const secret = { hash: Buffer.from(id), keyId, session: {}, createdAt: 0, expiresAt: endSeconds };
        await query.insert(clientSecret).values(secret);
      }
      await accounts.forgetOld();
      for (const table of ["session", "verification", "invitation"] as const)
        expect([table, await idsOf(table)]).toEqual([table, ["live"]]);
      expect((await query.select().from(attempt)).map(({ key }) => key)).toEqual(["live"]);
      expect((await query.select().from(clientSecret)).map(({ hash }) => hash.toString())).toEqual(["live"]);
    });

    test("deletes more rows than one step takes", async () => {
      const rows = Array.from({ length: 1100 }, (_, index) => ({ key: `try ${index}`, count: 1, until: 0 }));
      await database.query.insert(database.tables.attempt).values(rows);
      await accounts.forgetOld();
      expect(await database.query.select().from(database.tables.attempt)).toEqual([]);
    });
  });
}
