/** Promise: in a real browser, the playground transcribes files and the microphone, and loses none of the last words. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { chromium } from "../chromium.ts";
import { hasClips } from "../clips.ts";
import { until } from "../until.ts";
import { press, savedBy } from "./page-actions.ts";
import { countOf, eventually, openPlayground, type Playground, textOf } from "./playground-page.ts";

setDefaultTimeout(120_000);

const ready = chromium !== undefined && hasClips && installedFamilies().has("sphinx");
const unlessReady = ready ? "" : " (skipped: Chromium, the recordings or libpocketsphinx are not here)";

let playground: Playground;
beforeAll(async () => {
  if (ready) playground = await openPlayground(["speech-en/LJ001-0008.wav", "speech-en/LJ001-0003.wav"]);
});
afterAll(() => playground?.[Symbol.asyncDispose]());

const FINAL = ".captions li:not(.open, .placeholder)";
const OPEN = ".captions li.open";
const INTERIM = ".captions .interim";

/** How the text that may still change differs from the words before it. */
const styleOf = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const interim = document.querySelector("${INTERIM}");
      if (!interim) return requestAnimationFrame(look); // between two of them
      const list = interim.closest("ol");
      const [grey, plain] = [interim, list].map((element) => getComputedStyle(element).color);
      const isReadAloud = interim.closest("[aria-hidden=true]") === null;
      resolve({ isGrey: grey !== plain, isReadAloud, live: list.ariaLive });
    };
    look();
  })`);

describe.skipIf(!ready)(`transcription in the playground${unlessReady}`, () => {
  test("a file is transcribed; a click on a word plays it; the transcript is exported", async () => {
    const { page, complaints, close } = await playground.open("?tab=transcribe");
    const input = (await page.$("[name=file]")) as unknown as { uploadFile(path: string): Promise<void> };
    await input.uploadFile(playground.recording);
    await page.waitForSelector(".transcript .word");
    await eventually(page, ".transcript", /has never been surpassed/);
    await page.click(".transcript .segment:last-child .word:last-of-type");
    await page.waitForFunction(
      "Number(document.querySelector('#panel-transcribe .waveform input').value) > 1",
    );
    const srt = String(await savedBy(page, /^Download as SRT$/));
    expect(srt).toMatch(/^1\n00:00:01,\d{3} --> 00:00:0[23],\d{3}\nhas never been surpassed/);
    await page.select("[name=response_format]", "vtt");
    await press(page, /^Transcribe again$/);
    await eventually(page, ".transcript pre", /^WEBVTT/);
    expect(complaints).toEqual([]);
    await close();
  });

  test("a file dropped beside the field is taken, and one that is no audio is refused", async () => {
    const { page, close } = await playground.open("?tab=transcribe");
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["no audio"], "notes.txt"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    await eventually(page, "#file-status.problem", /invalid_audio/);
    expect(await textOf(page, "#panel-transcribe .player .title")).toBe("notes.txt");
    await close();
  });

  test("the microphone is recorded and transcribed", async () => {
    const { page, complaints, close } = await playground.open("?tab=transcribe");
    await press(page, /^Record$/);
    await eventually(page, ".recorder .time", /0:0[3-9]/);
    const tabIcon = () => page.$eval("link[rel=icon]", ({ href }) => href);
    expect(await tabIcon()).toMatch(/^data:image.*ellipse.*d92d20/); // says that the microphone is open
    await press(page, /^Stop recording$/);
    await until(async () => (await tabIcon()).endsWith(".svg"));
    await eventually(page, "#file-status", /s of audio in/);
    expect(await textOf(page, ".transcript")).toMatch(/surpassed/);
    expect(complaints).toEqual([]);
    await close();
  });

  test("speech is captioned live", async () => {
    const { page, complaints, close } = await playground.open("?tab=live");
    await press(page, /^Start microphone$/);
    await eventually(page, "#live-status", /You are speaking/);
    await page.waitForSelector(INTERIM);
    expect(await styleOf(page)).toEqual({ isGrey: true, isReadAloud: false, live: "polite" });
    await eventually(page, FINAL, /never been surpassed.*m?s after you stopped/);
    expect(complaints).toEqual([]);
    await close();
    const { logged } = playground.harness;
    await until(() =>
      logged.some(({ event, endpoint }) => event === "request" && endpoint === "/v1/realtime"),
    );
  });

  test("keywords of a live session are in its code", async () => {
    const { page, close } = await playground.open("?tab=live");
    await page.click("#panel-live details summary");
    await page.type("[name=live-keywords]", "Loquat\nZoë");
    await press(page, /View code/);
    expect(await textOf(page, "#code")).toContain('"keywords":["Loquat","Zoë"]');
    await close();
  });

  test("Stop in the middle of an utterance completes it", async () => {
    const { page, complaints, close } = await playground.open("?tab=live");
    await press(page, /^Start microphone$/);
    await eventually(page, ".live-line .time", /0:0[789]/); // the second recording lasts from about 4 to 13 s
    await press(page, /^Stop$/);
    await eventually(page, "#live-status", /Stopped/);
    expect(await countOf(page, OPEN)).toBe(0);
    expect(await countOf(page, FINAL)).toBeGreaterThanOrEqual(2);
    await page.waitForSelector('[aria-label="Download as VTT"]');
    expect(complaints).toEqual([]);
    await close();
  });

  test("a page from another machine over plain HTTP says how to get the microphone", async () => {
    const { page, close } = await playground.openBare();
    await page.goto(playground.lanAddress("?tab=live"));
    await eventually(page, "#panel-live .notice", /only to https or localhost/);
    expect(await textOf(page, "#panel-live .notice")).toMatch(/loquat serve --lan.*chrome:\/\/flags/);
    await page.waitForSelector("#panel-live .live-line button:disabled");
    await page.click("#tab-transcribe");
    await press(page, /^Record$/);
    await eventually(page, "#panel-transcribe .notice", /only to https or localhost/);
    await close();
  });
});
