/**
 * Promise: in a real browser, an open dashboard says when its server is gone and marks what it shows as old, reads
 * everything again when the server is back, and never turns blank: offline, restarted or upgraded underneath. Code that
 * cannot be fetched leaves a notice in its place, of a page or of a part of one.
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

/** Of the browser: a tone. */
const MICROPHONE = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];
const BUILD_HEADER = "x-loquat-build";

let harness: Harness;
let browser: OwnBrowser;
let ada: Person;
let front: Front;

/** The server at its own address, which can be stopped, started again there, and upgraded. */
type Front = {
  url: string;
  stop(): Promise<void>;
  /** Does not answer the path until it stops. */
  hold(path: string): void;
  start(): void;
  upgrade(): void;
  /** Started, and not upgraded. */
  restore(): Promise<void>;
};

function openFront(to: string): Front {
  let isUpgraded = false;
  let held: string | null = null;
  const serve = (port: number) =>
    Bun.serve({
      port,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (held !== null && pathname.startsWith(held)) await new Promise(() => {});
        // after an upgrade the chunks of the old page are gone
        const isOldChunk = isUpgraded && pathname.startsWith("/assets/");
        const path = isOldChunk ? "/assets/gone.js" : pathname + search;
        const headers = new Headers(request.headers);
        const response = await fetch(to + path, { headers, redirect: "manual" });
        const reply = new Response(await response.arrayBuffer(), response);
        reply.headers.delete("content-encoding");
        if (isUpgraded && reply.headers.has(BUILD_HEADER)) reply.headers.set(BUILD_HEADER, "another");
        return reply;
      },
    });
  const first = serve(0);
  const { port, url } = first;
  let server: typeof first | null = first;
  const stop = async () => {
    const stopped = server?.stop(true);
    server = null;
    await stopped;
  };
  const start = () => {
    held = null;
    server ??= serve(port!);
  };
  return {
    url: url.origin,
    stop,
    hold: (path) => {
      held = path;
    },
    start,
    upgrade: () => {
      isUpgraded = true;
    },
    async restore() {
      isUpgraded = false;
      start();
    },
  };
}

beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness({ plan: "unmetered" });
  ada = await signUp(harness, "ada@example.com", { name: "Ada" });
  await speak();
  browser = await openBrowser(MICROPHONE);
  front = openFront(harness.url);
});
afterEach(() => front?.restore());
afterAll(async () => {
  await front?.stop();
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

async function speak(): Promise<void> {
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Good morning." });
  const response = await harness.ask("/v1/audio/speech", { method: "POST", body });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}

/** Browsers that save data fetch the code of a page when it is opened; others before that, while they are idle. */
const SAVES_DATA = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })";
const isFetched = (page: Page, path: string) =>
  page.waitForFunction(
    `performance.getEntriesByType("resource").some(({ name }) => name.includes("/assets/${path}-"))`,
  );

async function visit(path: string, text: RegExp, script = ""): Promise<Page> {
  const { page } = await browser.visit(`${front.url}/sign-in`);
  const session = await page.createCDPSession();
  await session.send("Network.clearBrowserCache"); // of the pages of earlier tests
  await session.detach();
  await page.evaluateOnNewDocument(script);
  await page.setBypassCSP(true); // for axe-core alone
  await page.setViewport({ width: 1280, height: 900 });
  await hold(page, ada.cookie());
  await page.goto(`${front.url}/orgs/${harness.organizationId}/${path}`);
  await sees(page, text);
  return page;
}

async function search(page: Page): Promise<void> {
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
}

const isStale = (page: Page) => page.evaluate("document.documentElement.hasAttribute('data-stale')");

describe.skipIf(!chromium)(`a dashboard without its server${unlessBrowser}`, () => {
  test("says since when, opens a page whose code is not there once the server is back, and reads anew", async () => {
    const page = await visit("overview", /Latest requests/, SAVES_DATA);
    await front.stop();
    await sees(page, /Reconnecting[\s\S]*The server does not answer/);
    expect(await isStale(page)).toBe(true);
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Usage$/);
    await sees(page, /This page could not be loaded[\s\S]*opens as soon as it answers/);
    expect(await page.$("nav a[aria-current]")).not.toBeNull(); // the navigation stays
    front.start();
    await sees(page, /Requests by day/);
    await page.waitForFunction("!/Reconnecting/.test(document.body.innerText)");
    expect(await isStale(page)).toBe(false);
    await page.close();
  });

  test("keeps a page whose chart could not be fetched, and fetches the chart once the server is back", async () => {
    front.hold("/assets/chart-");
    const page = await visit("overview", /30 days · 1 today[\s\S]*Latest requests/);
    await page.evaluate("window.isSame = true");
    await front.stop();
    await sees(page, /30 days · 1 today[\s\S]*part of the page could not be loaded[\s\S]*appears as soon as/);
    expect(await page.$eval("h1", (title) => title.textContent)).toBe("Overview");
    expect(await barriers(page)).toEqual([]);
    front.start();
    await page.waitForSelector(".chart .plot");
    expect(await page.$(".notice")).toBeNull();
    expect(await page.evaluate("window.isSame")).toBe(true); // not reloaded
    await page.close();
  });

  test("says in the search that it could not be fetched, and opens it once the server is back", async () => {
    const page = await visit("limits", /Concurrent requests/, SAVES_DATA);
    await page.evaluate("window.isSame = true");
    await front.stop();
    await search(page);
    await page.waitForSelector("dialog[open] .notice");
    await sees(page, /Concurrent requests[\s\S]*This part of the page could not be loaded/);
    expect(await barriers(page)).toEqual([]);
    front.start();
    await page.waitForSelector("dialog[open] input:focus");
    await page.keyboard.type("usage");
    await page.keyboard.press("Enter");
    await page.waitForFunction("document.querySelector('h1')?.innerText === 'Usage'");
    expect(await page.evaluate("window.isSame")).toBe(true);
    await page.close();
  });

  test("says why it cannot record, and records once the server is back", async () => {
    const page = await visit("playground?tab=transcribe", /Record/, SAVES_DATA);
    await page.focus(".recorder button"); // by keyboard: what is read meanwhile moves the button
    await front.stop();
    await page.keyboard.press("Enter");
    await sees(page, /The recorder could not be loaded: the server cannot be reached/);
    front.start();
    await page.waitForFunction("!/Reconnecting/.test(document.body.innerText)");
    await page.keyboard.press("Enter");
    await sees(page, /Stop recording/);
    await page.close();
  });

  test("opens a page whose code is there, and says that its numbers cannot be read yet", async () => {
    const page = await visit("overview", /Latest requests/);
    await isFetched(page, "limits");
    await front.stop();
    await sees(page, /Reconnecting/);
    await press(page, /^Limits$/);
    await page.waitForFunction("document.querySelector('h1')?.innerText === 'Limits'");
    await sees(page, /The server cannot be reached/);
    expect(String(await page.evaluate("document.body.innerText"))).not.toMatch(/could not be loaded/);
    expect(await barriers(page)).toEqual([]);
    front.start();
    await sees(page, /Concurrent requests/);
    await page.close();
  });

  test("offline, does not say that there are no requests", async () => {
    const page = await visit("overview", /Latest requests/);
    await press(page, /^Requests$/); // its code is there before the network goes
    await sees(page, /Newest first/);
    await press(page, /^Overview$/);
    await sees(page, /Latest requests/);
    await page.setOfflineMode(true);
    await page.evaluate(
      "history.pushState(null, '', location.pathname.replace('overview', 'requests?status=2xx'))",
    );
    await sees(page, /The server cannot be reached|Reconnecting/);
    await page.waitForFunction("!document.querySelector('.loading')");
    expect(String(await page.evaluate("document.body.innerText"))).not.toMatch(/No (matching )?requests/);
    await page.setOfflineMode(false);
    await page.waitForSelector("tbody tr");
    await page.close();
  });

  test("upgraded underneath, says so, and opens further pages with the new code", async () => {
    const page = await visit("overview", /Latest requests/, SAVES_DATA);
    front.upgrade();
    await sees(page, /Loquat was updated/);
    const reloaded = page.waitForNavigation();
    await press(page, /^Limits$/); // its chunk is gone: the page is fetched anew, by itself
    await reloaded;
    expect(String(await page.evaluate("location.pathname"))).toEndWith("/limits");
    await page.close();
  });

  test("upgraded underneath, leaves it to the user when to reload for a part of the page", async () => {
    const page = await visit("limits", /Concurrent requests/, SAVES_DATA);
    await page.evaluate("window.isSame = true");
    front.upgrade();
    await search(page);
    await sees(page, /This part of the page could not be loaded[\s\S]*Reload to get the current version/);
    expect(await page.evaluate("window.isSame")).toBe(true);
    await front.restore();
    const reloaded = page.waitForNavigation();
    await press(page, /^Reload$/);
    await reloaded;
    await sees(page, /Concurrent requests/);
    await page.close();
  });

  test("upgraded underneath, keeps opening the pages whose code it has, and says that there is a new version", async () => {
    const page = await visit("overview", /Latest requests/);
    await isFetched(page, "limits");
    front.upgrade();
    await sees(page, /Loquat was updated/);
    await press(page, /^Limits$/);
    await sees(page, /Concurrent requests/);
    expect(String(await page.evaluate("document.body.innerText"))).toMatch(/Loquat was updated/);
    await page.close();
  });
});
