/** What accounts must do on every database: a key proves exactly who it was made for, for as long as it holds. */
import { describe, expect, test } from "bun:test";
import { type Accounts, openAccounts } from "../../../src/accounts/accounts.ts";
import { USUAL_SCOPES } from "../../../src/scopes.ts";
import type { heldClock } from "../../harness.ts";
import { takes } from "../../until.ts";
import { type AccountFixture, freshAccounts, newKeyOf } from "./fresh-accounts.ts";

const MINUTE = 60_000;

export function accountContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(store, () => {
    let fixture: AccountFixture;
    let accounts: Accounts;
    let clock: ReturnType<typeof heldClock>;
    let first: { id: string; secret: string };
    let organizationId: string;
    let home: string;
    freshAccounts(prepare, (fresh) => {
      ({ fixture, accounts, clock, first, organizationId, home } = fresh);
    });

    const code = (name: string) => expect.objectContaining({ code: name });
    const now = () => Math.floor(clock.now() / 1000);
    const newKey = (expiresAt: number | null = null) => newKeyOf(accounts, home, expiresAt);

    describe("the first start", () => {
      test("creates one project and one live key with the usual scopes", async () => {
        expect(first.secret).toMatch(/^sk_live_[0-9A-Za-z]{40}$/);
        expect((await accounts.project(home))!.name).toBe("Default");
        const principal = await accounts.authenticate(first.secret);
        expect(principal).toMatchObject({ keyId: first.id, environment: "live" });
        expect([...principal.scopes].sort()).toEqual([...USUAL_SCOPES].sort());
      });

      test("creates them once, also with a second process", async () => {
        expect(await accounts.firstStart()).toBeNull();
        await using second = await fixture.open();
        expect(await openAccounts(second, clock).firstStart()).toBeNull();
        expect((await accounts.listKeys()).length).toBe(1);
      });
    });

    describe("the price factor of an organization", () => {
      const factor = async () => {
        clock.pass(1000); // keys are cached for a second
        return (await accounts.authenticate(first.secret)).priceFactor;
      };
      const set = (value: number, from: number | null = null) =>
        accounts.setPriceFactor(organizationId, value, from);

      test("is that of list prices until it is set, and holds within a second", async () => {
        expect(await factor()).toBe(10_000);
        await set(8000);
        expect(await factor()).toBe(8000);
        expect((await accounts.principalOfStarter(first.id)).priceFactor).toBe(8000);
        expect(await accounts.setPriceFactor("org_none", 1, null)).toBeNull();
      });

      test("holds from its day on, and the one before until then", async () => {
        await set(8000);
        await set(5000, now() + 60);
        expect(await factor()).toBe(8000);
        await set(0, now() + 120);
        clock.pass(MINUTE);
        expect(await factor()).toBe(8000);
        clock.pass(MINUTE);
        expect(await factor()).toBe(0);
      });

      test("has no effect while the organization is unmetered", async () => {
        await set(8000);
        await accounts.setPlan(organizationId, "unmetered");
        expect(await factor()).toBe(10_000);
        await accounts.setPlan(organizationId, "prepaid");
        expect(await factor()).toBe(8000);
      });
    });

    describe("a key", () => {
      test("has a secret that is not stored in clear text", async () => {
        const made = await newKey();
        const stored = await fixture.stored();
        expect(stored).toContain(made.id);
        for (const { secret } of [first, made]) expect(stored.includes(secret.slice(12))).toBe(false);
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

      test("records when it was last used, to the minute", async () => {
        const used = async () => {
          await takes(30); // it is recorded in the background
          return (await accounts.listKeys())[0]!.last_used_at;
        };
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

      test("expires at the second of its expiry", async () => {
        const made = await newKey(now() + 60);
        clock.pass(MINUTE - 1000);
        expect((await accounts.authenticate(made.secret)).keyId).toBe(made.id);
        clock.pass(1000);
        await expect((async () => accounts.authenticate(made.secret))()).rejects.toEqual(
          code("api_key_expired"),
        );
        expect((await accounts.key(made.id))!.status).toBe("expired");
      });

      test("can be revoked twice without a change", async () => {
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
        await using second = await fixture.open();
        await openAccounts(second, clock).revokeKey(first.id);
        clock.pass(1000);
        await expect((async () => accounts.authenticate(first.secret))()).rejects.toEqual(
          code("api_key_revoked"),
        );
      });

      test("created after a failed lookup of its secret works at once", async () => {
        await using second = await fixture.open();
        const elsewhere = openAccounts(second, clock);
        const made = await newKey();
        expect((await elsewhere.authenticate(made.secret)).keyId).toBe(made.id);
      });

      test("can change its name, scopes and expiry independently", async () => {
        expect(await accounts.updateKey(first.id, { name: "renamed" })).toMatchObject({ name: "renamed" });
        await accounts.updateKey(first.id, { scopes: ["catalog:read"] });
        const end = now() + 60;
        expect(await accounts.updateKey(first.id, { expiresAt: end })).toMatchObject({
          name: "renamed",
          scopes: ["catalog:read"],
          expires_at: end,
        });
        clock.pass(1000);
        expect([...(await accounts.authenticate(first.secret)).scopes]).toEqual(["catalog:read"]);
        expect(await accounts.updateKey("key_nobody", { name: "x" })).toBeNull();
      });

      test("rotated differs only in its secret, and the old one works for the grace period", async () => {
        const fresh = (await accounts.rotateKey(first.id, 60))!;
        expect(fresh).toMatchObject({ name: "first", environment: "live", scopes: [...USUAL_SCOPES] });
        expect((await accounts.authenticate(fresh.secret)).keyId).toBe(fresh.id);
        clock.pass(MINUTE - 1000);
        expect((await accounts.authenticate(first.secret)).keyId).toBe(first.id);
        clock.pass(1000);
        await expect((async () => accounts.authenticate(first.secret))()).rejects.toEqual(
          code("api_key_expired"),
        );
        await expect(accounts.rotateKey(first.id, 0)).rejects.toEqual(code("key_not_active"));
        await accounts.rotateKey(fresh.id, 0);
        expect((await accounts.key(fresh.id))!.status).toBe("revoked");
        expect(await accounts.rotateKey("key_nobody", 0)).toBeNull();
      });

      test.each([
        "",
        "sk_live_",
        `sk_live_${"a".repeat(39)}`,
        `sk_live_${"a".repeat(40)}`,
        `SK_LIVE_${"a".repeat(40)}`,
      ])("%j is an unknown key", async (secret) => {
        await expect((async () => accounts.authenticate(secret))()).rejects.toEqual(code("invalid_api_key"));
      });
    });

    describe("a project", () => {
      test("that is archived revokes its keys", async () => {
        const podcast = await accounts.createProject(organizationId, "Podcast");
        const key = await accounts.createKey({
          projectId: podcast.id,
          name: "doomed",
          environment: "live",
          scopes: ["speech:create"],
          expiresAt: null,
        });
        expect(await accounts.archiveProject(podcast.id)).toMatchObject({ status: "archived" });
        await expect((async () => accounts.authenticate(key.secret))()).rejects.toEqual(
          code("api_key_revoked"),
        );
        const another = {
          ...key,
          projectId: podcast.id,
          scopes: ["speech:create" as const],
          expiresAt: null,
        };
        await expect(accounts.createKey(another)).rejects.toEqual(code("project_archived"));
        expect((await accounts.authenticate(first.secret)).keyId).toBe(first.id);
      });

      test("has a name that is unique in its organization, not across organizations", async () => {
        await accounts.createProject(organizationId, "Podcast");
        await expect(accounts.createProject(organizationId, "Podcast")).rejects.toEqual(code("name_taken"));
        const other = await accounts.createOrganization("Other");
        expect(await accounts.createProject(other.id, "Podcast")).toMatchObject({ name: "Podcast" });
        expect((await accounts.listProjects(other.id)).map(({ name }) => name)).toEqual([
          "Default",
          "Podcast",
        ]);
      });

      test("can only be renamed to an unused name", async () => {
        const { id } = await accounts.createProject(organizationId, "Podcast");
        expect(await accounts.updateProject(id, { name: "Radio" })).toMatchObject({ id, name: "Radio" });
        await expect(accounts.updateProject(id, { name: "Default" })).rejects.toEqual(code("name_taken"));
        expect(await accounts.updateProject("proj_nobody", { name: "x" })).toBeNull();
      });

      test("cannot be archived if it is the default", async () => {
        await expect(accounts.archiveProject(home)).rejects.toEqual(code("default_project"));
        expect(await accounts.archiveProject("proj_nobody")).toBeNull();
      });
    });

    test("when two nodes start at once, one creates the first organization", async () => {
      await using fresh = await prepare();
      const nodes = await Promise.all([fresh.open(), fresh.open()]);
      const starts = await Promise.all(nodes.map((node) => openAccounts(node, clock).firstStart()));
      expect(starts.filter((start) => start !== null).length).toBe(1);
      expect((await openAccounts(nodes[0]!, clock).listOrganizations()).length).toBe(1);
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
    });

    test("keys of an organization that another process suspended are refused within a second, until it is resumed", async () => {
      const { id } = await accounts.createOrganization("Suspended");
      const projectId = (await accounts.defaultProject(id))!.id;
      const of = { projectId, name: "a", environment: "live", expiresAt: null } as const;
      const key = await accounts.createKey({ ...of, scopes: ["speech:create"] });
      const ask = async () => (await accounts.authenticate(key.secret)).keyId;
      expect(await ask()).toBe(key.id);
      await using second = await fixture.open();
      const elsewhere = openAccounts(second, clock);
      expect(await elsewhere.setStatus(id, "suspended")).toMatchObject({ status: "suspended" });
      clock.pass(1000);
      await expect(ask()).rejects.toEqual(code("organization_suspended"));
      await expect(accounts.principalOfKey(key.id)).rejects.toEqual(code("organization_suspended"));
      expect((await accounts.authenticate(first.secret)).keyId).toBe(first.id);
      expect((await accounts.key(key.id))!.status).toBe("active");
      await elsewhere.setStatus(id, "active");
      clock.pass(1000);
      expect(await ask()).toBe(key.id);
    });

    test("the first organization cannot be suspended, and an unknown one is not found", async () => {
      await expect(accounts.setStatus(organizationId, "suspended")).rejects.toEqual(
        code("first_organization"),
      );
      expect(await accounts.setStatus(organizationId, "active")).toMatchObject({ status: "active" });
      expect(await accounts.setStatus("org_nobody", "suspended")).toBeNull();
    });

    test("changed limits of an organization apply to it alone, within a second", async () => {
      await accounts.authenticate(first.secret);
      await accounts.setLimits(organizationId, { requestsPerMinute: 7 });
      clock.pass(1000);
      const { limitOverrides } = await accounts.authenticate(first.secret);
      expect(limitOverrides).toEqual({ requestsPerMinute: 7 });
    });
  });
}
