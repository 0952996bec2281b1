/** Promise: whatever strangers try, from the same address too, the right link, key or browser is let in. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Harness } from "../../harness.ts";
import {
  anonymous,
  forgetAttempts,
  invite,
  letters,
  mailedLink,
  openAccountsHarness,
  PASSWORD,
  type Person,
  refusalOf,
  signIn,
  signInWith,
  signUp,
} from "./people.ts";

const TRIES = 15; // more than an address has
const NEW = "another correct horse";

let harness: Harness;
let ann: Person;
beforeAll(async () => {
  harness = await openAccountsHarness();
  ann = await signUp(harness, "ann@example.com");
});
afterAll(() => harness[Symbol.asyncDispose]());

/** Tries a route with wrong tokens, and gives the last answer. */
async function wrongTokens(on: Harness, path: string, body: object): Promise<string> {
  let last = "";
  for (let index = 0; index < TRIES; index++) {
    const token = `${index}`.padStart(32, "x");
    last = await refusalOf(anonymous(on).auth(path, { ...body, token }));
  }
  return last;
}

const tokenOf = (link: URL) => link.searchParams.get("token");

test("the set-up link works after wrong ones with the same address and e-mail were refused", async () => {
  await using fresh = await openAccountsHarness();
  const token = await fresh.parts.accounts.newSetUpSecret();
  const account = { name: "Ada", email: "ada@example.com", password: PASSWORD };
  expect(await wrongTokens(fresh, "set-up", account)).toBe("429 rate_limit_exceeded");
  const response = await anonymous(fresh).auth("set-up", { ...account, token });
  expect(response.status).toBe(200);
  expect(await fresh.parts.accounts.operators()).toMatchObject([{ email: account.email }]);
});

describe("a mailed link", () => {
  test("resets the password after wrong ones were refused, and others asked for more links", async () => {
    await forgetAttempts(harness);
    await anonymous(harness).json("/api/auth/request-password-reset", { email: ann.email });
    const token = tokenOf(await mailedLink(harness, ann.email, "reset"));
    for (let index = 0; index < 4; index++)
      await anonymous(harness).auth("request-password-reset", { email: ann.email });
    const body = { newPassword: NEW };
    expect(await wrongTokens(harness, "reset-password", body)).toBe("429 rate_limit_exceeded");
    await anonymous(harness).json("/api/auth/reset-password", { ...body, token });
    ann = await signIn(harness, ann.email, NEW);
    expect(await refusalOf(anonymous(harness).auth("reset-password", { ...body, token }))).toBe(
      "400 invalid_token",
    );
  });

  test("verifies an address after wrong ones were refused", async () => {
    await forgetAttempts(harness);
    const [email, password] = ["una@example.com", PASSWORD];
    await anonymous(harness).json("/api/auth/sign-up/email", { email, name: "Una", password });
    const token = tokenOf(await mailedLink(harness, email));
    expect(await wrongTokens(harness, "verify-email", { password })).toBe("429 rate_limit_exceeded");
    await anonymous(harness).json("/api/auth/verify-email", { token, password });
  });

  test("has ten guesses of the password, after which it still sets a new one", async () => {
    await forgetAttempts(harness);
    const email = "eve@example.com";
    await anonymous(harness).json("/api/auth/sign-up/email", { email, name: "Eve", password: PASSWORD });
    const token = tokenOf(await mailedLink(harness, email));
    const guess = () =>
      refusalOf(anonymous(harness).auth("verify-email", { token, password: "wrong password" }));
    for (let index = 0; index < 10; index++) expect(await guess()).toBe("401 invalid_credentials");
    expect(await guess()).toBe("429 rate_limit_exceeded");
    await anonymous(harness).json("/api/auth/verify-email", { token, newPassword: NEW });
    await signIn(harness, email, NEW);
  });
});

test("an invitation is accepted after another user tried to", async () => {
  const mal = await signUp(harness, "mal@example.com");
  const bob = await signUp(harness, "bob@example.com");
  const seat = { organizationId: harness.organizationId, role: "member" };
  for (let index = 0; index < TRIES; index++)
    expect(
      await refusalOf(mal.auth("organization/accept-invitation", { invitationId: `inv_${index}` })),
    ).toBe("404 not_found");
  await invite(ann, bob, seat);
  expect(letters(harness, bob.email).length).toBeGreaterThan(0);
});

test("a browser that has signed in before signs in after others used up all attempts of its address", async () => {
  await forgetAttempts(harness);
  const known = await signInWith(harness, { email: ann.email, password: NEW });
  const cookie = known.headers
    .getSetCookie()
    .find((each) => each.startsWith("svc_device_"))!
    .split(";")[0]!;
  const guess = (email: string) => refusalOf(signInWith(harness, { email, password: "wrong password" }));
  for (let index = 0; index < 30; index++) await guess(`nobody${index}@example.com`);
  const right = { email: ann.email, password: NEW };
  expect(await refusalOf(signInWith(harness, right))).toBe("429 rate_limit_exceeded");
  expect((await signInWith(harness, right, { headers: { cookie } })).status).toBe(200);
});

test("a key works after any number of wrong ones", async () => {
  const ask = (key: string) => fetch(`${harness.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  const wrong = harness.key.replace(/.{8}$/, "AAAAAAAA");
  for (let index = 0; index < 200; index++) await (await ask(`${wrong}${index}`)).body?.cancel();
  expect((await ask(wrong)).status).toBe(401);
  expect((await ask(harness.key)).status).toBe(200);
});
