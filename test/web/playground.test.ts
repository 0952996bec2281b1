/** Promise: in a real browser, with a pasted key or signed in, the playground speaks, transcribes files and the microphone. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { toInt16 } from "../../src/audio/pcm.ts";
import { wavHeader } from "../../src/audio/wav.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { chromium, hold, listen, type OwnBrowser, openBrowser } from "../chromium.ts";
import { clip, hasClips, WEIGHTS } from "../clips.ts";
import type { Harness } from "../harness.ts";

setDefaultTimeout(60_000);

const ready = chromium !== undefined && hasClips && installedFamilies().has("sphinx");
const unlessReady = ready ? "" : " (skipped: Chromium, the recordings or libpocketsphinx are not here)";

let harness: Harness;
let own: OwnBrowser;
let browser: OwnBrowser["browser"];
let folder: string;
let recording: string;

beforeAll(async () => {
  harness = await openAccountsHarness({ environment: { LOQUAT_WEIGHTS: WEIGHTS } });
  if (!ready) return;
  folder = mkdtempSync(join(tmpdir(), "loquat-playground-"));
  recording = await record();
  own = await openBrowser([
    "--autoplay-policy=no-user-gesture-required",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-audio-capture=${recording}`,
  ]);
  browser = own.browser;
});
afterAll(async () => {
  await own?.[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** One sentence between two silences, which the fake microphone repeats. */
async function record(): Promise<string> {
  const speech = Buffer.from(toInt16(await clip("speech-en/LJ001-0008.wav", 24_000)).buffer);
  const samples = Buffer.concat([Buffer.alloc(48_000), speech, Buffer.alloc(2 * 48_000)]);
  const path = join(folder, "microphone.wav");
  writeFileSync(path, Buffer.concat([wavHeader(samples.length / 2, 24_000), samples]));
  return path;
}

/** The page with the pasted key in use. */
async function openWithKey(): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints = listen(page, harness.url);
  await page.goto(`${harness.url}/playground`);
  await submitKey(page, harness.key);
  await page.waitForSelector(".voices button");
  return { page, complaints };
}

async function submitKey(page: Page, key: string): Promise<void> {
  await page.waitForSelector("#key");
  await page.type("#key", key);
  await page.click(".key-form button");
}

/** The page of a signed-in user. */
async function openSignedIn(person: Person, search = "") {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await hold(page, person.cookie());
  const complaints = listen(page, harness.url);
  await page.goto(`${harness.url}/playground${search}`);
  return { page, complaints, close: () => context.close() };
}

const LISTEN = ".controls [aria-pressed]";
const COPY = ".card > header .button";
const COPY_LIVE = ".card:last-of-type > header .button";

const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as unknown as { textContent: string }).textContent);
const eventually = (page: Page, selector: string, pattern: RegExp) =>
  page.waitForFunction(
    `${pattern}.test(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "")`,
  );

describe.skipIf(!ready)(`the playground${unlessReady}`, () => {
  test("a click on a voice plays it and shows the time to its first audio", async () => {
    const { page, complaints } = await openWithKey();
    expect(await page.$$(".voices button")).toHaveLength(20);
    await page.click('.voices button[data-voice="male-deep"]');
    await eventually(page, "#speech-status", /First audio after \d+ ms; \d+\.\d s of speech/);
    expect(await textOf(page, '[data-voice="male-deep"] .ms')).toMatch(/^\d+ ms$/);
    expect(await page.$eval("a[download]", (link) => (link as unknown as { href: string }).href)).toMatch(
      /^blob:/,
    );
    await page.select("[name=model]", "svc-tts2");
    await page.waitForFunction(
      "(({ length }) => length > 0 && length < 20)(document.querySelectorAll('.voices button'))",
    );
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("a file is transcribed, and a click on a word plays it", async () => {
    const { page, complaints } = await openWithKey();
    const input = (await page.$("[name=file]")) as unknown as { uploadFile(path: string): Promise<void> };
    await input.uploadFile(recording);
    await page.waitForSelector(".transcript button");
    expect(await textOf(page, ".transcript")).toContain("surpassed");
    await page.click(".transcript button:last-of-type");
    const position = await page.$eval(
      "#player",
      (player) => (player as unknown as { currentTime: number }).currentTime,
    );
    expect(position).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("speech at the microphone is transcribed live", async () => {
    const { page, complaints } = await openWithKey();
    await page.click(LISTEN);
    await eventually(page, "#live-status", /You are speaking/);
    await eventually(page, ".utterances li:not(.open)", /never been surpassed.*ms after you stopped/);
    await page.click(LISTEN);
    await eventually(page, "#live-status", /Stopped/);
    expect(complaints).toEqual([]);
    const { logged } = harness;
    while (!logged.some(({ event, endpoint }) => event === "request" && endpoint === "/v1/realtime"))
      await Bun.sleep(10);
    await page.close();
  });

  test("each call can be copied as code that does not contain the key", async () => {
    const { page } = await openWithKey();
    await browser
      .defaultBrowserContext()
      .overridePermissions(harness.url, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
    await page.bringToFront();
    const buttons = await page.$$(COPY);
    expect(buttons).toHaveLength(8);
    for (const button of buttons) {
      await button.click();
      await page.waitForFunction(
        `[...document.querySelectorAll("${COPY}")].some((b) => b.textContent === "Copied")`,
      );
      const copied = String(await page.evaluate("navigator.clipboard.readText()"));
      expect(copied).toContain(`${harness.url}/v1`);
      expect(copied).toContain("LOQUAT_KEY");
      expect(copied).not.toContain(harness.key);
      await page.waitForFunction(
        `[...document.querySelectorAll("${COPY}")].every((b) => b.textContent !== "Copied")`,
      );
    }
    await page.close();
  });

  test("without a clipboard, the code is shown in a dialog", async () => {
    const { page } = await openWithKey();
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error())");
    await page.click(COPY_LIVE);
    await eventually(page, "dialog[open] pre", /client_secrets/);
    await page.click("dialog button");
    await page.waitForFunction("!document.querySelector('dialog[open]')");
    await page.close();
  });

  test("a signed-in user gets a test key of the chosen project, in memory only", async () => {
    const person = await signUp(harness, "ada@example.com");
    const second = await person.json<{ id: string }>("/api/organizations", { name: "Second" });
    const project = await person.json<{ id: string }>(`/api/organizations/${second.id}/projects`, {
      name: "Website",
    });
    const { page, complaints, close } = await openSignedIn(person, `?organization=${second.id}`);
    await eventually(
      page,
      "#key-status",
      /Signed in as ada@example\.com, using a test key of project Default\./,
    );
    expect(await page.$(".key-form")).toBeNull();
    expect(await page.$(`a[href="/orgs/${second.id}/overview"]`)).not.toBeNull();
    await page.select("[name=project]", project.id);
    await eventually(page, "#key-status", /using a test key of project Website\./);
    await page.waitForSelector(".voices button");
    expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).toBe("{}");
    const { data } = await person.json<{ data: { environment: string; project_id: string }[] }>(
      `/api/organizations/${second.id}/keys?project_id=${project.id}`,
    );
    expect(data).toMatchObject([{ environment: "test", project_id: project.id }]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("speech of a signed-in user is billed to their organization", async () => {
    const person = await signUp(harness, "grace@example.com");
    const { page, complaints, close } = await openSignedIn(person);
    await page.waitForSelector('.voices button[data-voice="male-deep"]');
    await page.click('.voices button[data-voice="male-deep"]');
    await eventually(page, "#speech-status", /First audio after/);
    const { organizations } = await person.json<{ organizations: { id: string }[] }>("/api/session");
    const used = () =>
      person.json<{ data: { environment: string; cost_micros: number }[] }>(
        `/api/organizations/${organizations[0]!.id}/requests?endpoint=/v1/audio/speech`,
      );
    let { data } = await used();
    for (; data.length === 0; { data } = await used()) await Bun.sleep(10);
    expect(data.map(({ environment }) => environment)).toEqual(["test"]);
    expect(data[0]!.cost_micros).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test("an invalid key is reported", async () => {
    const page = await browser.newPage();
    await page.goto(`${harness.url}/playground`);
    await page.evaluate("sessionStorage.clear()");
    await page.reload();
    await submitKey(page, "sk_live_nonsense");
    await eventually(page, "#key-status", /does not exist.*invalid_api_key/);
    await page.close();
  });
});
