/**
 * Promise: in a real browser, a transcript lies word by word on the waveform of its recording, shows how sure it is and who
 * spoke, and can be corrected and exported again. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { wavHeader } from "../../src/audio/pcm.ts";
import { barriers, chromium, listen, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { type Harness, openHarness } from "../harness.ts";
import { lacks, press, savedBy, sees, selectText } from "./page-actions.ts";

setDefaultTimeout(120_000);

const RATE = 16_000;
const SECONDS = 40;

/** Two people take turns, each word 0.5 s after the last. */
const SENTENCES = [
  ["Good morning to representatives at the old house", "A", -0.05],
  ["I could not here you because of the train", "B", -0.9],
  ["Then let us begin with the letters", "A", -0.1],
] as const;
const words: { word: string; start: number; end: number }[] = [];
const segments = SENTENCES.map(([text, speaker, avg_logprob]) => {
  const start = words.length * 0.5;
  for (const word of text.split(" ")) {
    const at = words.length * 0.5;
    words.push({ word, start: at, end: at + 0.4 });
  }
  return { id: `seg_${start}`, start, end: words.length * 0.5, text, speaker, avg_logprob };
});
const TEXT = SENTENCES.map(([text]) => text).join(" ");
const RESPONSE = { task: "transcribe", text: TEXT, language: "english", duration: SECONDS, words, segments };

/** A tone that comes and goes. */
function recording(): Buffer {
  const samples = new Int16Array(RATE * SECONDS);
  for (let at = 0; at < samples.length; at++)
    samples[at] = 9000 * Math.sin(at / 12) * Math.abs(Math.sin(at / 9000));
  return Buffer.concat([wavHeader(samples.length, RATE), Buffer.from(samples.buffer)]);
}

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  if (!chromium) return;
  harness = await openHarness();
  browser = await openBrowser();
  page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  await page.setViewport({ width: 1280, height: 900 });
  complaints = listen(page, harness.url);
  await page.goto(`${harness.url}/playground?tab=transcribe#key=${harness.key}`);
  await page.waitForFunction("document.querySelector('[name=stt-model] option')?.value");
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    if (!request.url().endsWith("/audio/transcriptions")) return void request.continue();
    void request.respond({ status: 200, contentType: "application/json", body: JSON.stringify(RESPONSE) });
  });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

async function keep(name: string): Promise<void> {
  const folder = Bun.env.SCREENSHOTS;
  if (!folder) return;
  for (const [look, width, scheme] of [
    ["light", 1280, "light"],
    ["dark", 1280, "dark"],
    ["phone", 390, "light"],
  ] as const) {
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    const path = join(folder, `${name}-${look}.png`) as `${string}.png`;
    await page.screenshot({ path, fullPage: true });
  }
  await page.setViewport({ width: 1280, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
}

const position = async () =>
  Number(await page.evaluate("document.querySelector('#panel-transcribe .waveform input').value"));

const exported = async (format: string) => String(await savedBy(page, new RegExp(`^Download as ${format}$`)));

describe.skipIf(!chromium)(`a transcript${unlessBrowser}`, () => {
  test("lies on its waveform, word by word, with its speakers and how sure it is of each", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "loquat-transcript-"));
    const path = join(folder.path, "talk.wav");
    await Bun.write(path, recording());
    const input = await page.waitForSelector(".drop input[type=file]");
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    await page.waitForSelector(".timeline path[d*=V]");
    const placed = (await page.$$eval(".timeline span", (all) =>
      all.map((each) => {
        const { textContent, style } = each as unknown as {
          textContent: string;
          style: { left: string; opacity: string; borderColor: string };
        };
        return { text: textContent, ...{ left: style.left, opacity: style.opacity, of: style.borderColor } };
      }),
    )) as { text: string; left: string; opacity: string; of: string }[];
    expect(placed[1]).toMatchObject({ text: "morning", left: "80px", of: "var(--series-1)" });
    const here = placed.find(({ text }) => text === "here")!;
    expect(here.of).toBe("var(--series-2)");
    expect(Number(here.opacity)).toBeLessThan(0.75);
    expect(Number(placed[1]!.opacity)).toBeGreaterThan(0.95);
    const overlapping = `[...document.querySelectorAll(".timeline span")].filter((each) =>
      each.nextElementSibling?.matches("span") &&
      each.getBoundingClientRect().right > each.nextElementSibling.getBoundingClientRect().left + 1).length`;
    expect(await page.evaluate(overlapping)).toBe(0);
    expect(await page.$$(".transcript .of-speaker")).toHaveLength(3);
    expect(await barriers(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(1280);
    await keep("transcript");
  });

  test("plays from where its waveform is clicked, and follows", async () => {
    const box = (await (await page.waitForSelector(".timeline"))!.boundingBox())!;
    await page.mouse.click(box.x + 85, box.y + 20); // in "morning"
    await page.waitForSelector(".timeline .current");
    expect(await position()).toBeGreaterThanOrEqual(0.5);
    expect(await position()).toBeLessThan(3);
    await page.evaluate("document.querySelector('.timeline').scrollLeft = 3000");
    await page.waitForFunction("document.querySelector('.timeline').scrollLeft < 1500");
    await press(page, /^Pause$/);
    const drawn = await page.$$(".timeline span");
    await page.evaluate("document.querySelector('.timeline').scrollLeft = 1e6");
    await page.waitForFunction("document.querySelectorAll('.timeline span').length === 0"); // nothing is said at the end
    expect(drawn.length).toBeGreaterThan(5);
    await page.evaluate("document.querySelector('.timeline').scrollLeft = 0");
  });

  test("is corrected, exported as it was corrected, and put back", async () => {
    await press(page, /^Correct$/);
    const field = await page.waitForSelector('textarea[aria-label="Text from 0:04.0"]');
    await selectText(field!);
    await page.keyboard.type("I could not hear you because of the train.");
    expect(await barriers(page)).toEqual([]);
    await keep("transcript-correct");
    const next = await page.$('textarea[aria-label="Text from 0:08.5"]');
    await next!.click();
    await sees(page, /Undo corrections/);
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Text from 0:08.5"); // it keeps the focus
    await press(page, /^Done$/);
    await page.waitForFunction(
      "[...document.querySelectorAll('.timeline span')].some(({ textContent }) => textContent === 'hear')",
    );
    expect(await exported("TXT")).toContain("I could not hear you because of the train. Then");
    expect(await exported("VTT")).toMatch(/<v B>I could not hear you/);
    const document = await exported("DOCX");
    expect(await page.evaluate("saved.type")).toMatch(/wordprocessingml\.document$/);
    expect(document).toMatch(/^PK/);
    expect(document).toMatch(/>B: <[\s\S]*I could not hear you because of the train\./);
    const json = JSON.parse(await exported("JSON"));
    expect(json).toMatchObject({ task: "transcribe", duration: SECONDS });
    expect(json.words.find(({ word }: { word: string }) => word === "hear")).toMatchObject({ start: 5.5 });
    expect(json.segments[1]).toMatchObject({
      text: "I could not hear you because of the train.",
      speaker: "B",
    });
    await press(page, /^Undo corrections$/);
    await lacks(page, /Undo corrections/);
    expect(await exported("TXT")).toBe(`${TEXT}\n`);
    expect(complaints).toEqual([]);
  });

  test("can be put back after all of its segments were emptied", async () => {
    await press(page, /^Correct$/);
    for (const _segment of segments) {
      const field = await page.waitForSelector(".transcript textarea");
      const label = await field!.evaluate(
        (element) => (element as unknown as { ariaLabel: string }).ariaLabel,
      );
      await selectText(field!);
      await page.keyboard.press("Backspace");
      await page.keyboard.press("Tab");
      await page.waitForFunction(`!document.querySelector('textarea[aria-label="${label}"]')`);
    }
    await lacks(page, /Done/);
    await press(page, /^Undo corrections$/);
    await page.waitForFunction(
      `document.querySelectorAll(".transcript textarea").length === ${segments.length}`,
    );
    await press(page, /^Done$/);
    expect(await exported("TXT")).toBe(`${TEXT}\n`);
  });
});
