/** Promise: in a real browser, groups of the navigation collapse, by keyboard too, and the browser remembers which. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { expectLooks } from "./looks.ts";
import { press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  browser = await openBrowser();
  const root = await signUp(harness, "root@example.com");
  page = await browser.visitAs(root, `${harness.url}/orgs/${harness.organizationId}/members`, {
    ...{ width: 1280, height: 900 },
  });
  await sees(page, /Invite member/);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

/** The entries of a group, and whether it says that it is open. */
const group = (id: string) =>
  page.$eval(`#entries-${id}`, (list) => {
    const { parentElement, textContent } = list as unknown as {
      parentElement: { querySelector(of: string): { ariaExpanded: string } };
      textContent: string;
    };
    return { entries: textContent.trim(), isOpen: parentElement.querySelector("button").ariaExpanded };
  });

test.skipIf(!chromium)(`a group collapses to the current page, and opens again${unlessBrowser}`, async () => {
  expect(await group("organization")).toMatchObject({ isOpen: "true" });
  await press(page, /^Observe$/);
  expect(await group("observe")).toEqual({ entries: "", isOpen: "false" });
  await page.focus("[aria-controls=entries-server]");
  await page.keyboard.press("Enter");
  expect(await group("server")).toEqual({ entries: "", isOpen: "false" });
  await page.focus("[aria-controls=entries-organization]");
  await page.keyboard.press("Space");
  expect(await group("organization")).toEqual({ entries: "Members", isOpen: "false" });
  await expectLooks(page, "menu-groups");
  await page.focus("[aria-controls=entries-organization]"); // a phone has no menu beside the page
  await page.keyboard.press("Space");
  expect((await group("organization")).entries).toContain("Projects");
});

test.skipIf(!chromium)(`collapsed groups stay so, in every language${unlessBrowser}`, async () => {
  await page.goto(`${harness.url}/orgs/${harness.organizationId}/usage`);
  await page.waitForSelector("#entries-observe a");
  expect(await group("observe")).toEqual({ entries: "Usage", isOpen: "false" });
  expect(await group("server")).toEqual({ entries: "", isOpen: "false" });
  expect((await group("build")).isOpen).toBe("true");
  await page.evaluate("localStorage.setItem('loquat-collapsed-groups', '{\"odd\":1}')");
  await page.reload();
  await page.waitForSelector("#entries-observe a");
  expect((await group("server")).isOpen).toBe("true");
});
