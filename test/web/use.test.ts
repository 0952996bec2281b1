/**
 * Promise: in a real browser every figure leads to the requests behind it, by pointer and by keyboard; what is filtered
 * stands in the address, what is shown is what is exported, and dialogs are no barrier.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { openDoor, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, hold, type OwnBrowser, openBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { arrives, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const unlessBrowser = chromium ? "" : " (skipped: no Chromium here)";
const DOWNLOAD_MS = 10_000;

let harness: Harness;
let own: OwnBrowser;
let page: Page;
let complaints: string[];
let ada: Person;
let folder: string;

beforeAll(async () => {
  if (!chromium) return;
  folder = mkdtempSync(join(tmpdir(), "loquat-downloads-"));
  harness = await openDoor({ free: true });
  ada = await signUp(harness, "ada@example.com", { name: "Ada" });
  for (const [model, times] of [
    ["svc-tts1", 3],
    ["svc-tts2", 2],
  ] as const)
    for (let time = 0; time < times; time++) expect((await speak(model)).status).toBe(200);
  expect((await speak("svc-none")).status).toBe(400);
  own = await openBrowser();
  ({ page, complaints } = await own.visit(harness.url));
  await hold(page, ada.cookie());
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", {
    behavior: "allow",
    downloadPath: folder,
    browserContextId: page.browserContext().id!,
  });
});
afterAll(async () => {
  await own?.[Symbol.asyncDispose]();
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

/** Waits for so many rows: a word of theirs is no sign of them, for filters offer the same words. */
const shows = (count: number) =>
  page.waitForFunction(`document.querySelectorAll("tbody tr").length === ${count}`);

async function downloaded(name: string): Promise<string> {
  const until = performance.now() + DOWNLOAD_MS;
  while (!existsSync(join(folder, name)) && performance.now() < until) await Bun.sleep(20);
  expect(readdirSync(folder)).toContain(name);
  return readFileSync(join(folder, name), "utf8");
}

describe.skipIf(!chromium)(`the dashboard in use${unlessBrowser}`, () => {
  test("a group of usage leads to its requests, and Back to the usage", async () => {
    await go("usage?by=model&range=24h");
    await sees(page, /svc-tts2/);
    await press(page, /^svc-tts2$/);
    await arrives(page, /\/requests$/);
    expect((await search()).get("model")).toBe("svc-tts2");
    await shows(2);
    await page.goBack();
    await arrives(page, /\/usage$/);
    expect((await search()).get("by")).toBe("model");
  });

  test("a bar is read out by the arrow keys, and Enter opens its requests", async () => {
    await go("usage?range=24h");
    await page.waitForSelector(".plot canvas");
    await page.focus(".plot");
    await page.keyboard.press("End");
    await page.waitForFunction("/6/.test(document.querySelector('.plot [aria-live]').textContent)");
    await page.keyboard.press("Enter");
    await arrives(page, /\/requests$/);
    const opened = await search();
    expect(Number(opened.get("end")) - Number(opened.get("start"))).toBe(3600);
    await shows(6);
  });

  test("a filter stands in the address, and the export has the rows that are shown", async () => {
    await go("requests?status=4xx");
    await shows(1);
    expect(await page.$eval("tbody tr", (row) => row.textContent)).toContain("invalid_model");
    await press(page, /^Export JSON$/);
    const exported = JSON.parse(await downloaded("requests.json"));
    expect(exported).toMatchObject([{ status: 400, error_code: "invalid_model", cost_micros: 0 }]);
    await go("requests?model=svc-tts1");
    await shows(3);
    await press(page, /^Export CSV$/);
    const [head, ...lines] = (await downloaded("requests.csv")).trimEnd().split("\r\n");
    expect(head).toContain("first_audio_ms");
    expect(lines).toHaveLength(3);
  });

  test("what comes is seen while Live is on, and marked", async () => {
    await go("requests");
    await press(page, /^Live$/);
    await page.waitForFunction("new URLSearchParams(location.search).get('live') === '1'");
    const id = (await speak("svc-tts1")).headers.get("x-request-id")!;
    await sees(page, new RegExp(id));
    await sees(page, /new/);
  });

  test("a chart is a table too", async () => {
    await go("usage?by=model&range=24h");
    await press(page, /^Show as table$/);
    await page.waitForSelector(".chart-table tbody tr");
    expect(await barriers(page)).toEqual([]);
  });

  test.each([
    ["keys", /^Create a key$/],
    ["projects", /^Create a project$|^New project$|^Make a project$/],
    ["members", /^Invite somebody$/],
  ])("the dialog of %s is no barrier, and Escape closes it", async (where, button) => {
    await go(where);
    await press(page, button);
    await page.waitForSelector("dialog[open]");
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.waitForFunction("!document.querySelector('dialog[open]')");
  });

  test("nothing went wrong on the way", () => {
    expect(complaints).toEqual([]);
  });
});
