/** Promise: in a real browser, admins edit the dictionary of their organization, and members read it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { invite, openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { fill, press, sees } from "./page-actions.ts";

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

const pageOf = (person: Person) =>
  browser.visitAs(person, `${harness.url}/orgs/${harness.organizationId}/pronunciations`);

/** What a button has the server speak. */
async function heard(page: Page, button: RegExp): Promise<string> {
  const spoken = page.waitForResponse((response) => response.url().endsWith("/v1/audio/speech"));
  await press(page, button);
  const response = await spoken;
  expect(response.status()).toBe(200);
  return JSON.parse(response.request().postData()!).input;
}

describe.skipIf(!chromium)(`the pronunciations page${unlessBrowser}`, () => {
  const words = () => harness.parts.pronunciations.list(harness.organizationId);

  test("adds a word, edits it and removes it", async () => {
    const page = await pageOf(owner);
    await sees(page, /No words yet/);
    await press(page, /^Add a word$/);
    await fill(page, { word: "nginx", reading: "engine x" });
    expect(await barriers(page)).toEqual([]);
    expect(await heard(page, /^Hear this reading$/)).toBe("engine x");
    await press(page, /^Save$/);
    await sees(page, /nginx\s+engine x/);
    expect(await barriers(page)).toEqual([]);
    expect(await heard(page, /^Hear nginx$/)).toBe("nginx"); // the server reads it as the dictionary says
    await press(page, /^Edit nginx$/);
    await fill(page, { reading: "engine ex" });
    await press(page, /^Save$/);
    await sees(page, /engine ex/);
    expect(await words()).toEqual([{ word: "nginx", alias: "engine ex", phonemes: null }]);
    await press(page, /^Remove nginx$/);
    await press(page, /^Remove$/);
    await sees(page, /No words yet/);
    expect(await words()).toEqual([]);
    await page.close();
  });

  test("shows members the words, and no way to change them", async () => {
    await harness.parts.pronunciations.put(harness.organizationId, {
      word: "gif",
      alias: null,
      phonemes: "dʒɪf",
    });
    const member = await signUp(harness, "grace@example.com", { name: "Grace" });
    await invite(owner, member, { organizationId: harness.organizationId, role: "member" });
    const page = await pageOf(member);
    await sees(page, /gif\s+\/dʒɪf\//);
    expect(await heard(page, /^Hear gif$/)).toBe("gif");
    expect(
      await page.$$eval("main button", (all) => all.map(({ textContent }) => textContent)),
    ).not.toContain("Add a word");
    await page.close();
  });
});
