/** Promise: in a real browser, a page shows the mark of Loquat before its code has arrived, and brings its own typeface. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { type Harness, openHarness } from "../harness.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openHarness();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

describe.skipIf(!chromium)(`the first moment of a page${unlessBrowser}`, () => {
  test("the mark is in the middle of the page until the page replaces it", async () => {
    const page = await browser.newPage();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.setRequestInterception(true);
    page.on("request", async (request) => {
      if (request.resourceType() === "script") await released;
      await request.continue();
    });
    const arrived = page.goto(`${harness.url}/sign-in`);
    const mark = await page.waitForSelector(".starting[role=status] svg", { visible: true });
    const box = (await mark!.boundingBox())!;
    const { width } = page.viewport()!;
    expect(Math.abs(box.x + box.width / 2 - width / 2)).toBeLessThan(2);
    const folder = Bun.env.SCREENSHOTS;
    if (folder) await page.screenshot({ path: join(folder, "start.png") as `${string}.png` });
    release();
    await arrived;
    await page.waitForSelector("h1");
    expect(await page.$(".starting")).toBeNull();
    await page.close();
  });

  test("the typeface is the server's own, of which only the part of the page's letters is fetched", async () => {
    const page = await browser.newPage();
    const fonts: string[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith(".woff2")) fonts.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(`${harness.url}/sign-in`);
    await page.waitForSelector("h1");
    const loaded = `document.fonts.ready.then(() =>
      [...document.fonts].filter(({ status }) => status === "loaded").map(({ family }) => family))`;
    expect(await page.evaluate(loaded)).toEqual(["Inter"]);
    expect(fonts).toEqual([`200 ${harness.url}/assets/inter-5.3.0-latin.woff2`]);
    await page.close();
  });
});
