/**
 * Promise: in a real browser, the secret of a new key is not lost: not to a key pressed twice, nor where the clipboard is
 * missing, as on pages without https; and of a rotated key the list says which replaced which.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  const ada = await signUp(harness, "ada@example.com", { name: "Ada" });
  browser = await openBrowser();
  ({ page } = await browser.visit(harness.url));
  await hold(page, ada.cookie());
  await page.evaluateOnNewDocument(WITHOUT_CLIPBOARD);
  await page.goto(`${harness.url}/orgs/${harness.organizationId}/keys`);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

/** Neither the one of https pages, nor the older one, which a browser may refuse. */
const WITHOUT_CLIPBOARD = `
  Object.defineProperty(navigator, "clipboard", { value: undefined });
  document.execCommand = () => false;
`;

const isOpen = async () => (await page.$("dialog[open] .secret")) !== null;

describe.skipIf(!chromium)(`the secret of a new key${unlessBrowser}`, () => {
  test("is kept when Enter is pressed once too often, and when Escape is", async () => {
    await press(page, /^Create key$/);
    await fill(page, { name: "ci" });
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog[open] .secret");
    await page.keyboard.press("Enter"); // the button that copies has the focus
    expect(await isOpen()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await isOpen()).toBe(true);
  });

  test("is selected where the browser gives no clipboard", async () => {
    await press(page, /^(Copy the key|Press Ctrl\+C to copy)$/);
    await sees(page, /Press Ctrl\+C to copy/);
    expect(String(await page.evaluate("getSelection().toString()")).trim()).toMatch(/^sk_live_\w{40}$/);
    await press(page, /^I have copied the key$/);
    await page.waitForFunction("!document.querySelector('dialog[open]')");
  });

  test("of a rotated key is shown, and the list says which key replaced which", async () => {
    await press(page, /^Rotate ci$/);
    await press(page, /^Create new key$/);
    await page.waitForSelector("dialog[open] .secret");
    await press(page, /^I have copied the key$/);
    await sees(page, /replaces …\w{4}/);
    await sees(page, /replaced by …\w{4}/);
  });
});
