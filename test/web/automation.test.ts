/** Promise: in a real browser, owners create, see once and end admin keys and the keys of service accounts; others do not see them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { invite, openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { fill, lacks, press, secretOf, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let owner: Person;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const automationAs = (person: Person) =>
  browser.visitAs(person, `${harness.url}/orgs/${harness.organizationId}/automation`);

const statusAt = async (path: string, key: string) =>
  (await fetch(`${harness.url}/v1${path}`, { headers: { authorization: `Bearer ${key}` } })).status;

describe.skipIf(!chromium)(`what programs use an organization with${unlessBrowser}`, () => {
  test("an admin key is made with scopes and an end, shown once, and revoked", async () => {
    const page = await automationAs(owner);
    await sees(page, /No admin keys yet/);
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Create admin key$/);
    await fill(page, { name: "Reports", expiry: "30" });
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Create admin key$/);
    const secret = await secretOf(page);
    expect(secret).toMatch(/^sk_admin_\w{43}$/);
    await sees(page, /\/v1\/organization\/costs\?start_time=/);
    await press(page, /^I have copied the key$/);
    await page.waitForFunction("!document.querySelector('dialog[open]')");
    await sees(page, /Reports[\s\S]*usage:read[\s\S]*organization:read[\s\S]*active/);
    await lacks(page, new RegExp(secret));
    expect(await statusAt("/organization/projects", secret)).toBe(200);
    expect(await statusAt("/organization/admin_api_keys", secret)).toBe(200);
    await press(page, /^Revoke Reports$/);
    await press(page, /^Revoke admin key$/);
    await sees(page, /revoked/);
    expect(await until(async () => (await statusAt("/organization/projects", secret)) === 401)).toBe(true);
    await page.close();
  });

  test("a service account is made with its first key, gets another, and is deleted with both", async () => {
    const page = await automationAs(owner);
    await sees(page, /No service accounts yet/);
    await press(page, /^Create service account$/);
    await fill(page, { name: "Telephone", environment: "live" });
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Create service account$/);
    const first = await secretOf(page);
    await press(page, /^I have copied the key$/);
    await page.waitForFunction("!document.querySelector('dialog[open]')");
    await press(page, /^Create key of Telephone$/);
    await tick(page, "scope");
    await press(page, /^Create key$/);
    const second = await secretOf(page);
    expect(await Promise.all([first, second].map((key) => statusAt("/me", key)))).toEqual([200, 200]);
    await press(page, /^I have copied the key$/);
    await page.waitForFunction("!document.querySelector('dialog[open]')");
    await sees(page, /Telephone[\s\S]*svc_[\s\S]*Default[\s\S]*2/);
    await press(page, /^Delete Telephone$/);
    await sees(page, /All of its keys \(2 active\)/);
    await press(page, /^Delete service account$/);
    await sees(page, /No service accounts yet/);
    expect(await Promise.all([first, second].map((key) => statusAt("/me", key)))).toEqual([401, 401]);
    await page.close();
  });

  test("an admin is told that only owners see them, and has no entry for the page", async () => {
    const person = await signUp(harness, "linus@example.com", { name: "Linus" });
    await invite(owner, person, { organizationId: harness.organizationId, role: "admin" });
    const page = await automationAs(person);
    await sees(page, /Only owners of the organization see and create them/);
    expect(await page.$(`nav a[href$="/automation"]`)).toBeNull();
    await page.close();
  });
});
