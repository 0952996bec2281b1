/** Promise: in a real browser, a voice is made of a recording or a file, played, spoken with in the playground, and deleted. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { recording, STATEMENT, standIn } from "../api/v1/voices/stand-in.ts";
import {
  barriers,
  chromium,
  hold,
  listen,
  type OwnBrowser,
  openBrowser,
  unlessBrowser,
} from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), "loquat-voices-"));
const file = join(folder, "ada.wav");

let harness: Harness;
let browser: OwnBrowser;
let owner: Person;
beforeAll(async () => {
  if (!chromium) return;
  writeFileSync(file, recording(4));
  harness = await openAccountsHarness();
  owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  const fake = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];
  browser = await openBrowser([...fake, `--use-file-for-fake-audio-capture=${file}`]);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const path = (name: string) => `/orgs/${harness.organizationId}/${name}`;
const made = () => harness.parts.voices.list(harness.organizationId);

async function open() {
  const page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  await hold(page, owner.cookie());
  const complaints = listen(page, harness.url);
  await page.goto(harness.url + path("voices?tab=own"));
  return { page, complaints };
}

const upload = async (page: Page, name: string) => {
  const input = (await page.$(`[name="${name}"]`)) as unknown as { uploadFile(path: string): Promise<void> };
  await input.uploadFile(file);
};

/** With SCREENSHOTS=folder, a picture of the page is saved there. */
const picture = async (page: Page, name: string) => {
  const where = process.env.SCREENSHOTS;
  if (where) await page.screenshot({ path: join(where, `voices-${name}.png`) as `${string}.png` });
};

describe.skipIf(!chromium)(`the page of voices${unlessBrowser}`, () => {
  test("says where no installed model makes voices, and offers none", async () => {
    const { page, complaints } = await open();
    await sees(page, /No installed model makes voices of recordings/);
    await sees(page, /No voices yet/);
    expect(await page.evaluate("document.body.innerText")).not.toContain("Make a voice");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("makes a voice of a file, plays it, speaks with it, and deletes it", async () => {
    standIn(harness.parts);
    const { page, complaints } = await open();
    await press(page, /^Make a voice$/);
    await fill(page, { name: "Ada", consent: STATEMENT });
    await upload(page, "audio_sample-file");
    await page.waitForSelector("dialog audio");
    expect(await barriers(page)).toEqual([]);
    await picture(page, "dialog");
    await press(page, /^Make the voice$/);
    await sees(page, /Ada\s+voice_\w+\s+4.0 s of recording/);
    expect(await barriers(page)).toEqual([]);
    await picture(page, "list");
    await page.setViewport({ width: 360, height: 780 });
    await picture(page, "phone");
    await page.setViewport({ width: 1280, height: 900 });
    await press(page, /^Play the recording of Ada$/);
    await press(page, /^Stop the recording of Ada$/);
    const [voice] = await made();
    await press(page, /^Speak with Ada$/);
    await page.waitForSelector(`[name="voice"][value="${voice!.id}"]:checked`);
    await picture(page, "playground");
    await page.goto(harness.url + path("voices?tab=own"));
    await press(page, /^Delete Ada$/);
    await press(page, /^Delete$/);
    await sees(page, /No voices yet/);
    expect(await made()).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("lists the consents of speakers, plays one, and deletes it", async () => {
    const of = { organizationId: harness.organizationId, name: "Grace", language: "en" };
    const { id } = await harness.parts.consents.create({ ...of, recording: recording(2) });
    const { page, complaints } = await open();
    await sees(page, new RegExp(`Grace\\s+${id}\\s+en`));
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Play the consent of Grace$/);
    await press(page, /^Stop the consent of Grace$/);
    await press(page, /^Delete the consent of Grace$/);
    await press(page, /^Delete$/);
    await sees(page, /No consents yet/);
    expect(await harness.parts.consents.find(harness.organizationId, id)).toBeNull();
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("records the voice and the consent with the microphone, and shows what is refused", async () => {
    const { page } = await open();
    await press(page, /^Make a voice$/);
    await fill(page, { name: "Grace" });
    await page.select("dialog select", "spoken");
    for (const name of ["audio_sample", "consent"]) {
      const recorder = `fieldset:has([name="${name}-file"])`;
      await page.click(`${recorder} .recorder button`);
      const least = name === "consent" ? /0:0[2-9]/ : /0:0[4-9]/;
      await page.waitForFunction(`${least}.test(document.querySelector('${recorder} .time')?.innerText)`);
      await page.click(`${recorder} .recorder button`);
      await page.waitForSelector(`${recorder} audio`);
    }
    await press(page, /^Make the voice$/);
    await sees(page, /Grace\s+voice_/);
    const [voice] = await made();
    expect(voice).toMatchObject({ name: "Grace", consent: "recording" });
    await press(page, /^Make a voice$/);
    await fill(page, { name: "Nobody", consent: STATEMENT });
    await press(page, /^Make the voice$/);
    await sees(page, /Make a recording, or choose a file/);
    await page.close();
  });
});
