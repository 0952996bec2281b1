/**
 * Promise: in a real browser, with a pasted key or signed in, every voice is heard, a file is read and a microphone is
 * written down.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { toInt16 } from "../../../src/audio/pcm.ts";
import { wavHeader } from "../../../src/audio/wav.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { chromium, hold, listen, type OwnBrowser, openBrowser } from "../../chromium.ts";
import { clip, hasClips, WEIGHTS } from "../../clips.ts";
import { errorOf, type Harness } from "../../harness.ts";
import { openDoor, type Person, signUp } from "../management/people.ts";

setDefaultTimeout(60_000);

const ready = chromium !== undefined && hasClips && installedFamilies().has("sphinx");
const unlessReady = ready ? "" : " (skipped: Chromium, the recordings or libpocketsphinx are not here)";

let harness: Harness;
let own: OwnBrowser;
let browser: OwnBrowser["browser"];
let folder: string;
let recording: string;

beforeAll(async () => {
  harness = await openDoor({ environment: { LOQUAT_WEIGHTS: WEIGHTS } });
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

/** A sentence between two silences: what the microphone hears, over and over. */
async function record(): Promise<string> {
  const spoken = Buffer.from(toInt16(await clip("speech-en/LJ001-0008.wav", 24_000)).buffer);
  const samples = Buffer.concat([Buffer.alloc(48_000), spoken, Buffer.alloc(2 * 48_000)]);
  const path = join(folder, "microphone.wav");
  writeFileSync(path, Buffer.concat([wavHeader(samples.length / 2, 24_000), samples]));
  return path;
}

/** The page with the key in use. */
async function visit(): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints = listen(page, harness.url);
  await page.goto(`${harness.url}/playground`);
  await page.type("#key", harness.key);
  await page.click("#key-form button");
  await page.waitForSelector("#voices button");
  return { page, complaints };
}

/** The page of somebody who is signed in, with nothing pasted; `close` forgets who it was. */
async function visitAs(person: Person, search = "") {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await hold(page, person.cookie());
  const complaints = listen(page, harness.url);
  await page.goto(`${harness.url}/playground${search}`);
  return { page, complaints, close: () => context.close() };
}

const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (element) => (element as unknown as { textContent: string }).textContent);
const eventually = (page: Page, selector: string, pattern: RegExp) =>
  page.waitForFunction(
    `${pattern}.test(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "")`,
  );

describe.skipIf(!ready)(`the playground${unlessReady}`, () => {
  test("lists every voice of a model and plays one, with the time of its first audio", async () => {
    const { page, complaints } = await visit();
    expect(await page.$$("#voices button")).toHaveLength(20);
    await page.click('#voices button[data-voice="male-deep"]');
    await eventually(page, "#speak-status", /First audio after \d+ ms; \d+\.\d s of speech/);
    expect(await textOf(page, '[data-voice="male-deep"] .ms')).toMatch(/^\d+ ms$/);
    expect(await page.$eval("#download", (link) => (link as unknown as { href: string }).href)).toMatch(
      /^blob:/,
    );
    await page.select("#model", "svc-tts2");
    await page.waitForFunction("document.querySelectorAll('#voices button').length < 20");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("reads a file, and each word plays from its own time", async () => {
    const { page, complaints } = await visit();
    const input = (await page.$("#file")) as unknown as { uploadFile(path: string): Promise<void> };
    await input.uploadFile(recording);
    await page.waitForSelector("#transcript button");
    expect(await textOf(page, "#transcript")).toContain("surpassed");
    await page.click("#transcript button:last-of-type");
    const at = await page.$eval(
      "#player",
      (player) => (player as unknown as { currentTime: number }).currentTime,
    );
    expect(at).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("writes down what the microphone hears", async () => {
    const { page, complaints } = await visit();
    await page.click("#listen");
    await eventually(page, "#live-status", /You are speaking/);
    await eventually(page, "#heard li:not(.open)", /never been surpassed.*ms after you stopped/);
    await page.click("#listen");
    await eventually(page, "#live-status", /Stopped/);
    expect(complaints).toEqual([]);
    const { logged } = harness;
    while (!logged.some(({ event, endpoint }) => event === "request" && endpoint === "/v1/realtime"))
      await Bun.sleep(10);
    await page.close();
  });

  test("copies each call for a terminal and for a program, without the key", async () => {
    const { page } = await visit();
    await browser
      .defaultBrowserContext()
      .overridePermissions(harness.url, ["clipboard-read", "clipboard-write", "clipboard-sanitized-write"]);
    await page.bringToFront();
    const buttons = await page.$$(".copy button");
    expect(buttons).toHaveLength(6);
    for (const button of buttons) {
      await button.click();
      await page.waitForFunction(
        "[...document.querySelectorAll('.copy button')].some((b) => b.textContent === 'Copied')",
      );
      const copied = String(await page.evaluate("navigator.clipboard.readText()"));
      expect(copied).toContain(`${harness.url}/v1`);
      expect(copied).toContain("LOQUAT_KEY");
      expect(copied).not.toContain(harness.key);
      await page.waitForFunction(
        "[...document.querySelectorAll('.copy button')].every((b) => b.textContent !== 'Copied')",
      );
    }
    await page.close();
  });

  test("shows what it may not copy", async () => {
    const { page } = await visit();
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error())");
    await page.click('.copy[data-for="live"] button');
    await eventually(page, "dialog[open] pre", /client_secrets/);
    await page.click("dialog button");
    await page.waitForFunction("!document.querySelector('dialog').open");
    await page.close();
  });

  test("lends a test key to who is signed in, of the project they choose, for this page only", async () => {
    const person = await signUp(harness, "ada@example.com");
    const second = await person.json<{ id: string }>("/api/organizations", { name: "Second" });
    const project = await person.json<{ id: string }>(`/api/organizations/${second.id}/projects`, {
      name: "Website",
    });
    const { page, complaints, close } = await visitAs(person, `?organization=${second.id}`);
    await eventually(
      page,
      "#key-note",
      /Signed in as ada@example\.com, using a test key of project Default\./,
    );
    expect(await page.$eval("#key-form", (form) => (form as unknown as { hidden: boolean }).hidden)).toBe(
      true,
    );
    expect(await page.$eval("#dashboard", (link) => (link as unknown as { pathname: string }).pathname)).toBe(
      `/orgs/${second.id}/overview`,
    );
    await page.select("#project", project.id);
    await eventually(page, "#key-note", /using a test key of project Website\./);
    await page.waitForSelector("#voices button");
    expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).toBe("{}");
    const { data } = await person.json<{ data: { environment: string; project_id: string }[] }>(
      `/api/organizations/${second.id}/keys?project_id=${project.id}`,
    );
    expect(data).toMatchObject([{ environment: "test", project_id: project.id }]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("speaks for who is signed in, on the credit of their organization", async () => {
    const person = await signUp(harness, "grace@example.com");
    const { page, complaints, close } = await visitAs(person);
    await page.waitForSelector('#voices button[data-voice="male-deep"]');
    await page.click('#voices button[data-voice="male-deep"]');
    await eventually(page, "#speak-status", /First audio after/);
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

  test("says what is wrong with a key", async () => {
    const page = await browser.newPage();
    await page.goto(`${harness.url}/playground`);
    await page.evaluate("sessionStorage.clear()");
    await page.reload();
    await page.type("#key", "sk_live_nonsense");
    await page.click("#key-form button");
    await eventually(page, "#key-note", /not known here.*invalid_api_key/);
    await page.close();
  });
});

describe("the page", () => {
  test("may load nothing from elsewhere, and stand in no frame", async () => {
    const response = await fetch(`${harness.url}/playground`);
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(await response.text()).not.toMatch(/(src|href)="(?!\/(?!\/)|data:|#)/);
  });

  test("is its own files and no others", async () => {
    for (const name of ["main.js", "style.css", "microphone.js"])
      expect((await fetch(`${harness.url}/playground/${name}`)).status).toBe(200);
    for (const name of ["..%2fapp.ts", "nothing.js", "%2e%2e%2f%2e%2e%2fpackage.json"])
      expect(await errorOf(await fetch(`${harness.url}/playground/${name}`))).toMatchObject({ status: 404 });
  });
});
