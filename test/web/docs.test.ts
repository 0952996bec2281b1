/** Promise: the documentation is read, searched and copied from in a browser, in the look that the dashboard has there. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import type { Page } from "puppeteer-core";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { type Harness, openHarness } from "../harness.ts";
import { expectLooks } from "./looks.ts";
import { press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  if (!chromium) return;
  harness = await openHarness();
  browser = await openBrowser();
  ({ page, complaints } = await browser.visit(`${harness.url}/docs`));
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const open = (path: string) => page.goto(harness.url + path);
const schemeOf = (page: Page) => page.evaluate("document.documentElement.dataset.theme");

describe.skipIf(!chromium)(`the documentation${unlessBrowser}`, () => {
  test("is searched while one types, by the keyboard alone", async () => {
    await open("/docs");
    await page.keyboard.press("/");
    await page.keyboard.type("realtime events");
    await page.waitForSelector('#hits [role="option"]');
    await page.keyboard.press("ArrowDown");
    const [chosen] = await page.$$eval('#hits [aria-selected="true"] strong', (all) =>
      all.map(({ textContent }) => textContent),
    );
    await page.keyboard.press("Enter");
    await page.waitForFunction("location.pathname !== '/docs'");
    await sees(page, new RegExp(chosen!));
    expect(page.url()).toContain("/docs/realtime");
  });

  test("is searched by the form where nothing is chosen", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("signature");
    await page.keyboard.press("Enter");
    await page.waitForFunction("location.pathname === '/docs/search'");
    await sees(page, /Webhooks/);
  });

  test("follows the theme that was chosen in the dashboard, and its change on another tab", async () => {
    await page.evaluate("localStorage.setItem('loquat-theme', 'dark')");
    await open("/docs/realtime");
    expect(await schemeOf(page)).toBe("dark");
    const other = await page.browserContext().newPage();
    await other.goto(`${harness.url}/docs`);
    await other.evaluate("localStorage.setItem('loquat-theme', 'light')");
    await page.waitForFunction("document.documentElement.dataset.theme === 'light'", { polling: 50 });
    await other.close();
    await page.bringToFront();
    await page.evaluate("localStorage.removeItem('loquat-theme')");
  });

  test("shows calls in the language that was chosen last", async () => {
    await open("/docs/api/createTranscription");
    const shown =
      "[...document.querySelectorAll('.languages figure:not([hidden])')].map((each) => each.dataset.language)";
    expect(await page.evaluate(shown)).toEqual(["curl"]);
    await press(page, /^Python$/);
    expect(await page.evaluate(shown)).toEqual(["Python"]);
    await open("/docs/api/createSpeech");
    expect(await page.evaluate(shown)).toEqual(["Python"]);
  });

  test("has calls beside the fields of an operation on a small laptop", async () => {
    await page.setViewport({ width: 1280, height: 800 });
    await open("/docs/api/createSpeech");
    const beside =
      "document.querySelector('.code').getBoundingClientRect().left - document.querySelector('main').getBoundingClientRect().right";
    expect(Number(await page.evaluate(beside))).toBeGreaterThanOrEqual(0);
    expect(Number(await page.evaluate("document.documentElement.scrollWidth"))).toBe(1280);
  });

  test("copies code", async () => {
    await page.evaluateOnNewDocument(
      "navigator.clipboard.writeText = async (text) => { window.copied = text; }",
    );
    await open("/docs/realtime");
    await Promise.all([sees(page, /Copied/), page.click(".block .copy")]);
    expect(await page.evaluate("window.copied")).toContain(`baseURL: "${harness.url}/v1"`);
  });

  test("has its menu behind a button on a phone, and the way back to the dashboard", async () => {
    await page.setViewport({ width: 390, height: 800 });
    await open("/docs/realtime");
    const isOpen = "document.querySelector('#menu').checkVisibility()";
    expect(await page.evaluate(isOpen)).toBe(false);
    await page.click(".menu-button");
    expect(await page.evaluate(isOpen)).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.evaluate(isOpen)).toBe(false);
    await page.click(".back");
    await page.waitForFunction("!location.pathname.startsWith('/docs')");
    await page.setViewport({ width: 1280, height: 900 });
  });

  test("leads from addresses of earlier versions to the operation", async () => {
    await open("/docs#/Audio/createSpeech");
    await page.waitForFunction("location.pathname === '/docs/api/createSpeech'");
  });

  test("complains of nothing and asks no other host", () => {
    expect(complaints).toEqual([]);
  });

  test.each([
    "/docs",
    "/docs/requests",
    "/docs/realtime",
    "/docs/api",
    "/docs/api/createSpeech",
    "/docs/search?q=voice",
  ])("%s looks right, light, dark and on a phone", async (path) => {
    await page.setBypassCSP(true); // for axe-core alone
    await open(path);
    await expectLooks(page, `docs${path.replaceAll(/\W+/g, "-")}`);
    await page.setViewport({ width: 320, height: 700 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  });
});

test("its style sheet has no class that no page carries", async () => {
  const files = async (pattern: string) => {
    const root = fileURLToPath(new URL("../../src", import.meta.url));
    const names = [...new Bun.Glob(pattern).scanSync(root)];
    const texts = await Promise.all(names.map((name) => Bun.file(`${root}/${name}`).text()));
    return texts.join("\n").replaceAll(/\/\*[\s\S]*?\*\/|@import[^;]+;/g, "");
  };
  const code =
    (await files("api/docs/*.ts")) + (await files("web/docs/*.ts")) + (await files("web/docs/*.html"));
  const styles = await files("web/docs/*.css");
  const classes = [...styles.matchAll(/\.([a-z][\w-]*)(?=[^{}]*\{)/g)].map(([, name]) => name!);
  const isMade = (name: string) => ["s2", "s5", "level3", "post", "put", "patch", "delete"].includes(name);
  expect(classes.length).toBeGreaterThan(30);
  expect([...new Set(classes)].filter((name) => !isMade(name) && !code.includes(name))).toEqual([]);
});
