/** What verifying an address by its mailed link must do on every database: only the verified user has the account. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  anonymous,
  forgetAttempts,
  mailedLink,
  openAccountsHarness,
  PASSWORD,
  type Person,
  signIn,
  signUp,
  verify,
} from "../api/management/people.ts";
import { errorOf, type Harness } from "../harness.ts";
import type { IdentityFixture } from "./identity.ts";

export function provingContract(store: string, prepare: () => Promise<IdentityFixture>) {
  describe(`${store}, verifying an address`, () => {
    let fixture: IdentityFixture;
    let harness: Harness;
    beforeAll(async () => {
      fixture = await prepare();
      harness = await openAccountsHarness({ environment: fixture.environment });
      await signUp(harness, "ann@example.com"); // who runs the server
    });
    afterAll(async () => {
      await harness[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const session = ({ cookie }: Person) => harness.parts.identity.session(new Headers({ cookie: cookie() }));

    test("the first user to verify an address becomes the operator, not the first to sign up", async () => {
      await using empty = await prepare();
      await using fresh = await openAccountsHarness({ environment: empty.environment });
      const { accounts, database } = fresh.parts;
      const { user, member } = database.tables;
      const nobody = { email: "nobody@nowhere.invalid", name: "Nobody", password: PASSWORD };
      await anonymous(fresh).json("/api/auth/sign-up/email", nobody);
      expect([await accounts.isFresh(), await accounts.operators()]).toEqual([true, []]);
      const now = new Date();
      const squatter = { id: "user_squatter", name: "S", email: "s@example.com", emailVerified: false };
      await database.query
        .insert(user)
        .values({ ...squatter, operator: true, createdAt: now, updatedAt: now });
      const seat = { id: `mem_${fresh.organizationId.slice(4)}`, organizationId: fresh.organizationId };
      await database.query
        .insert(member)
        .values({ ...seat, userId: squatter.id, role: "owner", createdAt: now }); // as one had it at signing up
      const owner = await signUp(fresh, "owner@example.com");
      expect((await accounts.operators()).map(({ id }) => id)).toEqual([owner.userId]);
      expect((await accounts.memberships(owner.userId)).map(({ organization }) => organization.id)).toEqual([
        fresh.organizationId,
      ]);
      expect(await accounts.memberships(squatter.id)).toEqual([]);
      expect(await accounts.isFresh()).toBe(false);
    });

    test("a password set before verification does not work after another user verifies", async () => {
      const email = "victim@example.com";
      await forgetAttempts(harness);
      const mal = anonymous(harness);
      const theirs = { name: "Mal", password: "the password of mal", organizationName: "Mal's" };
      await mal.json("/api/auth/sign-up/email", { email, ...theirs });
      const link = await mailedLink(harness, email);
      const token = link.searchParams.get("token")!;
      const follow = (fields: object) => anonymous(harness).auth("verify-email", { token, ...fields });
      for (const fields of [{}, { password: PASSWORD, newPassword: PASSWORD }])
        expect(await errorOf(await follow(fields))).toMatchObject({ status: 422, code: "validation_error" });
      expect(await errorOf(await follow({ password: PASSWORD }))).toMatchObject({
        code: "invalid_credentials",
      });
      const owner = anonymous(harness, email);
      await verify(owner, link, { newPassword: PASSWORD });
      expect((await session(owner))?.user.email).toBe(email);
      const names = (await harness.parts.accounts.memberships((await session(owner))!.user.id)).map(
        ({ organization }) => organization.name,
      );
      expect(names).toEqual(["Mal's organization"]); // a person's name, which they may change
      const again = await mal.auth("sign-in/email", { email, password: theirs.password });
      expect(await errorOf(again)).toMatchObject({ status: 401, code: "invalid_credentials" });
      expect(await errorOf(await follow({ newPassword: theirs.password }))).toMatchObject({
        code: "invalid_token",
      });
      await signIn(harness, email);
    });

    test("a new user has nothing until verification, and then what they requested, once", async () => {
      const { database, accounts } = harness.parts;
      const dan = anonymous(harness, "dan@example.com");
      await forgetAttempts(harness);
      const asked = { email: dan.email, name: "Dan", password: PASSWORD, organizationName: "Dan's own" };
      const { user } = await dan.json<{ user: { id: string } }>("/api/auth/sign-up/email", asked);
      expect(await accounts.memberships(user.id)).toEqual([]);
      await verify(dan, await mailedLink(harness, dan.email));
      await accounts.provision(user.id);
      const names = (await accounts.memberships(user.id)).map(({ organization: { name } }) => name);
      expect(names).toEqual(["Dan's own"]);
      expect(await database.query.select().from(database.tables.verification)).toEqual([]);
    });
  });
}
