/** Promise: in a real browser, the playground marks the words of a text as they are heard, and plays from one that is clicked. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chromium } from "../chromium.ts";
import { hasClips } from "../clips.ts";
import { press } from "./page-actions.ts";
import { openPlayground, type Playground, positionOf, speak, textOf, write } from "./playground-page.ts";

setDefaultTimeout(60_000);

const ready = chromium !== undefined && hasClips;
const unlessReady = ready ? "" : " (skipped: Chromium or the recordings are not here)";

let playground: Playground;
beforeAll(async () => {
  if (ready) playground = await openPlayground(["speech-en/LJ001-0008.wav"]);
});
afterAll(() => playground?.[Symbol.asyncDispose]());

describe.skipIf(!ready)(`reading along${unlessReady}`, () => {
  test("the words of the text are marked as they are heard, and seek where they are clicked", async () => {
    const { page, complaints, close } = await playground.open();
    await write(page, "Dr. Smith paid $5 for tea. He left at noon.");
    await speak(page);
    await page.waitForSelector(".read-along button");
    const words = await page.$$eval(".read-along button", (all) => all.map(({ textContent }) => textContent));
    expect(words).toEqual("Dr Smith paid $5 for tea He left at noon".split(" "));
    expect(await textOf(page, ".read-along")).toBe("Dr. Smith paid $5 for tea. He left at noon.");
    await page.waitForSelector(".read-along [aria-current]");
    await press(page, /^Pause$/);
    await page.waitForSelector(".player select:enabled");
    const before = await positionOf(page);
    await press(page, /^noon$/);
    expect(await textOf(page, ".read-along [aria-current]")).toBe("noon");
    expect(await positionOf(page)).toBeGreaterThan(Math.max(1, before));
    expect(complaints).toEqual([]);
    await close();
  });
});
