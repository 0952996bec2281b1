/** Promise: browsers can install the dashboard as an app, which says so while the server cannot be reached. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
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

/** The address of the server, as long as it is open. */
const openFront = (port = 0) =>
  Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      return fetch(harness.url + pathname + search, { headers: { "accept-encoding": "identity" } });
    },
  });

describe.skipIf(!chromium)(`the installed app${unlessBrowser}`, () => {
  test("has a name and icons, and a page while the server is away", async () => {
    const front = openFront();
    const { port } = front;
    const address = `http://127.0.0.1:${port}/sign-in`;
    const { page, complaints } = await browser.visit(address);
    await page.waitForSelector("h1");
    expect(await page.evaluate("navigator.serviceWorker.getRegistration()")).toBeUndefined(); // a tab has none
    const devtools = await page.createCDPSession();
    const { data, errors } = await devtools.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    for (const { src } of JSON.parse(data!).icons) {
      const icon = await fetch(new URL(src, `${harness.url}/assets/app.webmanifest`));
      expect(icon.headers.get("content-type")).toBe("image/png");
    }
    const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
    expect(complaints).toEqual([]);

    await page.evaluate("dispatchEvent(new Event('appinstalled'))");
    await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
    await front.stop(true);
    expect((await page.goto(address))!.status()).toBe(503);
    expect(await page.$eval("h1", ({ textContent }) => textContent)).toBe("The server cannot be reached");
    const again = openFront(port);
    await Promise.all([page.waitForNavigation(), page.click("a")]);
    await page.waitForSelector("#root h1");
    await again.stop(true);
  });
});
