/** Promise: from the reference, who is signed in sends a call with a test key of theirs, and gets that key into the curl command. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { chromium, hold, listen, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { expectLooks } from "./looks.ts";
import { press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let owner: Person;
let page: Page;
let complaints: string[];
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  browser = await openBrowser();
  page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  complaints = listen(page, harness.url);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const open = (operation: string) => page.goto(`${harness.url}/docs/api/${operation}`);

describe.skipIf(!chromium)(`a call in the reference${unlessBrowser}`, () => {
  test("needs a person who is signed in", async () => {
    await open("createSpeech");
    await press(page, /^Send$/);
    await sees(page, /Sign in to the dashboard first/);
    await hold(page, owner.cookie());
  });

  test("is sent with a test key, and its answer is played", async () => {
    await press(page, /^Send$/);
    await sees(page, /Status 200, \d+ ms, audio\//);
    await page.waitForFunction("document.querySelector('.try audio').duration > 0");
    await expectLooks(page, "docs-try");
  });

  test("has a body that can be changed, and shows the error that comes of it", async () => {
    await page.evaluate(
      "document.querySelector('.try textarea').value = JSON.stringify({ model: 'svc-tts1', voice: 'no-one', input: 'Hi.' })",
    );
    await press(page, /^Send$/);
    await sees(page, /Status 404, \d+ ms, application\/json[\s\S]*invalid_voice/);
    expect(await page.$(".try audio")).toBeNull();
  });

  test("gets the key into its curl command", async () => {
    await press(page, /^Test key in curl$/);
    await sees(page, /Authorization: Bearer sk_test_\w{20}/);
  });

  test("without a body is sent too; one that would change something is not offered", async () => {
    await open("listVoices");
    expect(await page.$(".try textarea")).toBeNull();
    await press(page, /^Send$/);
    await sees(page, /Status 200[\s\S]*male-bright/);
    await open("createTranscription");
    await page.waitForSelector(".language-bar");
    expect(await page.$(".try")).toBeNull();
    const ofErrors = /status of 404/; // of the voice that there is none of
    expect(complaints.filter((each) => !ofErrors.test(each))).toEqual([]);
  });
});
