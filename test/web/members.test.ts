/** Promise: in a real browser, removing a member or leaving lists the keys that are revoked, and admins may keep them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { invite, openAccountsHarness, PASSWORD, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { expectLooks } from "./looks.ts";
import { arrives, dialogCloses, fill, press, sees, tick } from "./page-actions.ts";

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

/** Makes an invitation, or a new link for one, and reads the link that the dialog shows. */
async function linkMade(page: Page): Promise<string> {
  await press(page, /^Create invitation link$/);
  await sees(page, /is invited[\s\S]*This server sends no e-mail: send this link to the person yourself/);
  const link = await page.$eval(
    "dialog[open] code",
    (code) => (code as unknown as { textContent: string }).textContent,
  );
  await expectLooks(page, "invitation-link");
  await press(page, /^Done$/);
  await dialogCloses(page);
  return link;
}

test.skipIf(!chromium)(
  `without mail, who opens the link of an invitation chooses a password, and is a member${unlessBrowser}`,
  async () => {
    const page = await membersAs(owner);
    await press(page, /^Invite member$/);
    await fill(page, { email: "katherine@example.com" });
    const first = await linkMade(page);
    await sees(page, /This server sends no e-mail: send the link[\s\S]*katherine@example\.com/);
    await expectLooks(page, "invitations", { fullPage: true });
    await press(page, /^New link for katherine@example\.com$/);
    const link = await linkMade(page);
    expect(new URL(link).hash).toMatch(/^#\w{32}$/);
    await page.close();

    const invited = await browser.newPage();
    await invited.goto(first);
    await sees(invited, /This link is invalid, has expired or was used/);
    await expectLooks(invited, "join-used");
    await invited.goto(link);
    await sees(invited, /ada@example\.com invites you to join Default as member/);
    await expectLooks(invited, "join");
    await fill(invited, { name: "Katherine", password: PASSWORD });
    await press(invited, /^Create account and join$/);
    await arrives(invited, /\/orgs\/\w+\/voices$/);
    const people = await harness.parts.accounts.people(harness.organizationId);
    expect(people.map(({ email, role }) => `${email} ${role}`)).toContain("katherine@example.com member");

    const again = await browser.newPage();
    await again.goto(link);
    await sees(again, /This link is invalid, has expired or was used/);
    await again.close();
    await invited.close();
  },
);

test.skipIf(!chromium)(
  `who is invited creates an account, and names no organization${unlessBrowser}`,
  async () => {
    const page = await browser.newPage();
    await page.goto(`${harness.url}/sign-up`);
    await page.waitForSelector("[name=organizationName]");
    await page.goto(`${harness.url}/invitation?id=inv_1&email=dorothy%40example.com`);
    await sees(page, /You are invited to an organization on this server[\s\S]*dorothy@example\.com/);
    expect(await page.evaluate("document.querySelector('.button.primary').textContent")).toBe(
      "Create an account",
    );
    await press(page, /^Create an account$/);
    await page.waitForSelector("[name=password]");
    expect(await page.$eval("[name=email]", (field) => (field as unknown as { value: string }).value)).toBe(
      "dorothy@example.com",
    );
    expect(await page.$("[name=organizationName]")).toBeNull();
    await fill(page, { name: "Dorothy", password: PASSWORD });
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
