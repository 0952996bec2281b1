/** Promise: at each sign-in a provider's groups give and take what they gave, and nothing that people or others gave. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Refusal } from "../../../src/errors.ts";
import { forgetAttempts, openAccountsHarness } from "../../api/management/people.ts";
import { STORES } from "../../api/management/stores.ts";
import type { Harness } from "../../harness.ts";
import { companyBrowser } from "./company-browser.ts";
import { type MockProvider, startMockProvider } from "./mock-provider.ts";
import { type RealProvider, startRealProvider } from "./real-provider.ts";

describe.each(STORES)("%s", (_name, openStore) => {
  let store: Awaited<ReturnType<typeof openStore>>;
  let provider: RealProvider;
  let second: MockProvider;
  let harness: Harness;
  beforeAll(async () => {
    store = await openStore();
    [provider, second] = await Promise.all([startRealProvider(), startMockProvider()]);
    harness = await openAccountsHarness({
      environment: {
        ...store.environment,
        LOQUAT_SIGN_UP: "closed",
        LOQUAT_OIDC_ISSUER: provider.issuer,
        LOQUAT_OIDC_CLIENT_ID: "loquat",
        LOQUAT_OIDC_CLIENT_SECRET: "a secret of the client",
        LOQUAT_OIDC_SCOPES: "openid email profile groups",
        LOQUAT_OIDC_OPERATORS: "speech-operators",
        LOQUAT_OIDC_ADMINS: "speech-admins, Heads of IT",
        LOQUAT_OIDC_MEMBERS: "speech-users",
        LOQUAT_OIDC_2_ISSUER: second.issuer,
        LOQUAT_OIDC_2_CLIENT_ID: "loquat-2",
        LOQUAT_OIDC_2_GROUPS_CLAIM: "realm_access.roles",
        LOQUAT_OIDC_2_ADMINS: "partners",
        LOQUAT_OIDC_2_TRUST_EMAIL: "1",
      },
    });
    provider.open(harness.url);
  });
  afterAll(async () => {
    for (const each of [harness, provider, second, store]) await each[Symbol.asyncDispose]();
  });
  beforeEach(() => forgetAttempts(harness));

  const email = (who: string) => `${who}@example.com`;
  /** Signs in at the first provider: what the browser is told in the end. */
  async function signsIn(who: string, groups: unknown): Promise<string> {
    provider.people.set(who, { email: email(who), email_verified: true, name: who, groups });
    provider.who = who;
    return outcome(await companyBrowser(harness).signIn());
  }
  async function signsInAtSecond(who: string, claims: object): Promise<string> {
    second.claims = { sub: `second-${who}`, email: email(who), name: who, ...claims };
    return outcome(await companyBrowser(harness).signIn("company-2"));
  }
  const outcome = (location: string) =>
    location === `${harness.url}/` ? "in" : new URL(location).searchParams.get("error")!;

  async function seatOf(who: string) {
    const { query, tables } = harness.parts.database;
    const { user, member } = tables;
    const [row] = await query
      .select()
      .from(user)
      .where(eq(user.email, email(who)));
    if (!row) return null;
    const seats = await query.select().from(member).where(eq(member.userId, row.id));
    const { id: userId, operator } = row;
    return { userId, operator, seats: seats.map(({ id, role, source }) => ({ id, role, source })) };
  }
  const held = async (who: string) => {
    const seat = await seatOf(who);
    return seat && [seat.operator, ...seat.seats.map(({ role, source }) => `${role} by ${source}`)];
  };

  test("each group gives its role in the first organization, the highest first; sign-up may be closed", async () => {
    expect(await signsIn("olga", ["speech-users", "speech-operators"])).toBe("in");
    expect(await held("olga")).toEqual([true, "owner by company"]);
    expect(await signsIn("adam", ["Heads of IT"])).toBe("in");
    expect(await held("adam")).toEqual([false, "admin by company"]);
    expect(await signsIn("mia", "speech-users")).toBe("in"); // one group, as some providers write it
    expect(await held("mia")).toEqual([false, "member by company"]);
    const organizations = await harness.parts.accounts.memberships((await seatOf("mia"))!.userId);
    expect(organizations.map(({ organization }) => organization.id)).toEqual([harness.organizationId]);
  });

  test.each([
    [[]],
    [undefined],
    [["speech"]],
    [["SPEECH-USERS"]],
    [[["speech-users"]]],
    [{ 0: "speech-users" }],
  ])("a person with the groups %j is refused, and gets no account", async (groups) => {
    expect(await signsIn("nobody", groups)).toBe("sign_up_closed");
    expect(await seatOf("nobody")).toBeNull();
  });

  test("a role follows the groups, and is lost with its keys when none is left", async () => {
    await signsIn("max", ["speech-admins"]);
    const { userId } = (await seatOf("max"))!;
    const { accounts } = harness.parts;
    const projectId = (await accounts.defaultProject(harness.organizationId))!.id;
    const made = {
      projectId,
      name: "max",
      environment: "live",
      scopes: ["speech:create"],
      expiresAt: null,
    } as const;
    const { secret } = await accounts.createKey({ ...made, scopes: [...made.scopes], createdBy: userId });
    await signsIn("max", ["speech-users"]);
    expect(await held("max")).toEqual([false, "member by company"]);
    await signsIn("max", ["speech-operators"]);
    expect(await held("max")).toEqual([true, "owner by company"]);
    expect(await signsIn("max", [])).toBe("sign_up_closed");
    expect(await held("max")).toEqual([false]);
    harness.clock.pass(2000); // keys are cached for a second
    expect(
      await Promise.resolve(accounts.authenticate(secret)).catch((refusal: Refusal) => refusal.code),
    ).toBe("api_key_revoked");
  });

  test("what people gave stays: a role that an owner set, and an operator of the command line", async () => {
    await signsIn("olga", ["speech-operators"]);
    await signsIn("rosa", ["speech-users"]);
    const { userId, seats } = (await seatOf("rosa"))!;
    const owner = { userId: (await seatOf("olga"))!.userId, organizationId: harness.organizationId };
    await harness.parts.accounts.changeRole(owner, seats[0]!.id, "admin");
    expect(await signsIn("rosa", ["speech-users"])).toBe("in");
    expect(await held("rosa")).toEqual([false, "admin by null"]);
    expect(await signsIn("rosa", [])).toBe("sign_up_closed");
    expect(await held("rosa")).toEqual([false, "admin by null"]);
    await harness.parts.accounts.makeOperator({ email: email("rosa"), name: "Rosa", passwordHash: "x" });
    expect(await signsIn("rosa", ["speech-operators"])).toBe("in");
    expect(await signsIn("rosa", ["speech-users"])).toBe("in");
    expect(await held("rosa")).toEqual([true, "owner by null"]);
    expect((await seatOf("rosa"))!.userId).toBe(userId);
  });

  test("a second provider has its own groups, and takes nothing that the first gave", async () => {
    const partners = { realm_access: { roles: ["partners"] } };
    expect(await signsInAtSecond("pia", partners)).toBe("in");
    expect(await held("pia")).toEqual([false, "admin by company-2"]);
    await signsIn("paul", ["speech-users"]);
    expect(await signsInAtSecond("paul", partners)).toBe("in");
    expect(await held("paul")).toEqual([false, "member by company"]);
    expect(await signsInAtSecond("paul", { realm_access: { roles: [] } })).toBe("sign_up_closed");
    expect(await held("paul")).toEqual([false, "member by company"]);
    expect(await signsInAtSecond("pia", { realm_access: null })).toBe("sign_up_closed");
    expect(await held("pia")).toEqual([false]);
  });

  test("groups that the token could not hold are not taken for none", async () => {
    const partners = { realm_access: { roles: ["partners"] } };
    await signsInAtSecond("ella", partners);
    const many = { _claim_names: { "realm_access.roles": "src1" }, _claim_sources: { src1: {} } };
    expect(await signsInAtSecond("ella", many)).toBe("sign_up_closed");
    expect(await held("ella")).toEqual([false, "admin by company-2"]);
  });

  test("the last owner stays one, and cannot sign in", async () => {
    const { query, tables } = harness.parts.database;
    await signsIn("olga", ["speech-operators"]);
    const { userId } = (await seatOf("olga"))!;
    const others = await query.select().from(tables.member).where(eq(tables.member.role, "owner"));
    for (const { id, userId: other } of others)
      if (other !== userId)
        await query.update(tables.member).set({ role: "member" }).where(eq(tables.member.id, id));
    expect(await signsIn("olga", [])).toBe("sign_up_closed");
    expect(await held("olga")).toEqual([false, "owner by company"]);
  });

  test("a token for another client, of another time or of another issuer opens nothing", async () => {
    const partners = { realm_access: { roles: ["partners"] } };
    for (const wrong of [{ aud: "loquat" }, { exp: 1 }, { iss: "https://evil.example" }, { nonce: "x" }]) {
      expect(await signsInAtSecond("eve", { ...partners, ...wrong })).toBe("service_unavailable");
      expect(await seatOf("eve")).toBeNull();
    }
  });

  test("what the provider says of another person is not taken", async () => {
    second.other = "second-other";
    expect(await signsInAtSecond("eve", {})).toBe("service_unavailable");
    second.other = null;
    expect(await seatOf("eve")).toBeNull();
  });
});
