/**
 * Promise: in a real browser, a server where nothing is charged shows no prices, one locale, all voices to hear, names and texts in
 * their own direction, and says so where a recording was not understood. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { wavHeader } from "../../src/audio/pcm.ts";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import {
  barriers,
  chromium,
  hold,
  listen,
  type OwnBrowser,
  openBrowser,
  unlessBrowser,
} from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { keepLooks } from "./looks.ts";
import { fill, press, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

const ARABIC = "صباح الخير";

let harness: Harness;
let browser: OwnBrowser;
let owner: Person;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness({ plan: "unmetered" });
  owner = await signUp(harness, "ada@example.com", { name: ARABIC });
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Good morning." });
  expect((await harness.ask("/v1/audio/speech", { method: "POST", body })).status).toBe(200);
  browser = await openBrowser();
  page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  await page.setViewport({ width: 1280, height: 900 });
  await (await page.createCDPSession()).send("Emulation.setLocaleOverride", { locale: "ar-EG" });
  complaints = listen(page, harness.url);
  await hold(page, owner.cookie());
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const go = (path: string) => page.goto(`${harness.url}/orgs/${harness.organizationId}/${path}`);
const text = async () => String(await page.evaluate("document.body.innerText"));

describe.skipIf(!chromium)(`a server at home${unlessBrowser}`, () => {
  test("shows no prices until they are asked for, and figures in one locale", async () => {
    await go("overview");
    await sees(page, /Characters spoken\s+13\b/);
    expect(await text()).not.toMatch(/\$\d|list price|Price|Cost/);
    expect(await text()).not.toMatch(/[٠-٩]|منذ/);
    await keepLooks(page, "home-overview", { height: 900 });
    await go("usage");
    await sees(page, /Characters/);
    expect(await text()).not.toMatch(/\$\d|Cost/);
    await go("settings");
    await tick(page, "list_prices");
    await go("overview");
    await sees(page, /Cost at list price/);
  });

  test("lists all voices with a sample, and one's own as the second tab", async () => {
    await go("voices");
    await sees(page, /\d\d voices/);
    const [samples, voices] = await Promise.all([
      page.$$(".library:not(.offered) .round"),
      page.$$(".library:not(.offered) li"),
    ]);
    expect(samples.length).toBe(voices.length);
    expect(await barriers(page)).toEqual([]);
    await keepLooks(page, "voices-library", { height: 900 });
    await page.click(".filters input[type=search]");
    await page.keyboard.type("zzz");
    await sees(page, /No voice matches/);
    await press(page, /^Your own/);
    await sees(page, /No voices yet/);
    expect(complaints).toEqual([]);
  });

  test("keeps the current page in view in its menu, however low the screen is", async () => {
    await page.setViewport({ width: 1280, height: 600 });
    await page.goto(`${harness.url}/operator/status`);
    await page.waitForSelector(".sidebar [aria-current=page]");
    const inView = `(() => {
      const [entry, list] = [".sidebar [aria-current=page]", ".sidebar .entries"].map((each) =>
        document.querySelector(each).getBoundingClientRect());
      return entry.top > list.top - 1 && entry.bottom < list.bottom + 1; // lists are scrolled by whole pixels
    })()`;
    await page.waitForFunction(inView);
    await page.setViewport({ width: 1280, height: 900 });
  });

  test("shows names and texts in their own direction", async () => {
    await go("playground");
    await page.waitForSelector("[name=text]");
    await fill(page, { text: ARABIC });
    const direction = "getComputedStyle(document.querySelector('[name=text]')).direction";
    expect(await page.evaluate(direction)).toBe("rtl");
    expect(await page.evaluate("document.querySelector('.user strong').matches('[dir=auto]')")).toBe(true);
    await sees(page, /The text looks like Arabic; \w+ speaks English/);
    const offer = "document.querySelector('.text-field a').getAttribute('href')";
    expect(await page.evaluate(offer)).toBe("/operator/models?kind=voices&language=ar");
  });

  test("says where a recording was not understood, and why", async () => {
    await page.setRequestInterception(true);
    const segments = [{ start: 0, end: 2, text: "they are into the", avg_logprob: Math.log(0.22) }];
    page.on("request", (request) => {
      if (!request.url().endsWith("/audio/transcriptions")) return void request.continue();
      const body = JSON.stringify({ text: segments[0]!.text, segments, duration: 2, language: "english" });
      void request.respond({ status: 200, contentType: "application/json", body });
    });
    await go("playground?tab=transcribe");
    await page.waitForFunction("document.querySelector('[name=stt-model] option')?.value");
    const input = await page.waitForSelector(".drop input[type=file]");
    const samples = Buffer.alloc(32_000);
    await using folder = await mkdtempDisposable(join(tmpdir(), "loquat-home-"));
    const path = join(folder.path, "german.wav");
    await Bun.write(path, Buffer.concat([wavHeader(16_000, 16_000), samples]));
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    await sees(page, /Only 22 % sure\. [\w -]+ knows English only/);
    await keepLooks(page, "transcribe-doubt", { height: 900 });
  });
});
