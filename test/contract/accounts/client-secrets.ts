/** What a client secret must do on every database: it opens what its key may, no longer than its key, and so many at once. */
import { describe, expect, test } from "bun:test";
import type { Accounts } from "../../../src/accounts/accounts.ts";
import type { Database } from "../../../src/db/database.ts";
import type { heldClock } from "../../harness.ts";
import { type AccountFixture, freshAccounts, newKeyOf } from "./fresh-accounts.ts";

const MINUTE = 60_000;

export function clientSecretContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, client secrets`, () => {
    let fixture: AccountFixture;
    let database: Database;
    let accounts: Accounts;
    let clock: ReturnType<typeof heldClock>;
    let first: { id: string; secret: string };
    let home: string;
    freshAccounts(prepare, (fresh) => {
      ({ fixture, database, accounts, clock, first, home } = fresh);
    });

    const code = (name: string) => expect.objectContaining({ code: name });
    const now = () => Math.floor(clock.now() / 1000);
    const newKey = () => newKeyOf(accounts, home);

    describe("a client secret", () => {
      const mint = (keyId: string) => accounts.mintClientSecret({ keyId, session: { a: [1] }, seconds: 60 });

      test("authenticates as its key, with its settings, until it expires", async () => {
        const { secret, expiresAt } = await mint(first.id);
        expect(expiresAt).toBe(Math.floor(clock.now() / 1000) + 60);
        const { principal, session } = await accounts.redeemClientSecret(secret);
        expect(principal).toEqual(await accounts.authenticate(first.secret));
        expect(session).toEqual({ a: [1] });
        clock.pass(MINUTE);
        await expect(accounts.redeemClientSecret(secret)).rejects.toEqual(code("api_key_expired"));
        expect(await fixture.stored()).not.toContain(secret);
      });

      test("is ended once, and gone then", async () => {
        const { secret } = await mint(first.id);
        const ended = await Promise.all([1, 2].map(() => accounts.endClientSecret(secret)));
        expect(ended.toSorted()).toEqual([false, true]);
        await expect(accounts.redeemClientSecret(secret)).rejects.toEqual(code("invalid_api_key"));
      });

      test("stops working with its key, and is deleted a minute after its expiry", async () => {
        const { secret } = await mint(first.id);
        const key = await newKey();
        clock.pass(3 * MINUTE);
        const { secret: later } = await mint(key.id);
        await expect(accounts.redeemClientSecret(secret)).rejects.toEqual(code("invalid_api_key"));
        expect(await accounts.endOfKey(key.id)).toBeNull();
        await accounts.revokeKey(key.id);
        expect(await accounts.endOfKey(key.id)).toEqual(code("api_key_revoked"));
        await expect(accounts.redeemClientSecret(later)).rejects.toEqual(code("api_key_revoked"));
      });

      test("is refused, and its sessions end, while its organization is suspended", async () => {
        const { id } = await accounts.createOrganization("Suspended");
        const home = (await accounts.defaultProject(id))!;
        const of = { projectId: home.id, name: "a", environment: "live", expiresAt: null } as const;
        const key = await accounts.createKey({ ...of, scopes: ["realtime:connect"] });
        const { secret } = await mint(key.id);
        await accounts.setStatus(id, "suspended");
        await expect(accounts.redeemClientSecret(secret)).rejects.toEqual(code("organization_suspended"));
        expect(await accounts.endOfKey(key.id)).toEqual(code("organization_suspended"));
        expect(await accounts.endOfKey(first.id)).toBeNull();
        await accounts.setStatus(id, "active");
        expect(await accounts.endOfKey(key.id)).toBeNull();
        expect((await accounts.redeemClientSecret(secret)).principal.keyId).toBe(key.id);
      });

      test("expires no later than its key, whose sessions end with it", async () => {
        const end = now() + 30;
        const key = await newKey();
        const { secret: before } = await mint(key.id);
        await accounts.updateKey(key.id, { expiresAt: end });
        expect((await mint(key.id)).expiresAt).toBe(end);
        expect(await accounts.endOfKey(key.id)).toBeNull();
        clock.pass(30_000);
        expect(await accounts.endOfKey(key.id)).toEqual(code("api_key_expired"));
        await expect(accounts.redeemClientSecret(before)).rejects.toEqual(code("api_key_expired"));
        await expect(mint(key.id)).rejects.toEqual(code("api_key_expired"));
      });

      test("expires with the grace period of its rotated key", async () => {
        const { secret } = await mint(first.id);
        await accounts.rotateKey(first.id, 1);
        await accounts.redeemClientSecret(secret);
        clock.pass(1000);
        await expect(accounts.redeemClientSecret(secret)).rejects.toEqual(code("api_key_expired"));
        expect(await accounts.endOfKey(first.id)).toEqual(code("api_key_expired"));
      });

      test("is one of at most a thousand live ones of its key", async () => {
        const { clientSecret } = database.tables;
        const row = { keyId: first.id, session: {}, createdAt: now(), expiresAt: now() + 60 };
        const rows = Array.from({ length: 999 }, (_, index) => ({
          ...row,
          hash: Buffer.from(`secret ${index}`),
        }));
        await database.query.insert(clientSecret).values(rows);
        await mint(first.id);
        await expect(mint(first.id)).rejects.toEqual(code("rate_limit_exceeded"));
        await mint((await newKey()).id);
        clock.pass(MINUTE);
        await mint(first.id);
      });
    });
  });
}
