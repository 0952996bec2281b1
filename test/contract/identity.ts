/** What signing up, signing in and belonging must keep on every database, for several nodes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { openIdentity } from "../../src/identity/identity.ts";
import { openServices } from "../../src/server/services.ts";
import {
  anonymous,
  forgetAttempts,
  invite,
  letters,
  mailedLink,
  openAccountsHarness,
  PASSWORD,
  type Person,
  signIn,
  signUp,
} from "../api/management/people.ts";
import { errorOf, type Harness } from "../harness.ts";

/** An empty database, as the environment that names it. */
export type IdentityFixture = AsyncDisposable & {
  environment: Record<string, string>;
  /** Several servers may stand on it, and count tries together. */
  isShared: boolean;
};

export function identityContract(store: string, prepare: () => Promise<IdentityFixture>) {
  describe(store, () => {
    let fixture: IdentityFixture;
    let harness: Harness;
    let ann: Person;
    let bob: Person;
    let home: string;
    beforeAll(async () => {
      fixture = await prepare();
      harness = await openAccountsHarness({ environment: fixture.environment });
      ann = await signUp(harness, "ann@example.com");
      bob = await signUp(harness, "bob@example.com", { organizationName: "Bob & Sons" });
      home = (await harness.parts.accounts.memberships(bob.userId))[0]!.organization.id;
    });
    afterAll(async () => {
      await harness[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });

    const seats = async ({ userId }: Person) =>
      (await harness.parts.accounts.memberships(userId)).map(({ organization: { name }, role }) => [
        name,
        role,
      ]);
    const session = ({ cookie }: Person) => harness.parts.identity.session(new Headers({ cookie: cookie() }));

    test("the first user runs the server and owns the first organization; others get their own", async () => {
      expect(await seats(ann)).toEqual([["Default", "owner"]]);
      expect(await seats(bob)).toEqual([["Bob & Sons", "owner"]]);
      expect([(await session(ann))!.user.operator, (await session(bob))!.user.operator]).toEqual([
        true,
        false,
      ]);
      const projects = await harness.parts.accounts.listProjects(home);
      expect(projects.map(({ name, isDefault }) => [name, isDefault])).toEqual([["Default", true]]);
    });

    test("when two first users sign up at once, one becomes the operator", async () => {
      await using empty = await prepare();
      await using fresh = await openAccountsHarness({ environment: empty.environment });
      const users = await Promise.all(
        ["a@example.com", "b@example.com"].map((email) => signUp(fresh, email)),
      );
      const operators = await fresh.parts.accounts.operators();
      expect(operators.length).toBe(1);
      const homes = await Promise.all(users.map(({ userId }) => fresh.parts.accounts.memberships(userId)));
      expect(homes.flat().map(({ role }) => role)).toEqual(["owner", "owner"]);
      const names = homes.map(([home]) => home!.organization.name).sort();
      expect(names[0]).toBe("Default");
      expect(names[1]).toMatch(/^[ab]'s organization$/);
    });

    test("verification gives the starting credit once, and none for a second organization", async () => {
      await signIn(harness, bob.email);
      await signIn(harness, bob.email);
      const second = await harness.parts.accounts.createOrganization("Second", { ownerId: bob.userId });
      await signIn(harness, bob.email);
      const kinds = async (organization: string) =>
        (await harness.parts.ledger.grants(organization)).map(({ kind, amountMicros }) => [
          kind,
          amountMicros,
        ]);
      expect(await kinds(home)).toEqual([["starting", 5_000_000]]);
      expect(await kinds(second.id)).toEqual([]);
    });

    test("starting credit that a crash prevented is given at the next sign-in", async () => {
      const { parts, url } = harness;
      const crashing = openIdentity({
        ...parts,
        ...{ config: parts.config.identity, origin: () => url },
        verified: () => Promise.reject(new Error("the process ended here")),
      });
      const cat = anonymous(harness, "cat@example.com");
      await forgetAttempts(harness);
      const { email } = cat;
      await cat.auth("sign-up/email", { email, name: "Cat", password: PASSWORD });
      const token = (await mailedLink(harness, email)).searchParams.get("token");
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ token, password: PASSWORD });
      const asked = new Request(`${url}/api/auth/verify-email`, { method: "POST", headers, body });
      expect((await crashing.handle(asked, null)).status).toBe(200);
      const { userId } = await signIn(harness, email);
      const [membership] = await parts.accounts.memberships(userId);
      expect((await parts.ledger.grants(membership!.organization.id)).length).toBe(1);
    });

    test("signing up with a known address gets the same response, and its user gets a mail", async () => {
      await forgetAttempts(harness);
      const known = anonymous(harness);
      const body = { name: "Eve", password: "another long password" };
      const [again, fresh] = await Promise.all(
        ["Bob@example.com", "eve@example.com"].map(async (email) => {
          const response = await known.auth("sign-up/email", { ...body, email });
          const { user } = (await response.json()) as { user: Record<string, unknown> };
          return { status: response.status, cookie: response.headers.get("set-cookie"), user };
        }),
      );
      expect(Object.keys(again!.user)).toEqual(Object.keys(fresh!.user));
      const unlike = { id: "", email: "", createdAt: "", updatedAt: "" };
      expect({ ...again, user: { ...again!.user, ...unlike } }).toEqual({
        ...fresh,
        user: { ...fresh!.user, ...unlike },
      } as never);
      expect(again!.user.email).toBe("bob@example.com");
      await mailedLink(harness, "bob@example.com", "sign-in");
      expect(letters(harness, "bob@example.com").at(-1)!.subject).toBe("You already have an account");
      expect((await known.auth("sign-in/email", { email: bob.email, password: body.password })).status).toBe(
        401,
      );
    });

    test("a session ends when it expires or is deleted, and is extended while used", async () => {
      const { query, tables } = harness.parts.database;
      const { id } = (await session(ann))!;
      const endsAt = (seconds: number) =>
        query
          .update(tables.session)
          .set({ expiresAt: new Date(Date.now() + seconds * 1000) })
          .where(eq(tables.session.id, id));
      await endsAt(20 * 86_400);
      expect((await session(ann))!.id).toBe(id);
      const [row] = await query.select().from(tables.session).where(eq(tables.session.id, id));
      expect(row!.expiresAt.getTime() - Date.now()).toBeGreaterThan(29 * 86_400_000);
      const other = await signIn(harness, ann.email);
      await endsAt(-1);
      expect(await session(ann)).toBeNull();
      await query.delete(tables.session).where(eq(tables.session.userId, ann.userId));
      expect(await session(other)).toBeNull();
      ann = await signIn(harness, ann.email);
    });

    test("a changed password ends every other session; a mailed reset ends all, and its link works once", async () => {
      const fay = await signUp(harness, "fay@example.com");
      const elsewhere = await signIn(harness, fay.email);
      const changed = { currentPassword: PASSWORD, newPassword: "the second password" };
      await fay.json("/api/auth/change-password", changed);
      expect([await session(elsewhere), (await session(fay))?.user.email]).toEqual([null, fay.email]);
      expect(await errorOf(await fay.auth("change-password", changed))).toMatchObject({
        ...{ status: 401, code: "invalid_credentials" },
      });
      await anonymous(harness).json("/api/auth/request-password-reset", { email: fay.email });
      const token = (await mailedLink(harness, fay.email, "reset")).searchParams.get("token")!;
      const { query, tables } = harness.parts.database;
      const stored = await query.select().from(tables.verification);
      expect(JSON.stringify(stored)).not.toContain(token);
      const now = Date.now();
      const lasts = stored.map(({ expiresAt }) => Math.round((expiresAt.getTime() - now) / 60_000));
      expect(lasts).toEqual([60]);
      const reset = () =>
        anonymous(harness).auth("reset-password", { token, newPassword: "the third password" });
      expect((await reset()).status).toBe(200);
      expect(await session(fay)).toBeNull();
      expect(await errorOf(await reset())).toMatchObject({ status: 400, code: "invalid_token" });
      await signIn(harness, fay.email, "the third password");
    });

    test("when the last two owners leave at once, one stays", async () => {
      const { accounts } = harness.parts;
      const two = await accounts.createOrganization("Two", { ownerId: ann.userId });
      await invite(ann, bob, { organizationId: two.id, role: "owner" });
      const left = await Promise.all(
        [ann, bob].map((person) => person.auth("organization/leave", { organizationId: two.id })),
      );
      expect(left.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect((await accounts.memberCounts()).get(two.id)).toBe(1);
    });

    test("an invitation works once, for its address, and creates no organization", async () => {
      const asked = { organizationId: home, email: "gus@example.com", role: "admin" };
      const { id } = await bob.json<{ id: string }>("/api/auth/organization/invite-member", asked);
      expect((await mailedLink(harness, asked.email, "invitation")).searchParams.get("id")).toBe(id);
      expect(await errorOf(await bob.auth("organization/invite-member", asked))).toMatchObject({
        ...{ status: 409, code: "invite_pending" },
      });
      const gus = await signUp(harness, asked.email);
      expect(await seats(gus)).toEqual([]);
      const accept = (person: Person) => person.auth("organization/accept-invitation", { invitationId: id });
      expect((await accept(ann)).status).toBe(404);
      const { query, tables } = harness.parts.database;
      const days = (count: number) => new Date(Math.floor(Date.now() / 1000 + count * 86_400) * 1000);
      const [sent] = await query.select().from(tables.invitation).where(eq(tables.invitation.id, id));
      expect(Math.abs(sent!.expiresAt.getTime() - days(7).getTime())).toBeLessThan(60_000);
      const endsAt = (expiresAt: Date) => query.update(tables.invitation).set({ expiresAt });
      await endsAt(days(-1));
      expect((await accept(gus)).status).toBe(404);
      await endsAt(days(7));
      expect((await accept(gus)).status).toBe(200);
      expect((await accept(gus)).status).toBe(404);
      expect(await seats(gus)).toEqual([["Bob & Sons", "admin"]]);
      expect(await errorOf(await bob.auth("organization/invite-member", asked))).toMatchObject({
        ...{ status: 409, code: "already_member" },
      });
      await query.update(tables.invitation).set({ status: "pending" }).where(eq(tables.invitation.id, id));
      expect(await errorOf(await accept(gus))).toMatchObject({ status: 409, code: "already_member" });
    });

    test("nodes share their signing secret, and count attempts together", async () => {
      const { config, clock, log, accounts } = harness.parts;
      await using second = await openServices(config, clock, log);
      const secrets = await Promise.all([accounts, second.accounts].map((node) => node.installationSecret()));
      expect(secrets[0]).toMatch(/^[\w-]{43}$/);
      expect(secrets[1]).toBe(secrets[0]!);
      second.address.listensAt(harness.url);
      expect((await second.identity.session(new Headers({ cookie: ann.cookie() })))?.user.email).toBe(
        ann.email,
      );
      await forgetAttempts(harness);
      const ask = (node: typeof second, email: string, ip: string) =>
        node.identity
          .handle(
            new Request(`${harness.url}/api/auth/sign-in/email`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ email, password: "wrong password" }),
            }),
            ip,
          )
          .then(String, ({ code }) => code);
      const attempts = Array.from({ length: 12 }, (_, index) =>
        ask(
          fixture.isShared && index % 2 ? second : (harness.parts as typeof second),
          "ann@example.com",
          "203.0.113.7",
        ),
      );
      const codes = (await Promise.all(attempts)).sort();
      expect(codes).toEqual([
        ...Array(10).fill("invalid_credentials"),
        ...Array(2).fill("rate_limit_exceeded"),
      ]);
    });
  });
}
