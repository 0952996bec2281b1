/** Promise: in a real browser, removing a member or leaving lists the keys that are revoked, and admins may keep them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { invite, openAccountsHarness, PASSWORD, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { arrives, fill, press, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let owner: Person;
let project: string;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  project = (await harness.parts.accounts.defaultProject(harness.organizationId))!.id;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

async function joins(name: string, role: string): Promise<{ person: Person; keyId: string }> {
  const person = await signUp(harness, `${name.toLowerCase()}@example.com`, { name });
  await invite(owner, person, { organizationId: harness.organizationId, role });
  const key = { name: `${name}'s own`, environment: "live" };
  const { id } = await person.json<{ id: string }>(`/api/projects/${project}/keys`, key);
  return { person, keyId: id };
}

const membersAs = (person: Person) =>
  browser.visitAs(person, `${harness.url}/orgs/${harness.organizationId}/members`);

const status = async (keyId: string) => (await harness.parts.accounts.key(keyId))!.status;
const isGone = async ({ userId }: Person) => {
  await until(async () => (await harness.parts.accounts.roleIn(harness.organizationId, userId)) === null);
  return true;
};

test.skipIf(!chromium)(`without mail, the link of an invitation is on the page${unlessBrowser}`, async () => {
  const page = await membersAs(owner);
  await press(page, /^Invite member$/);
  await fill(page, { email: "katherine@example.com" });
  await press(page, /^Create invitation link$/);
  await sees(page, /This server sends no e-mail\. Copy the link/);
  await sees(page, /katherine@example\.com[\s\S]*Copy link/);
  await page.close();
});

test.skipIf(!chromium)(
  `who is invited creates an account, and names no organization${unlessBrowser}`,
  async () => {
    const page = await (await browser.browser.createBrowserContext()).newPage();
    await page.goto(`${harness.url}/sign-up`);
    await page.waitForSelector("[name=organizationName]");
    await page.goto(`${harness.url}/invitation?id=inv_1&email=katherine%40example.com`);
    await sees(page, /You are invited to an organization on this server[\s\S]*katherine@example\.com/);
    expect(await page.evaluate("document.querySelector('.button.primary').textContent")).toBe(
      "Create an account",
    );
    await press(page, /^Create an account$/);
    await page.waitForSelector("[name=password]");
    expect(await page.$eval("[name=email]", (field) => (field as unknown as { value: string }).value)).toBe(
      "katherine@example.com",
    );
    expect(await page.$("[name=organizationName]")).toBeNull();
    await fill(page, { name: "Katherine", password: PASSWORD });
    await press(page, /^Create account$/);
    await press(page, /^Back to sign in$/);
    await arrives(page, /\/sign-in$/);
    expect(await page.evaluate("new URLSearchParams(location.search).get('next')")).toBe(
      "/invitation?id=inv_1",
    );
    await page.close();
  },
);

describe.skipIf(!chromium)(`ending a membership${unlessBrowser}`, () => {
  test("removing a member revokes the keys listed in the dialog", async () => {
    const { person, keyId } = await joins("Linus", "member");
    const page = await membersAs(owner);
    await press(page, /^Remove Linus$/);
    await sees(page, /These keys will be revoked[\s\S]*Linus's own[\s\S]*sk_live_/);
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Remove member$/);
    expect(await isGone(person)).toBe(true);
    expect(await status(keyId)).toBe("revoked");
    await page.close();
  });

  test("an admin may keep the keys of a removed member", async () => {
    const { person, keyId } = await joins("Grace", "admin");
    const page = await membersAs(owner);
    await press(page, /^Remove Grace$/);
    await sees(page, /Grace's own/);
    await tick(page, "keep");
    await press(page, /^Remove member$/);
    expect(await isGone(person)).toBe(true);
    expect(await status(keyId)).toBe("active");
    await page.close();
  });

  test("leaving as a member revokes the keys", async () => {
    const { person, keyId } = await joins("Alan", "member");
    const page = await membersAs(person);
    await press(page, /^Leave$/);
    await sees(page, /Alan's own/);
    expect(await page.$("[name=keep]")).toBeNull();
    await press(page, /^Leave organization$/);
    expect(await isGone(person)).toBe(true);
    expect(await status(keyId)).toBe("revoked");
    await page.close();
  });
});
