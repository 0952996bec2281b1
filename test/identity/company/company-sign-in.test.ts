/** Promise: people of a company sign in at its provider, and no other people; a browser goes nowhere but to our pages. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import {
  anonymous,
  forgetAttempts,
  openAccountsHarness,
  PASSWORD,
  signUp,
} from "../../api/management/people.ts";
import { errorOf, type Harness } from "../../harness.ts";
import { companyBrowser } from "./company-browser.ts";
import { type RealProvider, startRealProvider } from "./real-provider.ts";

let provider: RealProvider;
let harness: Harness;
let names = 0;

beforeAll(async () => {
  provider = await startRealProvider();
  harness = await openAccountsHarness({
    environment: {
      LOQUAT_OIDC_ISSUER: provider.issuer,
      LOQUAT_OIDC_CLIENT_ID: "loquat",
      LOQUAT_OIDC_CLIENT_SECRET: "a secret of the client",
      LOQUAT_OIDC_NAME: "Example Ltd",
    },
  });
  provider.open(harness.url);
  await signUp(harness, "operator@example.com"); // the first one runs the server
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => forgetAttempts(harness));

/** A new person at the provider, who signs in next. */
function newPerson(claims: object = {}): { subject: string; email: string } {
  const subject = `worker-${++names}`;
  const email = `${subject}@example.com`;
  provider.people.set(subject, { email, email_verified: true, name: `Worker ${names}`, ...claims });
  provider.who = subject;
  return { subject, email };
}

const userOf = async (email: string) => {
  const { database } = harness.parts;
  const { user } = database.tables;
  return (await database.query.select().from(user).where(eq(user.email, email)))[0] ?? null;
};

test("a person of the company signs in, and gets an organization of their own", async () => {
  const { email } = newPerson();
  const browser = companyBrowser(harness);
  expect(await browser.signIn()).toBe(`${harness.url}/`);
  const session = (await (await browser.get("/api/session")).json()) as {
    user: object;
    provider: string;
    organizations: { name: string; role: string }[];
  };
  expect(session).toMatchObject({ user: { email, name: `Worker ${names}` }, provider: "company" });
  expect(session.organizations.map(({ name, role }) => [name, role])).toEqual([
    [`Worker ${names}'s organization`, "owner"],
  ]);
  expect(await companyBrowser(harness).signIn()).toBe(`${harness.url}/`); // again, as the same user
});

describe("where a browser is sent", () => {
  const EVIL = "https://evil.example/x";

  test("is never an address that the client named", async () => {
    newPerson();
    const body = { callbackURL: EVIL, errorCallbackURL: EVIL, newUserCallbackURL: EVIL, provider: "x" };
    const browser = companyBrowser(harness);
    const back = await browser.comeBack(await browser.begin("company", body));
    const landed = await browser.land(`${back}&callbackURL=${EVIL}&redirect=${EVIL}`);
    expect(landed.headers.get("location")).toBe(`${harness.url}/`);
  });

  test("is never one that the provider named, and shows nothing that it said", async () => {
    provider.who = null;
    const refused = await companyBrowser(harness).signIn();
    expect(refused).toBe(`${harness.url}/sign-in?error=not_signed_in`);
  });

  test("is the sign-in page where an answer was not asked for, is another browser's, or is used twice", async () => {
    newPerson();
    const [one, other] = [companyBrowser(harness), companyBrowser(harness)];
    const expired = `${harness.url}/sign-in?error=invalid_token`;
    const asked = await one.comeBack(await one.begin());
    const landedAt = async (browser: typeof one, url: string) =>
      (await browser.land(url)).headers.get("location");
    const callback = `${harness.url}/api/auth/callback/company`;
    for (const query of ["", "?code=x", "?code=x&state=y", "?error=access_denied", "?state=%00"])
      expect(await landedAt(other, callback + query)).toMatch(/error=(invalid_token|validation_error)$/);
    expect(await landedAt(other, asked)).toBe(expired);
    const again = await one.comeBack(await one.begin());
    expect(await landedAt(one, again)).toBe(`${harness.url}/`);
    expect(await landedAt(one, again)).toBe(expired);
    expect(other.cookies()).not.toContain("svc_session");
  });

  test("holds another issuer's answer for a failure", async () => {
    newPerson();
    const browser = companyBrowser(harness);
    const back = new URL(await browser.comeBack(await browser.begin()));
    back.searchParams.set("iss", "https://evil.example");
    expect((await browser.land(back.href)).headers.get("location")).toBe(
      `${harness.url}/sign-in?error=service_unavailable`,
    );
  });
});

test("the callback takes a GET with the provider's parameters only, and gives no error page", async () => {
  const callback = `${harness.url}/api/auth/callback/company`;
  const posted = await fetch(callback, { method: "POST", body: "code=x&state=y", redirect: "manual" });
  expect(await errorOf(posted)).toMatchObject({ status: 404, code: "not_found" });
  expect((await fetch(`${callback}-2?code=x`, { redirect: "manual" })).headers.get("location")).toBe(
    `${harness.url}/sign-in?error=not_found`,
  );
  for (const path of ["sign-in/social", "link-social", "callback/google", "get-access-token", "error"])
    expect((await fetch(`${harness.url}/api/auth/${path}`, { redirect: "manual" })).status).toBe(404);
});

test("a sign-in is begun from this site only", async () => {
  const begun = anonymous(harness).auth(
    "sign-in/company",
    {},
    { headers: { origin: "https://evil.example" } },
  );
  expect(await errorOf(await begun)).toMatchObject({ status: 403, code: "csrf_failed" });
});

describe("an address that the provider has not verified", () => {
  test.each([false, "false", undefined, null, 1])("opens nothing where its claim is %p", async (claim) => {
    const { email } = newPerson({ email_verified: claim });
    expect(await companyBrowser(harness).signIn()).toBe(`${harness.url}/sign-in?error=email_not_verified`);
    expect(await userOf(email)).toBeNull();
  });

  test("opens no account, although its holder has one", async () => {
    const person = await signUp(harness, `victim-${++names}@example.com`);
    newPerson({ email: person.email, email_verified: false });
    const browser = companyBrowser(harness);
    expect(await browser.signIn()).toBe(`${harness.url}/sign-in?error=email_not_verified`);
    expect(browser.cookies()).not.toContain("svc_session");
  });

  test.each([
    undefined,
    "",
    "no address",
    "a@b",
    "a@b.c\r\nBcc: x@y.z",
    "a,b@example.com",
    `${"a".repeat(300)}@b.c`,
  ])("is not even one where the claim is %p", async (email) => {
    newPerson({ email });
    expect(await companyBrowser(harness).signIn()).toBe(`${harness.url}/sign-in?error=email_not_verified`);
  });
});

describe("an address that is signed up already", () => {
  test("belongs to the colleague whom the provider verifies, if it was never verified here", async () => {
    const { email } = newPerson();
    const squatter = { email, name: "Squatter", password: PASSWORD };
    await anonymous(harness).json("/api/auth/sign-up/email", squatter);
    expect(await companyBrowser(harness).signIn()).toBe(`${harness.url}/`);
    expect(await userOf(email)).toMatchObject({ name: `Worker ${names}`, emailVerified: true });
    await forgetAttempts(harness);
    const signIn = await anonymous(harness).auth("sign-in/email", { email, password: PASSWORD });
    expect(await errorOf(signIn)).toMatchObject({ status: 401, code: "invalid_credentials" });
  });

  test("keeps its user if it was verified, who then signs in both ways", async () => {
    const { email } = newPerson();
    const person = await signUp(harness, email);
    const browser = companyBrowser(harness);
    expect(await browser.signIn()).toBe(`${harness.url}/`);
    expect(await (await browser.get("/api/session")).json()).toMatchObject({ user: { id: person.userId } });
    await person.json("/api/session");
  });
});

test("a session ends with the provider's hours, however much it is used, and stores no token", async () => {
  const { email } = newPerson();
  const browser = companyBrowser(harness);
  await browser.signIn();
  await browser.get("/api/session");
  await browser.get("/api/auth/list-sessions");
  const { id } = (await userOf(email))!;
  const { query, tables } = harness.parts.database;
  const [session] = await query.select().from(tables.session).where(eq(tables.session.userId, id));
  const hours = (session!.expiresAt.getTime() - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(11.9);
  expect(hours).toBeLessThanOrEqual(12);
  const [link] = await query.select().from(tables.credential).where(eq(tables.credential.userId, id));
  expect(link).toMatchObject({ providerId: "company", accessToken: null, refreshToken: null, idToken: null });
  await query.update(tables.session).set({ expiresAt: new Date(Date.now() - 1000) });
  expect((await browser.get("/api/session")).status).toBe(401);
});

test("the sign-in page is told of the provider", async () => {
  expect(await (await fetch(`${harness.url}/api/installation`)).json()).toMatchObject({
    passwords: "on",
    sign_in_providers: [{ id: "company", name: "Example Ltd" }],
  });
});

test("nothing that is logged has a code, a token or an address", () => {
  const logged = JSON.stringify(harness.logged);
  expect(logged).toContain("company_sign_in_refused");
  expect(/@example\.com|eyJ|code=|svc_s|a secret of/.exec(logged)?.[0]).toBeUndefined();
});
