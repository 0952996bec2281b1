/** Promise: in a real browser, the voices of a server are a library: heard by mouse and keyboard, filtered, kept as favourites, compared and installed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { invite, openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { chromium, listen, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { expectLooks } from "./looks.ts";
import { press, search, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let operator: Person;
let page: Page;
let complaints: string[];
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness({ plan: "unmetered" });
  operator = await signUp(harness, "root@example.com");
  browser = await openBrowser();
  page = await as(operator, "");
  complaints = listen(page, harness.url);
  await opened();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

/** The library with all voices, none of them chosen. */
async function opened(): Promise<void> {
  await page.goto(`${harness.url}/orgs/${harness.organizationId}/voices`);
  await sees(page, /\d\d voices/);
}

const as = (person: Person, path: string) =>
  browser.visitAs(person, `${harness.url}/${path}`, { width: 1280, height: 900 });

const choose = async (label: string, value: string) => {
  const id = await page.evaluate(
    `[...document.querySelectorAll(".filters label")].find((each) => each.innerText === "${label}").htmlFor`,
  );
  await page.select(`[id="${id}"]`, value);
};
const names = (): Promise<string[]> =>
  page.$$eval(".library:not(.offered) strong", (all) =>
    all.map((each) => (each as unknown as { textContent: string }).textContent),
  );
/** A sample is short: it is waited for before it begins. */
const plays = (name: string, act: () => Promise<unknown>) =>
  Promise.all([page.waitForSelector(`[aria-label="Stop the sample of ${name}"]`), act()]);
const rests = (name: string) => page.waitForSelector(`[aria-label="Play a sample of ${name}"]`);

describe.skipIf(!chromium)(`the library of voices${unlessBrowser}`, () => {
  test("has no barriers in any look, and is no wider than a narrow phone", async () => {
    await expectLooks(page, "library");
    await page.setViewport({ width: 320, height: 700 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await page.setViewport({ width: 1280, height: 900 });
  });

  test("plays the sample of a voice on which a mouse rests, until it leaves", async () => {
    const [first] = await names();
    await page.click("h1"); // browsers play only after a first click
    await plays(first!, () => page.hover(".library li:first-child .names"));
    await page.hover("h1");
    await rests(first!);
  });

  test("plays a sample by Space on the link of a card, which stays where it is", async () => {
    const [, second] = await names();
    await page.focus(`[aria-label="Use ${second}"]`);
    await plays(second!, () => page.keyboard.press("Space"));
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.keyboard.press("Space");
    await rests(second!);
  });

  test("keeps favourites in this browser, and shows them alone", async () => {
    await choose("Show", "favourites");
    await sees(page, /No favourites yet/);
    await choose("Show", "");
    const [, second] = await names();
    await page.click(`[aria-label="${second} is a favourite"]`);
    await choose("Show", "favourites");
    await sees(page, /1 voice\b/);
    await page.reload(); // the address has the filter, the browser the star
    await sees(page, /1 voice\b/);
    expect(await names()).toEqual([second!]);
    await choose("Show", "");
  });

  test("finds voices by language, gender and words", async () => {
    const all = (await names()).length;
    await choose("Gender", "male");
    await page.waitForFunction(`document.querySelectorAll(".library:not(.offered) li").length < ${all}`);
    expect(new URL(page.url()).searchParams.get("gender")).toBe("male");
    await choose("Gender", "");
    await search(page, "zzz");
    await sees(page, /No voice matches/);
    await search(page, " ");
    await page.waitForFunction(`document.querySelectorAll(".library:not(.offered) li").length === ${all}`);
  });

  test("lets two voices speak the same sentence", async () => {
    await opened();
    const [first, second, third] = await names();
    await press(page, new RegExp(`^Compare ${first}$`));
    await sees(page, /Choose a second voice/);
    await press(page, new RegExp(`^Compare ${second}$`));
    await page.waitForSelector(".compared li + li");
    // the mouse may rest on a card meanwhile, which speaks its own sentence
    const spoken = page.waitForRequest(
      (request) => request.url().endsWith("/v1/audio/speech") && /Hello\."/.test(request.postData() ?? ""),
    );
    await page.type("[name=sentence]", " Hello.");
    await page.click(".compared li:last-child button");
    await spoken;
    await press(page, new RegExp(`^Compare ${third}$`)); // takes the place of the first
    await page.waitForFunction(`document.querySelector(".compared").innerText.includes("${third}")`);
    expect(await page.$$eval(".compared li", (all) => all.length)).toBe(2);
    await expectLooks(page, "library-compare");
    await press(page, /^Close$/);
  });

  test("offers operators what is not installed, with a recorded sample or the word that there is none", async () => {
    await choose("Show", "offered");
    await page.waitForSelector(".library.offered li");
    await sees(page, /There is no sample yet/);
    const clip = page.waitForResponse((response) => /\.ogg$/.test(response.url()));
    await plays("English: Joe", () => page.click('[aria-label="Play a sample of English: Joe"]'));
    const heard = await clip;
    expect([heard.status(), heard.headers()["content-type"]]).toEqual([200, "audio/ogg"]);
    expect((await heard.buffer()).length).toBeLessThan(12_000);
    await expectLooks(page, "library-offered");
    const asked = page.waitForRequest((request) => request.url().endsWith("/piper-en-joe/pull"));
    await page.click('[aria-label="Install piper-en-joe"]');
    expect((await asked).method()).toBe("POST");
    await choose("Show", "");
    expect(complaints).toEqual([]);
  });

  test("shows members nothing that they cannot install", async () => {
    const member = await signUp(harness, "grace@example.com");
    await invite(operator, member, { organizationId: harness.organizationId, role: "member" });
    const theirs = await as(member, `orgs/${harness.organizationId}/voices`);
    await sees(theirs, /\d\d voices/);
    expect(await theirs.$(".library.offered")).toBeNull();
    await theirs.close();
  });
});
