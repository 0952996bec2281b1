/** Promise: the audit log of each of a person's organizations says what became of their second factor, and of sign-ins with it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { anonymous, openAccountsHarness, PASSWORD, type Person, signUp } from "../api/management/people.ts";
import type { Harness } from "../harness.ts";
import { type Authenticator, enable } from "../identity/authenticator.ts";

let harness: Harness;
let ann: Person;
beforeAll(async () => {
  harness = await openAccountsHarness();
  await signUp(harness, "operator@example.com");
  ann = await signUp(harness, "ann@example.com");
  await harness.parts.accounts.createOrganization("Second", { ownerId: ann.userId });
});
afterAll(() => harness[Symbol.asyncDispose]());

/** What happened in all organizations of the person, as "type of actor". */
async function noted(change: () => Promise<unknown>): Promise<string[]> {
  const { query, tables } = harness.parts.database;
  const before = new Set((await query.select().from(tables.auditEvent)).map(({ id }) => id));
  await change();
  const rows = (await query.select().from(tables.auditEvent)).filter(({ id }) => !before.has(id));
  const organizations = new Set(rows.map(({ organizationId }) => organizationId));
  expect([rows.length, organizations.size]).toEqual([organizations.size, rows.length === 0 ? 0 : 2]);
  return [...new Set(rows.map(({ type, actorEmail }) => `${type} by ${actorEmail}`))];
}

test("switching it on, signing in, confirming, new codes, switching it off and a reset", async () => {
  let app!: Authenticator;
  const by = (type: string) => [`${type} by ${ann.email}`];
  expect(
    await noted(async () => {
      app = await enable(harness, ann);
    }),
  ).toEqual(by("two_factor.enabled"));

  const person = anonymous(harness, ann.email);
  const password = { email: ann.email, password: PASSWORD };
  expect(await noted(() => person.auth("sign-in/email", password))).toEqual([]);
  const code = (person: Person, code: string) => person.auth("two-factor/verify-totp", { code });
  expect(await noted(() => code(person, "000000"))).toEqual(by("login.failed"));
  expect(await noted(() => code(person, app.next()))).toEqual(by("login.succeeded"));
  expect(await noted(() => code(person, app.next()))).toEqual([]); // confirms what comes next

  const mine = { password: PASSWORD };
  const codes = () => person.json("/api/auth/two-factor/generate-backup-codes", mine);
  expect(await noted(codes)).toEqual(by("two_factor.codes_created"));
  expect(await noted(() => person.json("/api/auth/two-factor/disable", mine))).toEqual(
    by("two_factor.disabled"),
  );

  await enable(harness, person);
  const reset = () => harness.parts.accounts.setPassword(ann.email, "x");
  expect(await noted(reset)).toEqual(["two_factor.reset by null"]);
  expect(await noted(reset)).toEqual([]); // there is none any more
});

test("that an organization asks for one", async () => {
  const bob = await signUp(harness, "bob@example.com");
  await enable(harness, bob);
  const [seat] = await harness.parts.accounts.memberships(bob.userId);
  const { id } = seat!.organization;
  await bob.json(`/api/organizations/${id}/two-factor`, { required: true }, { method: "PUT" });
  const { query, tables } = harness.parts.database;
  const rows = (await query.select().from(tables.auditEvent)).filter((row) => row.organizationId === id);
  expect(rows.map(({ type, changes }) => [type, JSON.parse(changes)]).at(-1)).toEqual([
    "organization.updated",
    [{ field: "requireTwoFactor", before: false, after: true }],
  ]);
});
