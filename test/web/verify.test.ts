/** Promise: in a real browser, a verification link alone neither signs in nor silently replaces another session. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  anonymous,
  mailedLink,
  openAccountsHarness,
  PASSWORD,
  type Person,
  signIn,
  signUp,
} from "../api/management/people.ts";
import { barriers, chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { arrives, fill, lacks, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let bob: Person;
let link: URL;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  bob = await signUp(harness, "bob@example.com");
  const eve = { email: "eve@example.com", name: "Eve", password: "the password of eve" };
  await anonymous(harness).json("/api/auth/sign-up/email", eve);
  link = await mailedLink(harness, eve.email);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

describe.skipIf(!chromium)(`a verification link${unlessBrowser}`, () => {
  const visit = (cookie: string) => visitAt(String(link), cookie);
  const visitAt = async (address: string, cookie: string) => {
    const page = await browser.newPage();
    await page.setBypassCSP(true); // for axe-core alone
    if (cookie) await hold(page, cookie);
    await page.goto(new URL(address, harness.url).href);
    await page.waitForNetworkIdle({ idleTime: 500 });
    return page;
  };
  const whoIs = `fetch("/api/session").then((r) => r.json()).then(({ user }) => user?.email ?? null)`;

  test("warns before it replaces another user's session", async () => {
    const page = await visit(bob.cookie());
    await sees(page, /signed in as bob@example\.com[\s\S]*signs you in as eve@example\.com instead/);
    expect(await page.evaluate(whoIs)).toBe("bob@example.com");
    expect(await barriers(page)).toEqual([]);
    await page.close();
  });

  test("is not needed on a server without mail: an operator approves who has signed up", async () => {
    const { page } = await browser.visit(`${harness.url}/sign-up`);
    await fill(page, { name: "Joan", email: "joan@example.com", password: PASSWORD });
    await press(page, /^Create account$/);
    await sees(
      page,
      /operator of this server approves new accounts[\s\S]*joan@example\.com[\s\S]*sends no e-mail/,
    );
    await page.goto(`${harness.url}/sign-in`);
    await fill(page, { email: "joan@example.com", password: PASSWORD });
    await press(page, /^Sign in$/);
    await sees(page, /joan@example\.com is not approved yet[\s\S]*sends no e-mail/);
    const users = await visitAt("/operator/users?status=pending", bob.cookie());
    await sees(users, /joan@example\.com\s+not verified/);
    expect(await barriers(users)).toEqual([]);
    await press(users, /^Approve: joan@example\.com$/);
    await press(users, /^Approve$/);
    await lacks(users, /joan@example\.com/);
    await users.goto(`${harness.url}/operator/users?search=joan`);
    await press(users, /^Password link: joan@example\.com$/);
    await press(users, /^Make a link$/);
    await sees(users, /\/reset\?token=\w{32}/);
    await users.close();
    await fill(page, { email: "joan@example.com", password: PASSWORD });
    await press(page, /^Sign in$/);
    await arrives(page, /\/overview/);
    await page.close();
  });

  test("requires the password, or a new one in its place", async () => {
    const page = await visit("");
    expect(await page.evaluate(whoIs)).toBeNull();
    await fill(page, { password: PASSWORD });
    await press(page, /^Verify and sign in$/);
    await sees(page, /The password is wrong/);
    await press(page, /Set a new password instead/);
    await fill(page, { newPassword: PASSWORD });
    await press(page, /^Verify and sign in$/);
    await arrives(page, /\/overview/);
    expect(await page.evaluate(whoIs)).toBe("eve@example.com");
    await page.goto(String(link));
    await fill(page, { password: PASSWORD });
    await press(page, /^Verify and sign in$/);
    await sees(page, /This link is invalid or has expired/);
    await signIn(harness, "eve@example.com");
    await page.close();
  });
});
