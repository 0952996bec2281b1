/** Promise: a provider and a proxy vouch for those whom they sign in, unless the provider says that it asked for one factor only. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  anonymous,
  forgetAttempts,
  openAccountsHarness,
  PASSWORD,
  refusalOf,
  signUp,
} from "../../api/management/people.ts";
import { errorOf, type Harness } from "../../harness.ts";
import { enable, prepare } from "../authenticator.ts";
import { companyBrowser } from "./company-browser.ts";
import { type MockProvider, startMockProvider } from "./mock-provider.ts";

let provider: MockProvider;
let harness: Harness;
beforeAll(async () => {
  provider = await startMockProvider();
  harness = await openAccountsHarness({
    environment: {
      LOQUAT_OIDC_ISSUER: provider.issuer,
      LOQUAT_OIDC_CLIENT_ID: "loquat",
      LOQUAT_PROXIES: "127.0.0.1",
      LOQUAT_AUTH_EMAIL_HEADER: "Remote-Email",
    },
  });
  await signUp(harness, "operator@example.com");
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => forgetAttempts(harness));

let people = 0;

type Session = {
  csrf_token: string;
  user: { id: string };
  two_factor: object;
  organizations: { id: string }[];
};

/** A person who signed in at the provider, with these claims besides, and whose organization asks for a second factor. */
async function colleague(claims: object, email = `worker-${++people}@example.com`) {
  provider.claims = { sub: email, email, email_verified: true, name: "Worker", ...claims };
  const browser = companyBrowser(harness);
  expect(await browser.signIn()).toBe(`${harness.url}/`);
  const session = (await (await browser.get("/api/session")).json()) as Session;
  const id = session.organizations[0]!.id;
  await harness.parts.accounts.requireTwoFactor(id, true);
  return { browser, session, email, home: `/api/organizations/${id}` };
}

describe("a session of a provider", () => {
  test.each([
    [{}],
    [{ amr: [] }],
    [{ amr: "pwd" }],
    [{ amr: ["pwd", "mfa"] }],
    [{ amr: ["pwd", "otp"] }],
    [{ amr: ["hwk", "user"] }],
  ])("with the claims %j counts as having a second factor", async (claims) => {
    const { browser, session, home } = await colleague(claims);
    expect(session.two_factor).toMatchObject({ enabled: false, satisfied: true });
    expect((await browser.get(home)).status).toBe(200);
  });

  test.each([[{ amr: ["pwd"] }], [{ amr: ["pwd", "user", 7] }]])(
    "with the claims %j does not, and is told to sign in there with both",
    async (claims) => {
      const { browser, session, home, email } = await colleague(claims);
      expect(session.two_factor).toMatchObject({ satisfied: false });
      expect(await errorOf(await browser.get(home))).toMatchObject({
        ...{ status: 403, code: "two_factor_required" },
        message: expect.stringContaining("your provider says"),
      });
      const again = await colleague({ amr: ["pwd", "mfa"] }, email);
      expect((await again.browser.get(home)).status).toBe(200);
    },
  );

  test("sets up no second factor here: that belongs to a password", async () => {
    const { browser, session } = await colleague({});
    const response = await fetch(`${harness.url}/api/auth/two-factor/enable`, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", origin: harness.url },
        ...{ cookie: browser.cookies(), "x-csrf-token": session.csrf_token },
      },
      body: JSON.stringify({ password: PASSWORD }),
    });
    expect(await refusalOf(response)).toBe("409 two_factor_unavailable");
  });

  test("does not switch on what was prepared in a session of the password", async () => {
    const bob = await signUp(harness, "bob@example.com");
    const app = await prepare(harness, bob);
    const { browser, session } = await colleague({}, bob.email);
    const response = await fetch(`${harness.url}/api/auth/two-factor/verify-totp`, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", origin: harness.url },
        ...{ cookie: browser.cookies(), "x-csrf-token": session.csrf_token },
      },
      body: JSON.stringify({ code: app.next() }),
    });
    expect(await refusalOf(response)).toBe("409 two_factor_unavailable");
  });

  test("is opened without the code of the person's password, whose code still confirms what matters", async () => {
    const ann = await signUp(harness, "ann@example.com");
    const app = await enable(harness, ann);
    harness.clock.pass(15 * 60_000);
    const { browser, session, home } = await colleague({}, ann.email);
    expect(session.two_factor).toEqual({ enabled: true, satisfied: true, required: false });
    const send = (method: string, path: string, body: object) =>
      fetch(harness.url + path, {
        method,
        headers: {
          ...{ "content-type": "application/json", origin: harness.url },
          ...{ cookie: browser.cookies(), "x-csrf-token": session.csrf_token },
        },
        body: JSON.stringify(body),
      });
    const lift = () => send("PUT", `${home}/two-factor`, { required: false });
    expect(await refusalOf(lift())).toBe("403 confirmation_required");
    const given = await send("POST", "/api/auth/two-factor/verify-totp", { code: app.next() });
    expect(given.status).toBe(200);
    expect((await lift()).status).toBe(200);
  });
});

test("a session of a proxy counts as having a second factor", async () => {
  const headers = { "remote-email": "proxied@example.com" };
  const session = (await (await fetch(`${harness.url}/api/session`, { headers })).json()) as Session;
  expect(session.two_factor).toEqual({ enabled: false, satisfied: true, required: false });
  const id = session.organizations[0]!.id;
  await harness.parts.accounts.requireTwoFactor(id, true);
  expect((await fetch(`${harness.url}/api/organizations/${id}`, { headers })).status).toBe(200);
  expect(await refusalOf(anonymous(harness).ask("/api/session"))).toBe("401 not_signed_in");
});
