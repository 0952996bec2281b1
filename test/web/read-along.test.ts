/** Promise: in a real browser, the playground marks the words of a text as they are heard, and plays from one that is clicked. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chromium } from "../chromium.ts";
import { hasClips } from "../clips.ts";
import { press } from "./page-actions.ts";
import { openPlayground, type Playground, positionOf, speak, textOf, write } from "./playground-page.ts";

setDefaultTimeout(120_000);

const ready = chromium !== undefined && hasClips;
const unlessReady = ready ? "" : " (skipped: Chromium or the recordings are not here)";

let playground: Playground;
beforeAll(async () => {
  if (ready) playground = await openPlayground(["speech-en/LJ001-0008.wav"]);
});
afterAll(() => playground?.[Symbol.asyncDispose]());

/** Where a word of the field is on the screen: its mark lies behind it once it is heard. */
const MARK = `(() => {
  const { left, top, width, height } = document.querySelector(".marks mark").getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
})()`;

describe.skipIf(!ready)(`reading along${unlessReady}`, () => {
  test("the words are marked in the text as they are heard, and one that is clicked twice plays from there", async () => {
    const { page, complaints, close } = await playground.open();
    await write(page, "Dr. Smith paid $5 for tea. He left at noon.");
    await speak(page);
    await page.waitForFunction("document.querySelector('.marks mark')?.textContent === 'tea'");
    const tea = (await page.evaluate(MARK)) as { x: number; y: number };
    await press(page, /^Pause$/);
    await page.waitForSelector(".player select:enabled");
    const heard = await positionOf(page);
    await page.focus(".waveform input");
    await page.keyboard.press("Home");
    await page.waitForFunction("!document.querySelector('.marks mark')"); // at the start, and not playing
    expect(await page.$(".read-along")).toBeNull();
    await page.mouse.click(tea.x, tea.y, { count: 2 });
    await page.waitForFunction("document.querySelector('.marks mark')?.textContent === 'tea'");
    expect(await positionOf(page)).toBeGreaterThan(heard / 2);
    expect(complaints).toEqual([]);
    await close();
  });

  test("the words of a recording whose text is no longer in the field are below it, and seek where they are clicked", async () => {
    const { page, complaints, close } = await playground.open();
    await write(page, "Dr. Smith paid $5 for tea. He left at noon.");
    await speak(page);
    await page.waitForSelector(".player select:enabled");
    await write(page, "Another text.");
    await page.waitForSelector(".read-along button");
    expect(await page.$(".marks mark")).toBeNull();
    const words = await page.$$eval(".read-along button", (all) => all.map(({ textContent }) => textContent));
    expect(words).toEqual("Dr Smith paid $5 for tea He left at noon".split(" "));
    expect(await textOf(page, ".read-along")).toBe("Dr. Smith paid $5 for tea. He left at noon.");
    await page.focus(".waveform input");
    await page.keyboard.press("Home");
    await press(page, /^noon$/);
    await page.waitForFunction(
      "document.querySelector('.read-along [aria-current]')?.textContent === 'noon'",
    );
    expect(await positionOf(page)).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
    await close();
  });
});
