/** Promise: in a real browser, a text is written as paragraphs, each heard in its voice, spoken as a whole, and saved with captions. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { openAccountsHarness } from "../api/management/people.ts";
import { chromium, listen, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { expectLooks } from "./looks.ts";
import { press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let complaints: string[];
const folder = mkdtempSync(join(tmpdir(), "loquat-narration-"));
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  browser = await openBrowser();
  page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  await page.setViewport({ width: 1280, height: 900 });
  const devtools = await page.createCDPSession();
  await devtools.send("Browser.setDownloadBehavior", {
    behavior: "allow",
    downloadPath: folder,
    browserContextId: page.browserContext().id!,
  });
  complaints = listen(page, harness.url);
  await page.goto(`${harness.url}/playground?tab=narration#key=${harness.key}`);
  await page.waitForSelector(".paragraph-tools optgroup");
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const requests = () => {
  const sent: Record<string, string>[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/audio/speech")) sent.push(JSON.parse(request.postData()!));
  });
  return sent;
};
const texts = (): Promise<string[]> =>
  page.$$eval(".paragraphs textarea", (all) =>
    all.map((each) => (each as unknown as { value: string }).value),
  );
const voiceOf = (number: number) => `.paragraphs li:nth-child(${number}) .field select`;
const saved = async (name: string) => {
  await until(() => readdirSync(folder).includes(name));
  return readFileSync(join(folder, name));
};

describe.skipIf(!chromium)(`the narration${unlessBrowser}`, () => {
  test("Enter begins a paragraph, Backspace at its start joins it, and a draft outlives the page", async () => {
    await page.type("[name=paragraph-1]", "Good morning, Ben.");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[name=paragraph-2]:focus");
    await page.keyboard.type("Hello nginx");
    expect(await texts()).toEqual(["Good morning, Ben.", "Hello nginx"]);
    await page.keyboard.press("Home");
    await page.keyboard.press("Backspace");
    await page.waitForFunction("document.querySelectorAll('.paragraphs li').length === 1");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[name=paragraph-2]:focus");
    await page.reload();
    await page.waitForSelector("[name=paragraph-2]");
    expect(await texts()).toEqual(["Good morning, Ben.", "Hello nginx"]);
  });

  test("a pause and a reading are written where they are spoken, and sent as the API reads them", async () => {
    await page.waitForSelector(".paragraph-tools optgroup");
    await page.select(voiceOf(2), "male-deep");
    await page.focus("[name=paragraph-2]");
    await page.keyboard.press("End");
    await press(page, /^Reading of a word in paragraph 2$/);
    await page.waitForSelector("[name=paragraph-2]:focus");
    await page.keyboard.type("engine x");
    await page.keyboard.press("End");
    await page.select('[aria-label="Insert a pause into paragraph 2"]', "500");
    expect((await texts())[1]).toBe("Hello nginx{engine x} [pause 500ms] ");
    const sent = requests();
    await press(page, /^Speak paragraph 2$/);
    await page.waitForSelector("li.current .marks mark"); // its words are lit
    await page.waitForFunction("!document.querySelector('li.current')");
    expect(sent[0]).toMatchObject({
      voice: "male-deep",
      input: '<speak>Hello <sub alias="engine x">nginx</sub> <break time="500ms"/> </speak>',
    });
  });

  test("all paragraphs are spoken in turn, those that did not change without another request", async () => {
    const sent = requests();
    await press(page, /^Speak all$/);
    await page.waitForSelector("li:first-child.current");
    await page.waitForSelector("li:nth-child(2).current");
    await page.waitForFunction("!document.querySelector('li.current')");
    expect(sent.map(({ input }) => input)).toEqual(["Good morning, Ben."]);
  });

  test("the whole is saved as WAV, and its captions with the names of the speakers", async () => {
    await press(page, /^Download as WAV$/);
    const wav = await saved("loquat-narration.wav");
    expect(wav.toString("latin1", 0, 4)).toBe("RIFF");
    expect(wav.length).toBe(wav.readUInt32LE(40) + 44);
    await page.waitForSelector(".export:enabled");
    await press(page, /^Download captions as SRT$/);
    const captions = (await saved("loquat-narration.srt")).toString();
    expect(captions).toMatch(/Ada: Good morning, Ben\.[\s\S]*Rowan: Hello nginx/);
  });

  test("has no barriers in any look, and is no wider than a narrow phone", async () => {
    await expectLooks(page, "narration");
    await page.setViewport({ width: 320, height: 700 });
    await page.waitForFunction("document.documentElement.scrollWidth === 320"); // waveforms follow the width
    await page.setViewport({ width: 1280, height: 900 });
  });

  test("drafts are chosen, and deleted after a question", async () => {
    await press(page, /^New draft$/);
    await page.waitForFunction("document.querySelectorAll('.paragraphs li').length === 1");
    await press(page, /^Speak all$/);
    await sees(page, /Write a text to speak/);
    await press(page, /^Delete draft$/);
    await press(page, /^Delete$/);
    await page.waitForSelector("[name=paragraph-2]");
    expect((await texts())[0]).toBe("Good morning, Ben.");
    expect(complaints).toEqual([]);
  });
});
