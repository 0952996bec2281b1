/** What a set-up link must do on every database: create one operator, once, in time, and only for a server without any. */
import { describe, expect, test } from "bun:test";
import { anonymous, openAccountsHarness, PASSWORD, signUp } from "../api/management/people.ts";
import { errorOf, type Harness } from "../harness.ts";
import type { IdentityFixture } from "./identity.ts";

const ADA = { name: "Ada", email: "Ada@example.com", password: PASSWORD };

export function setUpContract(store: string, prepare: () => Promise<IdentityFixture>) {
  describe(`${store}, a set-up link`, () => {
    async function within(work: (harness: Harness) => Promise<void>): Promise<void> {
      await using fixture = await prepare();
      await using harness = await openAccountsHarness({ environment: fixture.environment });
      await work(harness);
    }
    const link = async ({ parts }: Harness) => (await parts.accounts.newSetUpSecret())!;
    const follow = (harness: Harness, token: string, fields: object = ADA) =>
      anonymous(harness).auth("set-up", { token, ...fields });

    test("creates an operator who owns the first organization, is signed in and can sign in", () =>
      within(async (harness) => {
        const { accounts } = harness.parts;
        const ada = anonymous(harness);
        const response = await ada.auth("set-up", { token: await link(harness), ...ADA });
        expect(response.status).toBe(200);
        expect(await response.json()).toMatchObject({ user: { email: "ada@example.com", operator: true } });
        const [operator] = await accounts.operators();
        expect(operator).toMatchObject({ name: "Ada", emailVerified: true });
        expect(await accounts.memberships(operator!.id)).toMatchObject([
          { role: "owner", organization: { id: harness.organizationId } },
        ]);
        const session = await harness.parts.identity.session(new Headers({ cookie: ada.cookie() }));
        expect(session?.user.id).toBe(operator!.id);
        const { email, password } = ADA;
        expect((await anonymous(harness).auth("sign-in/email", { email, password })).status).toBe(200);
        expect(await accounts.newSetUpSecret()).toBeNull();
      }));

    test("works once, and ends the others", () =>
      within(async (harness) => {
        const [one, other] = [await link(harness), await link(harness)];
        const both = await Promise.all([
          follow(harness, one),
          follow(harness, other, { ...ADA, email: "b@example.com" }),
        ]);
        expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
        for (const token of [one, other])
          expect(await errorOf(await follow(harness, token))).toMatchObject({ code: "invalid_token" });
        expect(await harness.parts.accounts.operators()).toHaveLength(1);
      }));

    test("that has expired is deleted when another is made", () =>
      within(async (harness) => {
        await link(harness);
        harness.clock.pass(86_401_000);
        await link(harness);
        const { query, tables } = harness.parts.database;
        const rows = await query.select().from(tables.verification);
        expect(rows.filter(({ identifier }) => identifier.startsWith("set-up:"))).toHaveLength(1);
      }));

    test("expires after a day, and is not guessed", () =>
      within(async (harness) => {
        const token = await link(harness);
        expect((await follow(harness, "x".repeat(token.length))).status).toBe(400);
        harness.clock.pass(86_400_000);
        expect(await errorOf(await follow(harness, token))).toMatchObject({
          status: 400,
          code: "invalid_token",
        });
        expect(await harness.parts.accounts.isFresh()).toBe(true);
      }));

    test("replaces what others registered with the address before verifying it", () =>
      within(async (harness) => {
        const theirs = { ...ADA, password: "the password of mal" };
        await anonymous(harness).json("/api/auth/sign-up/email", theirs);
        expect((await follow(harness, await link(harness))).status).toBe(200);
        const { email, password } = theirs;
        expect((await anonymous(harness).auth("sign-in/email", { email, password })).status).toBe(401);
      }));

    test("ends when a user verifies a mailed link first", () =>
      within(async (harness) => {
        const token = await link(harness);
        const owner = await signUp(harness, "owner@example.com");
        expect((await follow(harness, token)).status).toBe(400);
        expect((await harness.parts.accounts.operators()).map(({ id }) => id)).toEqual([owner.userId]);
      }));

    test("creates nothing from fields that an account cannot have", () =>
      within(async (harness) => {
        const token = await link(harness);
        for (const wrong of [{ email: "ada" }, { password: "short" }, { name: "" }])
          expect((await follow(harness, token, { ...ADA, ...wrong })).status).toBe(422);
        expect((await follow(harness, token)).status).toBe(200);
      }));
  });
}
