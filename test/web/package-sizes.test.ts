/** Promise: in a real browser, an operator finds the packages that are small enough, and the address keeps the size and that all are shown. */
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
  page = await browser.visitAs(root, `${harness.url}/operator/models?all=1`);
  await sees(page, /Available packages/);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

/** In MB, as the cards say it; NaN where it is unknown. */
const sizes = async (): Promise<number[]> => {
  const texts = await page.$$eval("article.package", (cards) => cards.map((card) => card.textContent ?? ""));
  return texts.map((text) => {
    const [, amount, unit] = /([\d.,]+) (kB|MB|GB)/.exec(text.replace(/size unknown.*/, "")) ?? [];
    return Number.parseFloat(amount ?? "") * { kB: 0.001, MB: 1, GB: 1000 }[unit ?? "MB"]!;
  });
};

/** Of all packages that match, as the first tab says. */
const amount = async () => Number(await page.$eval("[role=tab] small", (one) => one.textContent));

async function choose(index: number, field: string, value: string): Promise<number[]> {
  await (await page.$$("search.filters select"))[index]!.select(value);
  const wanted = value === "" ? null : value;
  await page.waitForFunction(
    `new URLSearchParams(location.search).get("${field}") === ${JSON.stringify(wanted)}`,
  );
  return sizes();
}

test.skipIf(!chromium)(`packages are found by their size${unlessBrowser}`, async () => {
  const all = await amount();
  expect(Math.max(...(await choose(1, "size", "50")))).toBeLessThanOrEqual(50);
  const small = await amount();
  expect(small).toBeGreaterThan(3);
  expect(Math.max(...(await choose(1, "size", "300")))).toBeLessThanOrEqual(300);
  expect(await amount()).toBeGreaterThan(small);
  expect(Math.min(...(await choose(1, "size", "more")))).toBeGreaterThanOrEqual(1000);
  const large = await amount();
  expect((await choose(1, "size", "unknown")).every(Number.isNaN)).toBe(true);
  const unknown = await amount();
  await choose(1, "size", "1000");
  expect((await amount()) + large + unknown).toBe(all);
});

test.skipIf(!chromium)(`all packages stay shown when a filter is chosen${unlessBrowser}`, async () => {
  await page.goto(page.url().replace(/\?.*/, ""));
  await press(page, /^Show all \d+$/);
  await page.waitForFunction("location.search === '?all=1'");
  const all = await sizes();
  await choose(1, "size", "300");
  await page.waitForFunction("document.querySelectorAll('article.package').length > 12");
  await choose(1, "size", "");
  expect(await sizes()).toEqual(all);
});

test.skipIf(!chromium)(`size and language together, after a reload too${unlessBrowser}`, async () => {
  await choose(1, "size", "100");
  const german = await choose(0, "language", "de");
  await page.reload();
  await sees(page, /German: Thorsten/);
  expect(await sizes()).toEqual(german);
  expect(
    await page.$$eval("search.filters select", (all) =>
      all.map((one) => (one as unknown as { value: string }).value),
    ),
  ).toEqual([...["de", "100", ""]]);
  await expectLooks(page, "models-by-size");
});
