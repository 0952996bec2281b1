/**
 * Promise: on a server that sends no mail, the link of an invitation lets the invited person in at once, and once; other
 * secrets, addresses and inviters get nothing by it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Harness } from "../../harness.ts";
import {
  anonymous,
  forgetAttempts,
  invite,
  openAccountsHarness,
  PASSWORD,
  type Person,
  refusalOf,
  signIn,
  signUp,
} from "./people.ts";
import { STORES } from "./stores.ts";

type Made = { id: string; email: string; secret: string | null };

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let harness: Harness;
  let ann: Person;
  let bob: Person;
  let home: string;
  beforeAll(async () => {
    store = await openStore();
    harness = await openAccountsHarness({ environment: store.environment });
    ann = await signUp(harness, "ann@example.com");
    bob = await signUp(harness, "bob@example.com", { organizationName: "Bob & Sons" });
    home = harness.organizationId;
  });
  afterAll(async () => {
    await harness[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });
  afterEach(() => forgetAttempts(harness));

  const invited = (email: string, { by = ann, to = home, role = "member" } = {}) =>
    by.json<Made>("/api/auth/organization/invite-member", { organizationId: to, email, role });
  const join = ({ id, secret }: Made, fields: object = {}, who = anonymous(harness)) =>
    who.auth("join", { invitationId: id, token: secret, name: "Gus", password: PASSWORD, ...fields });
  const details = ({ id, secret }: Made, token = secret) =>
    anonymous(harness).auth("join/details", { invitationId: id, token });
  const everything = async () => {
    const { query, tables } = harness.parts.database;
    const { user, member, invitation, verification, credential, auditEvent } = tables;
    const all = [user, member, invitation, verification, credential, auditEvent];
    return JSON.stringify(await Promise.all(all.map((table) => query.select().from(table as typeof user))));
  };

  test("its holder chooses a password, and is a member and signed in at once", async () => {
    const made = await invited("Gus@example.com", { role: "admin" });
    expect(made.secret).toMatch(/^\w{32}$/);
    expect(await everything()).not.toContain(made.secret!);
    expect(await (await details(made)).json()).toMatchObject({
      ...{ email: "gus@example.com", role: "admin", organizationId: home, organizationName: "Default" },
      ...{ inviterEmail: "ann@example.com", hasAccount: false },
    });
    const gus = anonymous(harness, "gus@example.com");
    const response = await join(made, {}, gus);
    expect(response.status).toBe(200);
    const { user } = (await response.json()) as { user: { id: string; emailVerified: boolean } };
    expect(user.emailVerified).toBe(true);
    expect(await harness.parts.accounts.roleIn(home, user.id)).toBe("admin");
    expect((await harness.parts.accounts.memberships(user.id)).length).toBe(1);
    expect((await gus.ask("/api/session")).status).toBe(200);
    await signIn(harness, "gus@example.com");
    const { query, tables } = harness.parts.database;
    const events = await query.select().from(tables.auditEvent).where(eq(tables.auditEvent.actorId, user.id));
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual([
      ...(["invite.accepted", "user.added", "login.succeeded"] as const),
    ]);
    const logged = JSON.stringify(harness.logged);
    expect([logged.includes(made.secret!), logged.includes(PASSWORD)]).toEqual([false, false]);
  });

  test("it works once, also for two at the same time", async () => {
    const made = await invited("ida@example.com");
    const statuses = (await Promise.all([join(made), join(made)])).map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect(statuses[1]).toBeGreaterThanOrEqual(400);
    expect(await refusalOf(join(made))).toBe("400 invalid_token");
    expect(await refusalOf(details(made))).toBe("400 invalid_token");
  });

  test("a wrong secret, one of another invitation, and an unknown invitation get the same answer", async () => {
    const [one, other] = [await invited("jan@example.com"), await invited("kim@example.com")];
    const before = await everything();
    const tried = [
      { ...one, secret: "x".repeat(32) },
      { ...one, secret: other.secret },
    ];
    const answers = await Promise.all(
      [...tried, { ...one, id: "inv_unknown" }].map(async (made) => (await join(made)).json()),
    );
    const told = answers.map((answer) => {
      const { code, message } = (answer as { error: { code: string; message: string } }).error;
      return `${code}: ${message}`;
    });
    expect(new Set(told).size).toBe(1);
    expect(told[0]).toBe(
      "invalid_token: This link is invalid, has expired or was used. Ask the person who invited you for another one.",
    );
    expect(await everything()).toBe(before);
  });

  test("wrong secrets are limited, and the right one works after them", async () => {
    const made = await invited("lea@example.com");
    let last = "";
    for (let index = 0; index < 12; index++)
      last = await refusalOf(join({ ...made, secret: `${index}`.padStart(32, "x") }));
    expect(last).toBe("429 rate_limit_exceeded");
    expect((await join(made)).status).toBe(200);
  });

  test("it ends when the invitation expires, is cancelled, or its inviter may not invite any more", async () => {
    const { query, tables } = harness.parts.database;
    const late = await invited("max@example.com");
    const [row] = await query.select().from(tables.invitation).where(eq(tables.invitation.id, late.id));
    const [kept] = await query
      .select()
      .from(tables.verification)
      .where(eq(tables.verification.identifier, `invitation:${late.id}`));
    expect(kept!.expiresAt).toEqual(row!.expiresAt);
    const isLate = eq(tables.invitation.id, late.id);
    await query
      .update(tables.invitation)
      .set({ expiresAt: new Date(1) })
      .where(isLate);
    expect(await refusalOf(join(late))).toBe("400 invalid_token");
    const cancelled = await invited("nia@example.com");
    await ann.json("/api/auth/organization/cancel-invitation", { invitationId: cancelled.id });
    expect(await refusalOf(join(cancelled))).toBe("400 invalid_token");
    const admin = await signUp(harness, "ola@example.com");
    await invite(ann, admin, { organizationId: home, role: "admin" });
    const left = await invited("pia@example.com", { by: admin });
    expect(left.secret).not.toBeNull();
    await admin.json("/api/auth/organization/leave", { organizationId: home });
    expect(await refusalOf(join(left))).toBe("400 invalid_token");
  });

  test("who has a verified account signs in instead, and keeps the password", async () => {
    const made = await invited(bob.email);
    expect(await (await details(made)).json()).toMatchObject({ hasAccount: true });
    expect(await refusalOf(join(made, { password: "another long password" }))).toBe("409 account_exists");
    bob = await signIn(harness, bob.email);
    await bob.json("/api/auth/organization/accept-invitation", { invitationId: made.id });
    expect(await refusalOf(join(made))).toBe("400 invalid_token");
  });

  test("nothing stays of an account that someone else made with the address", async () => {
    const stolen = { email: "rosa@example.com", password: "the password of another" };
    const signedUp = { ...stolen, name: "Someone", organizationName: "Taken" };
    await anonymous(harness).json("/api/auth/sign-up/email", signedUp);
    const rosa = anonymous(harness, stolen.email);
    const response = await join(await invited(stolen.email), { name: "Rosa" }, rosa);
    const { user } = (await response.json()) as { user: { id: string; name: string } };
    expect(user.name).toBe("Rosa");
    expect(await refusalOf(anonymous(harness).auth("sign-in/email", stolen))).toBe("401 invalid_credentials");
    const names = (await harness.parts.accounts.memberships(user.id)).map((each) => each.organization.name);
    expect(names).toEqual(["Default"]);
  });

  test("links of other organizations have none, unless an operator invites: an address is not theirs to verify", async () => {
    const own = (await harness.parts.accounts.memberships(bob.userId)).find(
      ({ organization }) => organization.id !== home,
    )!.organization.id;
    expect((await invited("sam@example.com", { by: bob, to: own })).secret).toBeNull();
    await invite(bob, ann, { organizationId: own, role: "admin" });
    expect((await invited("tom@example.com", { to: own })).secret).toMatch(/^\w{32}$/);
  });

  test("no list of invitations shows a secret or its hash", async () => {
    const { secret } = await invited("uma@example.com");
    const list = await ann.ask(`/api/auth/organization/list-invitations?organizationId=${home}`);
    const text = await list.text();
    expect(text).toContain("uma@example.com");
    expect(text).not.toContain(secret!);
    expect(text).not.toMatch(/secret|hash/i);
  });
});

describe("without secrets", () => {
  test.each([
    ["a server that sends mail", { SMTP_URL: "smtp://127.0.0.1:9" }],
    ["a server whose sign-up is closed", { LOQUAT_SIGN_UP: "closed" }],
  ])("are the links of %s", async (_what, environment) => {
    await using harness = await openAccountsHarness({ environment });
    const token = await harness.parts.accounts.newSetUpSecret();
    const ann = anonymous(harness, "ann@example.com");
    await ann.json("/api/auth/set-up", { token, name: "Ann", email: ann.email, password: PASSWORD });
    const asked = { organizationId: harness.organizationId, email: "vic@example.com", role: "member" };
    expect(await ann.json<Made>("/api/auth/organization/invite-member", asked)).toMatchObject({
      secret: null,
    });
  });
});
