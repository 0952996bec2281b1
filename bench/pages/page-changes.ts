/** The time from a click to the content of the next page of the dashboard, for an organization with a month of data. */
import type { Page } from "puppeteer-core";
import { fillMonth } from "../../scripts/docs/month.ts";
import { openAccountsHarness, signUp } from "../../test/api/management/people.ts";
import { hold, openBrowser } from "../../test/chromium.ts";
import { median, type Row } from "../harness/row.ts";

const PAGES = ["usage", "requests", "limits", "keys", "projects", "members", "billing", "overview"];
const ROUNDS = 6;

export async function benchPageChanges(): Promise<Row[]> {
  await using harness = await openAccountsHarness();
  const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  await fillMonth(harness);
  await using browser = await openBrowser();
  const { page } = await browser.visit(`${harness.url}/sign-in`);
  await hold(page, owner.cookie());
  await page.goto(`${harness.url}/orgs/${harness.organizationId}/overview`);
  await page.waitForFunction("document.querySelector('h1') && !document.querySelector('.loading')");
  await page.waitForFunction(CODE_IS_THERE, { polling: 100 });
  const first = await round(page);
  const later: number[] = [];
  for (let turn = 1; turn < ROUNDS; turn++) later.push(...(await round(page)));
  return [
    { name: "page change, never opened before", value: median(first), unit: "ms", target: "at most 100" },
    { name: "page change, never opened before, worst", value: Math.max(...first), unit: "ms" },
    { name: "page change, opened before", value: median(later), unit: "ms", target: "at most 100" },
    { name: "page change, opened before, worst", value: Math.max(...later), unit: "ms" },
  ];
}

/** The browser fetches the code of all pages while it is idle: no file has come for a second. */
const CODE_IS_THERE = `(() => {
  const files = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/"));
  return files.length > 20 && performance.now() - Math.max(...files.map(({ responseEnd }) => responseEnd)) > 1000;
})()`;

async function round(page: Page): Promise<number[]> {
  const all: number[] = [];
  for (const name of PAGES) all.push(Number(await page.evaluate(changeTo(name))));
  return all;
}

/** Until a frame shows the next title, and nothing in the place of content that is still read. */
const changeTo = (name: string): string => `(async () => {
  const title = document.querySelector("main h1").textContent;
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const begun = performance.now();
  document.querySelector('nav a[href$="/${name}"]').click();
  const isThere = () =>
    location.pathname.endsWith("/${name}") &&
    ![null, title].includes(document.querySelector("main h1")?.textContent ?? null) &&
    !document.querySelector(".loading, .skeleton");
  while (!isThere()) await frame();
  await frame();
  return performance.now() - begun;
})()`;
