/** Promise: in a real browser, with a pasted key, every voice is heard, a file is read and a microphone is written down. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { toInt16 } from "../../src/audio/pcm.ts";
import { wavHeader } from "../../src/audio/wav.ts";
import { installedFamilies } from "../../src/engine/installed.ts";
import { clip, hasClips, WEIGHTS } from "../clips.ts";
import { errorOf, type Harness, openHarness } from "../harness.ts";

setDefaultTimeout(60_000);

const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);
const ready = chromium !== undefined && hasClips && installedFamilies().has("sphinx");
const unlessReady = ready ? "" : " (skipped: Chromium, the recordings or libpocketsphinx are not here)";

let harness: Harness;
let browser: Browser;
let folder: string;
let recording: string;

beforeAll(async () => {
  harness = await openHarness({ environment: { LOQUAT_WEIGHTS: WEIGHTS } });
  if (!ready) return;
  folder = mkdtempSync(join(tmpdir(), "loquat-playground-"));
  recording = await record();
  browser = await puppeteer.launch({
    executablePath: chromium!,
    userDataDir: join(folder, "profile"),
    args: [
      "--no-sandbox",
      "--autoplay-policy=no-user-gesture-required",
      "--use-fake-ui-for-media-stream",
      "--use-fake-device-for-media-stream",
      `--use-file-for-fake-audio-capture=${recording}`,
    ],
  });
});
afterAll(async () => {
  await browser?.close();
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

/** The page with the key in use; whatever it logs or asks of another host is kept. */
async function visit(): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http") && host !== new URL(harness.url).host) complaints.push(request.url());
  });
  await page.goto(`${harness.url}/playground`);
  await page.type("#key", harness.key);
  await page.click("#key-form button");
  await page.waitForSelector("#voices button");
  return { page, complaints };
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
    expect(await response.text()).not.toMatch(/(src|href)="(?!\/playground|data:|#)/);
  });

  test("is its own files and no others", async () => {
    for (const name of ["main.js", "style.css", "microphone.js"])
      expect((await fetch(`${harness.url}/playground/${name}`)).status).toBe(200);
    for (const name of ["..%2fapp.ts", "nothing.js", "%2e%2e%2f%2e%2e%2fpackage.json"])
      expect(await errorOf(await fetch(`${harness.url}/playground/${name}`))).toMatchObject({ status: 404 });
  });
});
