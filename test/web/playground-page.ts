/** The playground in a real browser whose microphone is a recording, and what a user does with it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { toInt16, wavHeader } from "../../src/audio/pcm.ts";
import { openAccountsHarness, type Person } from "../api/management/people.ts";
import { hold, listen, openBrowser } from "../chromium.ts";
import { clip, WEIGHTS } from "../clips.ts";
import type { Harness } from "../harness.ts";
import { selectText } from "./page-actions.ts";

const RATE = 24_000;
/** Recognition is slow on a busy machine. */
const WAIT_MS = 60_000;

/** The name of another machine, as browsers see it: pages from there get no microphone. */
const LAN_HOST = "box.lan";

export type Playground = AsyncDisposable & {
  harness: Harness;
  /** The first clip, as a file. */
  recording: string;
  /** The page with the harness's key in use; its storage is its own. */
  open(search?: string): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }>;
  openSignedIn(person: Person, search?: string): ReturnType<Playground["open"]>;
  /** The page without a key. */
  openBare(): ReturnType<Playground["open"]>;
  /** The address of the page on a machine of the local network, with the key. */
  lanAddress(search: string): string;
};

type Options = {
  weights?: string;
  /** Of silence before the microphone records the clips again. */
  pauseSeconds?: number;
};

/** `clips`: what the microphone records again and again, with a second of silence around each. */
export async function openPlayground(
  clips: string[],
  { weights = WEIGHTS, pauseSeconds = 1 }: Options = {},
): Promise<Playground> {
  const harness = await openAccountsHarness({ environment: { LOQUAT_WEIGHTS: weights } });
  const folder = mkdtempSync(join(tmpdir(), "loquat-playground-"));
  const silence = Buffer.alloc(2 * RATE);
  const speech = await Promise.all(
    clips.map(async (path) => Buffer.from(toInt16(await clip(path, RATE)).buffer)),
  );
  const pause = Buffer.alloc(pauseSeconds * 2 * RATE);
  const save = (name: string, pieces: Buffer[]) => {
    const samples = Buffer.concat([silence, ...pieces.flatMap((piece) => [piece, silence]), pause]);
    const path = join(folder, name);
    writeFileSync(path, Buffer.concat([wavHeader(samples.length / 2, RATE), samples]));
    return path;
  };
  const microphone = save("microphone.wav", speech);
  const recording = save("recording.wav", speech.slice(0, 1));
  const browser = await openBrowser([
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-audio-capture=${microphone}`,
    `--host-resolver-rules=MAP ${LAN_HOST} 127.0.0.1`,
  ]);
  const visit = async (address: string, cookie: string | null) => {
    const page = await browser.newPage();
    page.setDefaultTimeout(WAIT_MS);
    if (cookie) await hold(page, cookie);
    const complaints = listen(page, harness.url);
    await page.goto(address);
    return { page, complaints, close: () => page.close() };
  };
  return {
    harness,
    recording,
    async open(search = "") {
      const opened = await visit(`${harness.url}/playground${search}#key=${harness.key}`, null);
      await opened.page.waitForSelector(".voice");
      return opened;
    },
    openBare: () => visit(`${harness.url}/playground`, null),
    openSignedIn: (person, search = "") => visit(`${harness.url}/playground${search}`, person.cookie()),
    lanAddress: (search) => {
      const { port } = new URL(harness.url);
      return `http://${LAN_HOST}:${port}/playground${search}#key=${harness.key}`;
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of the clip that is shown, in seconds. */
export const positionOf = (page: Page): Promise<number> =>
  page.$eval(".waveform input", (range) => Number((range as unknown as { value: string }).value));

export const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => (element as unknown as { textContent: string }).textContent);

export const countOf = async (page: Page, selector: string): Promise<number> =>
  (await page.$$(selector)).length;

/** Waits until the text of an element matches. */
export const eventually = (page: Page, selector: string, pattern: RegExp) =>
  page.waitForFunction(
    `${pattern}.test(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "")`,
  );

export async function playByKeyboard(page: Page): Promise<void> {
  await page.keyboard.down("Control");
  await page.keyboard.press("Enter");
  await page.keyboard.up("Control");
}

/** Speaks the text, and waits for its first sound. */
export async function speak(page: Page): Promise<void> {
  await playByKeyboard(page);
  await eventually(page, "#speech-status", /First audio after/);
}

/** Replaces the text to speak. */
export async function write(page: Page, text: string): Promise<void> {
  await selectText((await page.waitForSelector("[name=text]"))!);
  await page.keyboard.press("Backspace");
  if (text !== "") await page.type("[name=text]", text);
}
