/**
 * Promise: in a real browser, every number links to its requests, by pointer and by keyboard; filters are kept in the
 * address, exports contain exactly what they match, and dialogs are accessible.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { arrives, openFirstRow, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let complaints: string[];
let ada: Person;
let folder: string;

beforeAll(async () => {
  if (!chromium) return;
  folder = mkdtempSync(join(tmpdir(), "loquat-downloads-"));
  harness = await openAccountsHarness({ free: true });
  ada = await signUp(harness, "ada@example.com", { name: "Ada" });
  for (const [model, times] of [
    ["svc-tts1", 3],
    ["svc-tts2", 2],
  ] as const)
    for (let time = 0; time < times; time++) expect((await speak(model)).status).toBe(200);
  expect((await speak("svc-none")).status).toBe(400);
  browser = await openBrowser();
  ({ page, complaints } = await browser.visit(harness.url));
  await hold(page, ada.cookie());
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", {
    behavior: "allow",
    downloadPath: folder,
    browserContextId: page.browserContext().id!,
  });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function speak(model: string): Promise<Response> {
  const response = await harness.ask("/v1/audio/speech", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, voice: "male-classic", input: "Good morning." }),
  });
  await response.arrayBuffer();
  return response;
}

const go = (to: string) => page.goto(`${harness.url}/orgs/${harness.organizationId}/${to}`);
const search = async () => new URLSearchParams(String(await page.evaluate("location.search")));

/** Waits for this many rows. Waiting for their text would not do: filters contain the same words. */
const hasRows = (count: number) =>
  page.waitForFunction(`document.querySelectorAll("tbody tr").length === ${count}`);

async function downloaded(name: string): Promise<string> {
  await until(() => existsSync(join(folder, name)));
  return readFileSync(join(folder, name), "utf8");
}

describe.skipIf(!chromium)(`the dashboard in use${unlessBrowser}`, () => {
  test("a usage group links to its requests, and Back returns to the usage", async () => {
    await go("usage?by=model&range=24h");
    await sees(page, /svc-tts2/);
    await press(page, /^svc-tts2$/);
    await arrives(page, /\/requests$/);
    expect((await search()).get("model")).toBe("svc-tts2");
    await hasRows(2);
    await page.goBack();
    await arrives(page, /\/usage$/);
    expect((await search()).get("by")).toBe("model");
  });

  test("arrow keys announce a bar, and Enter opens its requests", async () => {
    await go("usage?range=24h");
    await page.waitForSelector(".plot canvas");
    await page.focus(".plot");
    await page.keyboard.press("End");
    await page.waitForFunction("/6/.test(document.querySelector('.plot [aria-live]').textContent)");
    await page.keyboard.press("Enter");
    await arrives(page, /\/requests$/);
    const opened = await search();
    expect(Number(opened.get("end")) - Number(opened.get("start"))).toBe(3600);
    await hasRows(6);
  });

  test("a filter is kept in the address, and the export contains what it matches", async () => {
    await go("requests?status=4xx");
    await hasRows(1);
    expect(await page.$eval("tbody tr", (row) => row.textContent)).toContain("invalid_model");
    await press(page, /^Export JSON$/);
    const exported = JSON.parse(await downloaded("requests.json"));
    expect(exported).toMatchObject([{ status: 400, error_code: "invalid_model", cost_micros: 0 }]);
    await go("requests?model=svc-tts1");
    await hasRows(3);
    await press(page, /^Export CSV$/);
    const [head, ...lines] = (await downloaded("requests.csv")).trimEnd().split("\r\n");
    expect(head).toContain("first_audio_ms");
    expect(lines).toHaveLength(3);
  });

  test("a request that was refused shows the message that its client got", async () => {
    await go("requests?status=4xx");
    await hasRows(1);
    await openFirstRow(page);
    await sees(page, /svc-none is not a TTS model/);
  });

  test("Enter in the search opens the request that it found, and its panel gives the focus back", async () => {
    await go("requests");
    await hasRows(6);
    const rows = "tbody a.row-link";
    const second = await page.$$eval(rows, (links) => links[1]!.getAttribute("title")!);
    await page.keyboard.down("Control");
    await page.keyboard.press("k");
    await page.keyboard.up("Control");
    await page.waitForSelector("dialog input[role=combobox]");
    await page.keyboard.type(second);
    await page.keyboard.press("Enter");
    await page.waitForFunction(`document.querySelector("dialog.side-panel code")?.innerText === "${second}"`);
    expect((await search()).get("open")).toBe(second);
    expect(await page.evaluate("document.activeElement.innerText")).toBe("Request");
    await page.keyboard.press("Escape");
    await page.focus(`${rows}[title="${second}"]`);
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog.side-panel");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Escape");
    await page.waitForFunction("!document.querySelector('dialog.side-panel')");
    expect(await page.evaluate("document.activeElement.title")).toBe(second);
  });

  test("the log of requests offers an id and a time first, and other filters where one adds them", async () => {
    await go("requests");
    await hasRows(6);
    const labels = () =>
      page.evaluate(`[...document.querySelectorAll(".filters label")].map((each) => each.innerText)`);
    expect(await labels()).toEqual(["Request ID", "Time"]);
    await press(page, /^Add a filter:/);
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Status$/);
    expect(await page.evaluate("document.activeElement.labels[0].innerText")).toBe("Status");
    await page.keyboard.type("4xx");
    await page.waitForFunction("location.search === '?status=4xx'");
    await hasRows(1);
    await page.reload();
    await hasRows(1);
    expect(await labels()).toEqual(["Request ID", "Time", "Status"]);
    await press(page, /^Clear filters$/);
    await hasRows(6);
    expect(await labels()).toEqual(["Request ID", "Time"]);
  });

  test("filters in the address that mean nothing are ignored", async () => {
    await go("requests?status=abc&start=x&end=1e99&id=%27");
    await hasRows(6);
    await go("usage?start=1e15&end=1e16&by=model");
    await sees(page, /svc-tts2/);
  });

  test("times name their zone, and show UTC on demand", async () => {
    await go("requests");
    await hasRows(6);
    await sees(page, /Times are in \w+/);
    const title = await page.$eval("tbody time", (time) => time.getAttribute("title"));
    expect(title).toMatch(/^20\d\d-.*Z$/);
  });

  test("on a wide screen the page is in the middle of what the navigation leaves", async () => {
    await page.setViewport({ width: 1920, height: 1000 });
    await go("requests");
    await hasRows(6);
    const margins = `(() => {
      const { left, right } = document.querySelector("main table").getBoundingClientRect();
      const room = document.querySelector("main").getBoundingClientRect();
      return [left - room.left, room.right - right];
    })()`;
    const [left, right] = (await page.evaluate(margins)) as [number, number];
    expect(Math.abs(left - right)).toBeLessThan(40);
    await page.setViewport(null);
  });

  test("with Live on, new requests appear and are marked, which takes no room", async () => {
    await go("requests");
    await page.waitForSelector("tbody tr"); // what is there before is not new
    await press(page, /^Live$/);
    await page.waitForFunction("new URLSearchParams(location.search).get('live') === '1'");
    harness.clock.pass(1); // ids of one millisecond are in no order
    const id = (await speak("svc-tts1")).headers.get("x-request-id")!;
    await page.waitForSelector(`a.new[title="${id}"]`);
    const room = `(() => {
      const link = document.querySelector("a.new");
      const marked = link.offsetWidth;
      link.querySelector(".unseen").textContent = "";
      return marked - link.offsetWidth;
    })()`;
    expect(await page.evaluate(room)).toBe(0);
  });

  test("the overview keeps showing how to call the API, in several languages", async () => {
    await go("overview");
    await page.waitForSelector(".tile strong");
    const styles = (of: string, name: string) =>
      page.evaluate(`[...document.querySelectorAll("${of}")].map((each) => getComputedStyle(each).${name})`);
    const sizes = await styles(".tile strong", "fontSize");
    expect(new Set(sizes as string[])).toEqual(new Set(["32px"]));
    const frames = await styles(".card.secondary", "boxShadow");
    expect(frames).toEqual(["none", "none", "none"]);
    await sees(page, /Call the API[\s\S]*curl/);
    await press(page, /^Python$/);
    await sees(page, /from openai import OpenAI/);
  });

  test("a chart can be shown as a table", async () => {
    await go("usage?by=model&range=24h");
    await press(page, /^Show as table$/);
    await page.waitForSelector(".chart-table tbody tr");
    expect(await barriers(page)).toEqual([]);
  });

  test.each([
    ["keys", /^Create key$/],
    ["projects", /^Create project$/],
    ["members", /^Invite member$/],
  ])("the dialog of %s is accessible, and Escape closes it", async (where, button) => {
    await go(where);
    await press(page, button);
    await page.waitForSelector("dialog[open]");
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.waitForFunction("!document.querySelector('dialog[open]')");
  });

  test("no page logged an error", () => {
    expect(complaints).toEqual([]);
  });
});
