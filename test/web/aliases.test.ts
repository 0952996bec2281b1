/** Promise: in a real browser, an operator adds an alias, edits, finds and removes it, and switches a shipped one off and on. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { barriers, chromium, unlessBrowser } from "../chromium.ts";
import { type OperatorPage, openOperatorPage } from "./operator-page.ts";
import { fill, lacks, press, search, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let opened: OperatorPage;
let page: Page;
beforeAll(async () => {
  if (!chromium) return;
  opened = await openOperatorPage("aliases");
  page = opened.page;
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

const find = (name: string) => opened.harness.parts.aliases.current().find((alias) => alias.name === name);
describe.skipIf(!chromium)(`the page of aliases${unlessBrowser}`, () => {
  test("adds an alias, edits, finds and removes it", async () => {
    await sees(page, /gpt-4o-mini-tts/);
    expect(await barriers(page)).toEqual([]);
    await opened.keep("aliases");
    await press(page, /^Add a model alias$/);
    await fill(page, { name: "house-voice", first: "svc-tts2", second: "svc-tts1", format: "mp3" });
    expect(await barriers(page)).toEqual([]);
    await opened.keep("aliases-add");
    await press(page, /^Save$/);
    await press(page, /^Edit house-voice$/);
    expect(find("house-voice")).toMatchObject({ targets: ["svc-tts2", "svc-tts1"], format: "mp3" });
    await fill(page, { second: "" });
    await press(page, /^Save$/);
    await search(page, "svc-tts2 house");
    await lacks(page, /gpt-4o-mini-tts/);
    await sees(page, /No alias matches/); // of voices
    await press(page, /^Remove house-voice$/);
    await page.waitForFunction(`!document.body.innerText.includes("house-voice")`);
    expect(find("house-voice")).toBeUndefined();
    await search(page, "");
    await sees(page, /No model named/);
  });

  test("switches a shipped alias off, and resets it", async () => {
    await press(page, /^Switch off whisper-1$/);
    await sees(page, /Switched off/);
    expect(find("whisper-1")).toMatchObject({ targets: [] });
    await press(page, /^Reset whisper-1$/);
    await page.waitForFunction(`!document.body.innerText.includes("Switched off")`);
    expect(find("whisper-1")).toMatchObject({ targets: ["svc-stt1"] });
  });

  test("explains an alias that the catalogue has already", async () => {
    await press(page, /^Add a model alias$/);
    await fill(page, { name: "svc-tts1", first: "svc-tts2" });
    await press(page, /^Save$/);
    await sees(page, /is a name of the catalogue already/);
    await press(page, /^Cancel$/);
  });
});
