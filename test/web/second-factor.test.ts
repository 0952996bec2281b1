/** Promise: in a real browser, a second factor is set up, asked for at sign-in and before what matters, and demanded by an organization. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import {
  forgetAttempts,
  openAccountsHarness,
  PASSWORD,
  type Person,
  signUp,
} from "../api/management/people.ts";
import { barriers, chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { type Authenticator, authenticatorOf, enable } from "../identity/authenticator.ts";
import { arrives, fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  browser = await openBrowser();
  await signUp(harness, "operator@example.com");
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  if (chromium) await forgetAttempts(harness);
});

async function pageAt(path: string, person?: Person): Promise<Page> {
  const page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  if (person) await hold(page, person.cookie());
  await page.goto(harness.url + path);
  return page;
}

const textsOf = (page: Page, selector: string) =>
  page.$$eval(selector, (all) => all.map((each) => (each as unknown as { textContent: string }).textContent));

async function signsIn(email: string): Promise<Page> {
  const page = await pageAt("/sign-in");
  await fill(page, { email, password: PASSWORD });
  await press(page, /^Sign in$/);
  await sees(page, /Code of your authenticator app, or a recovery code/);
  return page;
}

const homeOf = async ({ userId }: Person) =>
  (await harness.parts.accounts.memberships(userId))[0]!.organization.id;

describe.skipIf(!chromium)(`the second factor${unlessBrowser}`, () => {
  let ann: Person;
  let app: Authenticator;

  test("is set up on the account page, with a key, ten recovery codes and a code of the app", async () => {
    ann = await signUp(harness, "ann@example.com");
    const page = await pageAt("/account", ann);
    await press(page, /^Set up$/);
    await fill(page, { password: PASSWORD });
    await press(page, /^Continue$/);
    await sees(page, /Add the key to your authenticator app[\s\S]*Store the recovery codes/);
    expect(await barriers(page)).toEqual([]);
    const backupCodes = await textsOf(page, ".recovery-codes li");
    expect(backupCodes.length).toBe(10);
    const totpURI = await page.$eval("dialog a[href^='otpauth:']", (link) => link.getAttribute("href")!);
    const [typed] = await textsOf(page, "dialog .copied code");
    expect(typed!.replaceAll(" ", "")).toBe(new URL(totpURI).searchParams.get("secret")!);
    app = authenticatorOf(harness, { totpURI, backupCodes });
    await fill(page, { code: "000000" });
    await press(page, /^Switch on$/);
    await sees(page, /The code is wrong/);
    await fill(page, { code: app.next() });
    await press(page, /^Switch on$/);
    await sees(page, /Switch off/);
    expect(await barriers(page)).toEqual([]);
    await page.close();
  });

  test("is asked for after the password", async () => {
    const page = await signsIn(ann.email);
    expect(await barriers(page)).toEqual([]);
    await fill(page, { code: "000000" });
    await press(page, /^Continue$/);
    await sees(page, /The code is wrong/);
    await fill(page, { code: app.next() });
    await press(page, /^Continue$/);
    await arrives(page, /^\/orgs\/[^/]+\/overview$/);
    await page.close();
  });

  test("is replaced by a recovery code, and asks for the password again when the step is over", async () => {
    const page = await signsIn(ann.email);
    await fill(page, { code: app.recoveryCodes[0]! });
    await press(page, /^Continue$/);
    await arrives(page, /^\/orgs\/[^/]+\/overview$/);
    await page.close();

    const late = await signsIn(ann.email);
    const { query, tables } = harness.parts.database;
    await query.delete(tables.verification);
    await fill(late, { code: app.next() });
    await press(late, /^Continue$/);
    await sees(late, /Ten minutes have passed/);
    await press(late, /^Sign in again$/);
    await sees(late, /Forgot your password/);
    await late.close();
  });

  test("is asked for before what matters: the request is repeated with a code, and not without one", async () => {
    const bob = await signUp(harness, "bob@example.com");
    const theirs = await enable(harness, bob);
    harness.clock.pass(15 * 60_000);
    const home = await homeOf(bob);
    const page = await pageAt(`/orgs/${home}/settings`, bob);
    await press(page, /^Require it of every member$/);
    await sees(page, /Confirm that it is you/);
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Cancel$/);
    await sees(page, /Not confirmed, so nothing was changed/);
    expect(await harness.parts.accounts.needsTwoFactor(home)).toBe(false);
    await press(page, /^Require it of every member$/);
    await fill(page, { code: theirs.next() });
    await press(page, /^Confirm$/);
    await sees(page, /Members without a second factor see their account page only/);
    expect(await harness.parts.accounts.needsTwoFactor(home)).toBe(true);
    await page.close();
  });

  test("that an organization demands is announced in place of its pages, with the way to it", async () => {
    const cat = await signUp(harness, "cat@example.com");
    const home = await homeOf(cat);
    const settings = await pageAt(`/orgs/${home}/settings`, cat);
    await sees(settings, /Set up a second factor of your own/);
    await settings.close();
    await harness.parts.accounts.requireTwoFactor(home, true);
    const page = await pageAt(`/orgs/${home}/keys`, cat);
    await sees(page, /Second factor required[\s\S]*Set one up on your account page/);
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Go to your account$/);
    await arrives(page, /^\/account$/);
    await sees(page, /Protect your password/);
    await page.close();
  });

  test("gets new recovery codes, and is switched off, with the password", async () => {
    const dan = await signUp(harness, "dan@example.com");
    const { recoveryCodes } = await enable(harness, dan);
    const page = await pageAt("/account", dan);
    await press(page, /^New recovery codes$/);
    await fill(page, { password: PASSWORD });
    await press(page, /^Make new codes$/);
    await sees(page, /I have stored the codes/);
    const codes = await textsOf(page, ".recovery-codes li");
    expect(codes.length).toBe(10);
    expect(codes.filter((code) => recoveryCodes.includes(code))).toEqual([]);
    await press(page, /^I have stored the codes$/);
    await press(page, /^Switch off$/);
    await fill(page, { password: PASSWORD });
    await press(page, /^Switch off$/);
    await sees(page, /Protect your password/);
    await page.close();
  });
});
