/** Promise: passwords open nothing where they are switched off, and a provider that is away delays no password. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { openHashing } from "../../../src/identity/password-hashing.ts";
import {
  anonymous,
  forgetAttempts,
  mailedLink,
  openAccountsHarness,
  PASSWORD,
  refusalOf,
  signIn,
} from "../../api/management/people.ts";
import { errorOf, type Harness } from "../../harness.ts";
import { until } from "../../until.ts";
import { companyBrowser } from "./company-browser.ts";
import { type RealProvider, startRealProvider } from "./real-provider.ts";

const configured = ({ issuer }: Pick<RealProvider, "issuer">, more: Record<string, string> = {}) => ({
  LOQUAT_OIDC_ISSUER: issuer,
  LOQUAT_OIDC_CLIENT_ID: "loquat",
  LOQUAT_OIDC_CLIENT_SECRET: "a secret of the client",
  ...more,
});

let provider: RealProvider;
beforeAll(async () => {
  provider = await startRealProvider();
  provider.people.set("ann", { email: "ann@example.com", email_verified: true, name: "Ann" });
  provider.who = "ann";
});
afterAll(() => provider[Symbol.asyncDispose]());

/** By the routes that use a password, or make one. */
const ROUTES: [path: string, body: object][] = [
  ["sign-up/email", { email: "new@example.com", name: "New", password: PASSWORD }],
  ["join", { invitationId: "x", token: "x", name: "New", password: PASSWORD }],
  ["sign-in/email", { email: "boss@example.com", password: PASSWORD }],
  ["set-up", { token: "x", name: "New", email: "new@example.com", password: PASSWORD }],
  ["verify-email", { token: "x", password: PASSWORD }],
  ["send-verification-email", { email: "boss@example.com" }],
  ["request-password-reset", { email: "boss@example.com" }],
  ["reset-password", { token: "x", newPassword: PASSWORD }],
];

describe.each(["operators", "off"] as const)("with passwords: %s", (passwords) => {
  let harness: Harness;
  beforeAll(async () => {
    const environment = configured(provider, { LOQUAT_PASSWORD_SIGN_IN: passwords });
    harness = await openAccountsHarness({ environment });
    const { accounts } = harness.parts;
    const passwordHash = await Bun.password.hash("unused");
    await accounts.makeOperator({ email: "boss@example.com", name: "Boss", passwordHash });
  });
  afterAll(() => harness[Symbol.asyncDispose]());
  beforeEach(() => forgetAttempts(harness));

  const refused = passwords === "off" ? ROUTES : ROUTES.slice(0, 2);
  test.each(refused)("%s is refused", async (path, body) => {
    expect(await refusalOf(anonymous(harness).auth(path, body))).toBe("403 password_sign_in_off");
  });
});

test("where only operators may use one, others' right password opens no session, and a wrong one says nothing", async () => {
  await using harness = await openAccountsHarness({ environment: configured(provider) });
  const { hash } = openHashing(harness.parts.config.identity.passwordCost ?? undefined);
  const passwordHash = await hash(PASSWORD);
  const { accounts, config } = harness.parts;
  for (const email of ["boss@example.com", "worker@example.com"])
    await accounts.makeOperator({ email, name: "x", passwordHash });
  await accounts.revokeOperator("worker@example.com");
  (config.identity as { passwords: string }).passwords = "operators";
  const worker = { email: "worker@example.com", password: PASSWORD };
  const response = await anonymous(harness).auth("sign-in/email", worker);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(await refusalOf(response)).toBe("403 password_sign_in_off");
  const { query, tables } = harness.parts.database;
  expect(await query.select().from(tables.session)).toEqual([]);
  const wrong = { ...worker, password: "another one altogether" };
  expect(await refusalOf(anonymous(harness).auth("sign-in/email", wrong))).toBe("401 invalid_credentials");
  const boss = await signIn(harness, "boss@example.com");
  expect(await boss.json("/api/session")).toMatchObject({ provider: null });
});

describe("a provider", () => {
  test("that is away at the start gets 503, and works later without a restart", async () => {
    await using late = await startRealProvider();
    await using harness = await openAccountsHarness({ environment: configured(late) });
    late.people.set("ann", { email: "ann@example.com", email_verified: true });
    late.who = "ann";
    const begun = await anonymous(harness).auth("sign-in/company", {});
    expect(begun.headers.get("retry-after")).toBe("5");
    expect(await errorOf(begun)).toMatchObject({ status: 503, code: "service_unavailable" });
    expect(harness.logged.map(({ event }) => event)).toContain("sign_in_provider_unavailable");
    late.open(harness.url);
    expect(await companyBrowser(harness).signIn()).toBe(`${harness.url}/`);
  });

  test("that does not answer delays no password", async () => {
    const held = Promise.withResolvers<Response>();
    await using silent = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => held.promise });
    const issuer = `http://127.0.0.1:${silent.port}`;
    await using harness = await openAccountsHarness({ environment: configured({ issuer }) });
    const begun = anonymous(harness).auth("sign-in/company", {});
    const person = anonymous(harness, "bob@example.com");
    const { email } = person;
    await person.json("/api/auth/sign-up/email", { email, name: "Bob", password: PASSWORD });
    expect(await mailedLink(harness, email)).toBeDefined();
    held.resolve(new Response("no", { status: 500 }));
    expect(await errorOf(await begun)).toMatchObject({ status: 503 });
  });

  test("that names another issuer is not used", async () => {
    const issuer = `${provider.issuer}/other`;
    await using fake = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0 },
      fetch: () => Response.json({ issuer, authorization_endpoint: issuer, token_endpoint: issuer }),
    });
    const environment = configured({ issuer: `http://127.0.0.1:${fake.port}` });
    await using harness = await openAccountsHarness({ environment });
    expect(await refusalOf(anonymous(harness).auth("sign-in/company", {}))).toBe("503 service_unavailable");
    const logged = await until(() =>
      harness.logged.find(({ event }) => event === "sign_in_provider_unavailable"),
    );
    expect(String((logged.cause as Error).message ?? logged.cause)).toContain("LOQUAT_OIDC_ISSUER");
  });
});

test("without groups the sign-up policy decides who may come, and an organization that is named takes them", async () => {
  const environment = configured(provider, { LOQUAT_SIGN_UP: "invited" });
  await using harness = await openAccountsHarness({ environment });
  provider.open(harness.url);
  const { makeOperator } = harness.parts.accounts;
  await makeOperator({ email: "boss@example.com", name: "Boss", passwordHash: "x" });
  expect(await companyBrowser(harness).signIn()).toBe(`${harness.url}/sign-in?error=sign_up_closed`);
  const open = configured(provider, { LOQUAT_OIDC_ORGANIZATION: harness.organizationId });
  await using joined = await openAccountsHarness({ environment: open });
  provider.open(joined.url);
  joined.parts.config.identity.providers[0]!.organizationId = joined.organizationId;
  const browser = companyBrowser(joined);
  expect(await browser.signIn()).toBe(`${joined.url}/`);
  expect(await (await browser.get("/api/session")).json()).toMatchObject({
    user: { operator: false },
    organizations: [{ id: joined.organizationId, role: "member" }],
  });
});
