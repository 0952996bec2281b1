/** Promise: in a real browser, voices of a model are blended: chosen, weighed, heard and saved; what is refused is shown. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import {
  type BlendPart,
  blendText,
  changed,
  firstParts,
  shareOf,
  withOneMore,
} from "../../src/web/voices/blend-parts.ts";
import { kokoroContents } from "../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
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
import { fill, lacks, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

test("a blend keeps to voices that can be mixed with each other, and to what requests can say", () => {
  const sets = [
    ["a", "b", "c"],
    ["x", "y"],
  ];
  const first = firstParts(sets);
  expect(blendText(first)).toBe("a(1)+b(1)");
  const three = withOneMore(first, sets[0]!);
  expect(blendText(three)).toBe("a(1)+b(1)+c(1)");
  expect(blendText(changed(first, sets, { id: 1, weight: "0.5" }))).toBe("a(1)+b(0.5)");
  expect(blendText(changed(first, sets, { id: 0, voice: "y" }))).toBe("y(1)+x(1)");
  expect(blendText(changed(three, sets, { id: 0, voice: "x" }))).toBe("x(1)+y(1)+x(1)");
  const weighed: BlendPart[] = [
    { id: 0, voice: "a", weight: "2" },
    { id: 1, voice: "b", weight: "1" },
    { id: 2, voice: "c", weight: "" },
  ];
  expect(weighed.map((part) => shareOf(weighed, part))).toEqual([67, 33, 0]);
});

const weights = mkdtempSync(join(tmpdir(), "loquat-blends-"));

let harness: Harness;
let browser: OwnBrowser;
let owner: Person;
beforeAll(async () => {
  if (!chromium) return;
  const contents = kokoroContents();
  storePackage(weights, packageOf("kokoro-82m", "kokoro", { contents }), contents);
  harness = await openAccountsHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_VOICES_MAX: "1" } });
  owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true });
});

async function open() {
  const page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  await hold(page, owner.cookie());
  const complaints = listen(page, harness.url);
  await page.goto(`${harness.url}/orgs/${harness.organizationId}/voices?tab=own`);
  await press(page, /^Blend voices$/);
  await page.waitForSelector(`option[value="female-warm"]`);
  return { page, complaints };
}

const textsOf = (page: Page, selector: string) =>
  page.$$eval(selector, (all) => all.map((each) => (each as unknown as { value: string }).value));

/** With SCREENSHOTS=folder, a picture of the page is saved there. */
const picture = async (page: Page, name: string) => {
  const where = process.env.SCREENSHOTS;
  if (where) await page.screenshot({ path: join(where, `blends-${name}.png`) as `${string}.png` });
};

describe.skipIf(!chromium)(`the form of blends${unlessBrowser}`, () => {
  test("makes a voice of three voices and their weights, which is heard before it is saved", async () => {
    const { page, complaints } = await open();
    const late = await open();
    const spoken: object[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/audio/speech")) spoken.push(JSON.parse(request.postData()!));
    });
    await fill(page, { name: "Trio", "voice-1": "female-warm", "voice-2": "male-deep", "weight-1": "2" });
    await press(page, /^Add a voice$/);
    await fill(page, { "voice-3": "male-bright", "weight-3": "0.5" });
    await sees(page, /Weight \(57 %\)[\s\S]+Weight \(29 %\)[\s\S]+Weight \(14 %\)/);
    const offered = await textsOf(page, `[name="voice-2"] option`);
    expect(offered).toContain("male-deep");
    expect(offered).not.toContain("male-mellow"); // of an engine that does not mix voices
    expect(await barriers(page)).toEqual([]);
    await picture(page, "dialog");
    await press(page, /^Hear the blend$/);
    await press(page, /^Stop$/);
    const blend = "female-warm(2)+male-deep(1)+male-bright(0.5)";
    expect(spoken).toMatchObject([{ model: "svc-tts1", voice: blend }]);
    await page.setViewport({ width: 360, height: 780 });
    expect(await barriers(page)).toEqual([]);
    await picture(page, "phone");
    await page.setViewport({ width: 1280, height: 900 });
    await press(page, /^Remove voice 3$/);
    await press(page, /^Save the voice$/);
    await sees(page, /Trio\s+voice_\w+\s+female-warm\(2\)\+male-deep\(1\)/);
    await picture(page, "list");
    const [made] = await harness.parts.voices.list(harness.organizationId);
    expect(made).toMatchObject({ name: "Trio", kind: "blend", blend: "female-warm(2)+male-deep(1)" });
    await lacks(page, /Blend voices/); // one is all it may have
    await fill(late.page, { name: "Duo" });
    await press(late.page, /^Save the voice$/);
    await sees(late.page, /has 1 voices of its own, which is as many as it may have/);
    expect(await harness.parts.voices.list(harness.organizationId)).toHaveLength(1);
    expect(complaints).toEqual([]);
    await Promise.all([page.close(), late.page.close()]);
  });

  test("deletes a blend, of which nothing else is kept", async () => {
    const page = await browser.newPage();
    await hold(page, owner.cookie());
    await page.goto(`${harness.url}/orgs/${harness.organizationId}/voices?tab=own`);
    await press(page, /^Delete Trio$/);
    const text = String(await page.evaluate("document.querySelector('dialog[open]').innerText"));
    expect(text).not.toContain("recording");
    await press(page, /^Delete$/);
    await sees(page, /No voices yet/);
    await page.close();
  });
});
