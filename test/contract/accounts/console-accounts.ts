/** What accounts must do for the dashboard on every database: lists by what they are asked by, and whose is what. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { Accounts } from "../../../src/accounts/accounts.ts";
import { placeOfKey } from "../../../src/accounts/key-list.ts";
import type { KeyRecord } from "../../../src/accounts/key-record.ts";
import type { Database } from "../../../src/db/database.ts";
import type { heldClock } from "../../harness.ts";
import { until } from "../../until.ts";
import { type AccountFixture, freshAccounts, newKeyOf } from "./fresh-accounts.ts";

const MINUTE = 60_000;

export function consoleAccountContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, for the dashboard`, () => {
    let database: Database;
    let accounts: Accounts;
    let clock: ReturnType<typeof heldClock>;
    let first: { id: string; secret: string };
    let organizationId: string;
    let home: string;
    freshAccounts(prepare, (fresh) => {
      ({ database, accounts, clock, first, organizationId, home } = fresh);
    });

    const now = () => Math.floor(clock.now() / 1000);
    const newKey = (expiresAt: number | null = null) => newKeyOf(accounts, home, expiresAt);

    const all = { projectId: null, environment: null, status: null, before: null, limit: 100 } as const;

    describe("the keys of an organization", () => {
      const listed = async (filter: object = {}) =>
        (await accounts.keysOf({ organizationId, ...all, ...filter })).map(({ id }) => id);

      test("are listed newest first, by project, environment and status, from a cursor on", async () => {
        clock.pass(10);
        const ending = await newKey(now() + 60);
        clock.pass(10);
        const revoked = await newKey();
        await accounts.revokeKey(revoked.id);
        expect(await listed()).toEqual([revoked.id, ending.id, first.id]);
        expect(await listed({ limit: 1, before: revoked.id })).toEqual([ending.id]);
        expect(await listed({ status: "active" })).toEqual([ending.id, first.id]);
        expect(await listed({ environment: "live", projectId: home })).toEqual([first.id]);
        expect(await listed({ projectId: "proj_other" })).toEqual([]);
        expect(await listed({ organizationId: "org_other" })).toEqual([]);
        clock.pass(MINUTE);
        expect(await listed({ status: "expired" })).toEqual([ending.id]);
        expect(await listed({ status: "revoked" })).toEqual([revoked.id]);
      });

      test("are found by words of the name, the id and the secret's end, and counted", async () => {
        const named = (name: string) =>
          accounts.createKey({
            ...{ projectId: home, name, environment: "test", scopes: ["catalog:read"] },
            expiresAt: null,
          });
        const [calls, other] = [await named("Telephone 100%"), await named("Überall")];
        expect(await listed({ search: "phone 100%" })).toEqual([calls.id]);
        expect(await listed({ search: "100_" })).toEqual([]);
        expect(await listed({ search: "Überall" })).toEqual([other.id]);
        expect(await listed({ search: calls.id })).toEqual([calls.id]);
        expect(await listed({ search: calls.last4 })).toContain(calls.id);
        const filter = { ...all, organizationId };
        expect(await accounts.countKeys(filter)).toBe(3);
        expect(await accounts.countKeys({ ...filter, search: "TELEPHONE" })).toBe(1);
      });

      test("are listed by their last use, from a cursor on", async () => {
        clock.pass(10);
        const [used, never] = [await newKey(), await newKey()];
        await accounts.authenticate(used.secret);
        await until(async () => (await accounts.key(used.id))!.last_used_at !== null);
        const order = "last_used" as const;
        expect(await listed({ order })).toEqual([used.id, never.id, first.id]);
        const place = (key: KeyRecord) => placeOfKey(key, order);
        const before = place((await accounts.key(used.id))!);
        expect(await listed({ order, before })).toEqual([never.id, first.id]);
        expect(await listed({ order, before: place(never) })).toEqual([first.id]);
      });

      test("include one expiring playground key for each user and project, which gets a new secret", async () => {
        const made = await accounts.playgroundKey(home, "user_one");
        expect(made).toMatchObject({
          environment: "test",
          created_by: "user_one",
          expires_at: now() + 43_200,
        });
        clock.pass(10_000);
        const others = await accounts.playgroundKey(home, "user_two");
        const next = await accounts.playgroundKey(home, "user_one");
        expect(next).toMatchObject({ id: made.id, expires_at: now() + 43_200, status: "active" });
        expect(next.secret).not.toBe(made.secret);
        expect(others.id).not.toBe(made.id);
        expect((await accounts.authenticate(next.secret)).keyId).toBe(made.id);
        await expect(accounts.authenticate(made.secret)).rejects.toMatchObject({ code: "invalid_api_key" });
        expect(await listed({ isWithoutPlayground: true })).toEqual([first.id]);
        await accounts.revokeKey(made.id);
        expect((await accounts.playgroundKey(home, "user_one")).id).not.toBe(made.id);
      });
    });

    test("an organization has at most two hundred projects, and a project a thousand new keys a day", async () => {
      const { apiKey, project } = database.tables;
      const [key] = await database.query.select().from(apiKey);
      const keys = Array.from({ length: 998 }, (_, index) => ({
        ...key!,
        id: `key_${index}`,
        hash: Buffer.from(`${index}`),
      }));
      await database.query.insert(apiKey).values(keys);
      const { id } = await newKey();
      await expect(newKey()).rejects.toMatchObject({ code: "rate_limit_exceeded" });
      await expect(accounts.rotateKey(id, 0)).rejects.toMatchObject({ code: "rate_limit_exceeded" });
      clock.pass(86_400_000);
      await accounts.rotateKey(id, 0);
      const [home] = await accounts.listProjects(organizationId);
      const named = (index: number) => ({ id: `proj_${index}`, name: `${index}`, isDefault: false });
      const projects = Array.from({ length: 198 }, (_, index) => ({ ...home!, ...named(index) }));
      await database.query.insert(project).values(projects);
      await accounts.createProject(organizationId, "the last");
      await expect(accounts.createProject(organizationId, "one more")).rejects.toMatchObject({
        code: "rate_limit_exceeded",
      });
    });

    test("a rotated key's expiry is not extended by the grace period", async () => {
      const { id } = await newKey(now() + 60);
      await accounts.rotateKey(id, 3600);
      expect((await accounts.key(id))!.expires_at).toBe(now() + 60);
    });

    test("a rotated key's expiry can be moved forward, but not back", async () => {
      const { id } = await newKey();
      await accounts.rotateKey(id, 3600);
      for (const expiresAt of [null, now() + 3601])
        await expect(accounts.updateKey(id, { expiresAt })).rejects.toMatchObject({
          code: "validation_error",
        });
      expect((await accounts.key(id))!.expires_at).toBe(now() + 3600);
      expect(await accounts.updateKey(id, { expiresAt: now() + 60 })).toMatchObject({
        expires_at: now() + 60,
      });
      expect(await accounts.updateKey(id, { name: "still" })).toMatchObject({ name: "still" });
    });

    test("an organization belongs to its creator, and other users have no role in it", async () => {
      const { user } = database.tables;
      expect(await accounts.isFresh()).toBe(true);
      const [createdAt, email] = [new Date(clock.now()), "a@example.com"];
      const person = {
        id: "user_one",
        name: "A",
        email,
        emailVerified: true,
        createdAt,
        updatedAt: createdAt,
      };
      await database.query.insert(user).values(person);
      expect(await accounts.isFresh()).toBe(false);
      const made = await accounts.createOrganization("Theirs", { ownerId: person.id });
      expect(await accounts.memberships(person.id)).toEqual([{ organization: made, role: "owner" }]);
      expect(await accounts.roleIn(made.id, person.id)).toBe("owner");
      expect(await accounts.roleIn(organizationId, person.id)).toBeNull();
      expect(await accounts.renameOrganization(made.id, "Still")).toEqual({ ...made, name: "Still" });
      expect(await accounts.renameOrganization("org_nobody", "x")).toBeNull();
    });

    describe("a user", () => {
      const OWNER = "user_owner";
      const MEMBER = "user_member";
      beforeEach(async () => {
        const now = new Date(clock.now());
        owner.organizationId = organizationId;
        for (const id of [OWNER, MEMBER]) {
          const email = `${id}@example.com`;
          const row = { id, name: id, email, emailVerified: true, createdAt: now, updatedAt: now };
          await database.query.insert(database.tables.user).values(row);
        }
      });
      const seat = (userId: string, role: string) =>
        database.query
          .insert(database.tables.member)
          .values({ id: `mem_${userId}`, organizationId, userId, role, createdAt: new Date(clock.now()) });
      const owner = { userId: OWNER, organizationId: "" };
      const keyBy = (createdBy: string, projectId = home) =>
        accounts.createKey({
          ...{ projectId, name: createdBy, environment: "test", scopes: ["catalog:read"] },
          ...{ expiresAt: null, createdBy },
        });
      const status = async ({ id }: { id: string }) => (await accounts.key(id))!.status;

      test("who is removed loses the keys they created, unless those are kept", async () => {
        await seat(OWNER, "owner");
        await seat(MEMBER, "member");
        const elsewhere = await accounts.createOrganization("Elsewhere", { ownerId: MEMBER });
        const away = await keyBy(MEMBER, (await accounts.defaultProject(elsewhere.id))!.id);
        const [theirs, owners] = [await keyBy(MEMBER), await keyBy(OWNER)];
        const filter = { ...all, organizationId, createdBy: MEMBER };
        expect((await accounts.keysOf(filter)).map(({ id }) => id)).toEqual([theirs.id]);
        await accounts.removeMember(owner, `mem_${MEMBER}`, "keep");
        expect(await status(theirs)).toBe("active");
        await seat(MEMBER, "member");
        await accounts.removeMember(owner, `mem_${MEMBER}`);
        expect(await status(theirs)).toBe("revoked");
        expect([await status(owners), await status(first as never), await status(away)]).toEqual(
          Array(3).fill("active"),
        );
      });

      test("who leaves loses their keys, unless an admin keeps them; the last owner cannot leave", async () => {
        await seat(OWNER, "owner");
        await seat(MEMBER, "member");
        const member = { userId: MEMBER, organizationId };
        const [theirs, owners] = [await keyBy(MEMBER), await keyBy(OWNER)];
        await expect(accounts.leave(owner)).rejects.toMatchObject({ code: "last_owner" });
        await expect(accounts.leave(member, "keep")).rejects.toMatchObject({ code: "insufficient_role" });
        expect([await status(theirs), await status(owners)]).toEqual(["active", "active"]);
        await accounts.leave(member);
        expect([await status(theirs), await status(owners)]).toEqual(["revoked", "active"]);
        await seat(MEMBER, "admin");
        const kept = await keyBy(MEMBER);
        await accounts.leave(member, "keep");
        expect(await status(kept)).toBe("active");
      });

      test("owns at most ten organizations, however many are created at once", async () => {
        await seat(MEMBER, "admin"); // which belongs to no user
        const made = await Promise.allSettled(
          Array.from({ length: 14 }, (_, index) =>
            accounts.createOrganization(`${index}`, { ownerId: MEMBER }),
          ),
        );
        const refused = made.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
        expect(refused).toEqual(Array(4).fill("rate_limit_exceeded"));
        expect((await accounts.memberships(MEMBER)).length).toBe(11);
        expect((await accounts.listOrganizations()).length).toBe(11);
        await accounts.createOrganization("of the command line");
        await accounts.createOrganization("another's", { ownerId: OWNER });
      });
    });
  });
}
