/** Promise: in a real browser, owners export and delete their organization and undo it, operators delete one at once, and people their account. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { fill, press, savedBy, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let operator: Person;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  operator = await signUp(harness, "ada@example.com", { name: "Ada" });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const pageAs = (person: Person, path: string) => browser.visitAs(person, harness.url + path);

/** A person with an organization of their own. */
async function newOwner(name: string): Promise<{ owner: Person; id: string }> {
  const owner = await signUp(harness, `${name.toLowerCase()}@example.com`, {
    ...{ name, organizationName: `${name} Limited` },
  });
  const { organizations } = await owner.json<{ organizations: { id: string }[] }>("/api/session");
  return { owner, id: organizations[0]!.id };
}

/** With SCREENSHOTS=folder, what the page looks like is saved there. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = Bun.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) as `${string}.png`, fullPage: true });
}

const organization = (id: string) => harness.parts.accounts.organization(id);

describe.skipIf(!chromium)(`the pages that delete${unlessBrowser}`, () => {
  test("an owner types the name, sees when it is deleted, and undoes it", async () => {
    const { owner, id } = await newOwner("Grace");
    const page = await pageAs(owner, `/orgs/${id}/settings`);
    await press(page, /^Delete the organization$/);
    await fill(page, { name: "Grace" });
    await press(page, /^Delete in seven days$/);
    await sees(page, /is not the name of the organization/);
    expect(await barriers(page)).toEqual([]);
    await fill(page, { name: "Grace Limited" });
    await press(page, /^Delete in seven days$/);
    await sees(page, /It is deleted in 7 days\.[\s\S]*Undo: keep the organization/);
    expect(await barriers(page)).toEqual([]);
    await picture(page, "delete-organization");
    const overview = await pageAs(owner, `/orgs/${id}/overview`);
    await sees(overview, /This organization is about to be deleted\.[\s\S]*When, and how to undo that/);
    await overview.close();
    await press(page, /^Undo: keep the organization$/);
    await sees(page, /Charges, credit and invoices are kept/);
    expect((await organization(id))?.deleteAt).toBeNull();
    await page.close();
  });

  test("before that, an owner downloads what is kept of it as one archive", async () => {
    const { owner, id } = await newOwner("Edsger");
    const page = await pageAs(owner, `/orgs/${id}/settings`);
    const head = String((await savedBy(page, /^Download the archive$/)).subarray(0, 47));
    expect(head).toMatch(/^PK[\s\S]*organization\.json/);
    await picture(page, "export-organization");
    await page.close();
  });

  test("an operator deletes an organization at once, or undoes what its owner has asked for", async () => {
    const { owner, id } = await newOwner("Linus");
    await owner.json(`/api/organizations/${id}/delete`, { name: "Linus Limited" });
    const page = await pageAs(operator, `/operator/organizations/${id}`);
    await sees(page, /suspended[\s\S]*is deleted in 7 days/);
    await press(page, /^Undo deletion$/);
    await press(page, /^Keep it$/);
    await until(async () => (await organization(id))?.deleteAt === null);
    await press(page, /^Delete$/);
    await sees(page, /Delete Linus Limited\?/);
    expect(await barriers(page)).toEqual([]);
    await picture(page, "delete-tenant");
    await tick(page, "now");
    await fill(page, { name: "Linus Limited" });
    await press(page, /^Delete$/);
    await until(async () => (await organization(id))?.status === "deleted");
    await page.goto(`${harness.url}/operator/organizations`);
    await sees(page, /deleted/);
    await page.close();
  });

  test("a person deletes their account, unless they are the only owner", async () => {
    const { owner, id } = await newOwner("Katherine");
    const page = await pageAs(owner, "/account");
    await picture(page, "delete-account");
    const ask = async () => {
      await press(page, /^Delete your account$/);
      await fill(page, { password: "correct horse battery" });
      expect(await barriers(page)).toEqual([]);
      await press(page, /^Delete the account$/);
    };
    await ask();
    await sees(page, /You are the only owner of an organization/);
    await press(page, /^Cancel$/);
    await harness.parts.accounts.scheduleDeletion(id, 4e9);
    await ask();
    await until(async () => page.url().endsWith("/sign-in"));
    const { query, tables } = harness.parts.database;
    expect((await query.select().from(tables.user)).map(({ email }) => email)).not.toContain(owner.email);
    await page.close();
  });
});
