/**
 * Promise: in a real browser, the narration, conversations and an organization's own voices, with their dialogs and refusals,
 * are in the chosen language, with no word of English, and fit a phone. With SCREENSHOTS=folder, pictures are saved.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { kokoroContents } from "../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { defineModel } from "../api/v1/conversation/talk.ts";
import { recording, STATEMENT, standIn } from "../api/v1/voices/stand-in.ts";
import { chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { openStub, type Stub } from "../llm-stub.ts";
import { CATALOGUES, type Complete, isIn, openIn } from "./in-language.ts";
import { dialogCloses, fill, press } from "./page-actions.ts";

setDefaultTimeout(120_000);

const LANGUAGES = Object.keys(CATALOGUES) as Complete[];
const weights = mkdtempSync(join(tmpdir(), "loquat-languages-"));

let harness: Harness;
let browser: OwnBrowser;
let stub: Stub;
let owner: Person;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  stub = await openStub({ firstMs: 5, tokensPerSecond: 100 });
  owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  browser = await openBrowser(["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  await stub?.[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true });
});

async function open(language: Complete, path: string, at = { harness, owner }): Promise<Page> {
  const page = await openIn(browser, { chosen: language });
  await hold(page, at.owner.cookie());
  await page.goto(`${at.harness.url}/orgs/${at.harness.organizationId}/${path}`);
  return page;
}

/** What a button or a link is called, alone. */
const named = (name: string) => new RegExp(`^${name.replace(/[.*+?^$()|[\]\\]/g, "\\$&")}$`);

const status = (page: Page, id: string, text: string) =>
  page.waitForFunction(`document.querySelector("#${id}")?.innerText.includes(${JSON.stringify(text)})`);

describe.skipIf(!chromium)(`the playground in each language${unlessBrowser}`, () => {
  test.each(LANGUAGES)("narrates in %s", async (language) => {
    const { narration: t, speak, transcribe } = CATALOGUES[language];
    const page = await open(language, "playground?tab=narration");
    await page.waitForSelector(".paragraph-tools optgroup");
    await press(page, named(t.speakAll));
    await status(page, "narration-status", speak.writeText);
    await isIn(page, language, "narration");
    await page.type("[name=paragraph-1]", "Ada Lovelace");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[name=paragraph-2]:focus");
    await page.keyboard.type("Grace Hopper");
    await press(page, named(transcribe.downloadAs.replace("{format}", "WAV")));
    await page.waitForSelector(".export:enabled");
    await press(page, named(t.speakOne.replace("{number, number}", "2")));
    await page.waitForSelector("#panel-narration .marks mark");
    await page.waitForFunction("!document.querySelector('li.current')");
    await isIn(page, language, "narration-spoken");
    await press(page, named(t.newDraft));
    await press(page, named(t.deleteDraft));
    await isIn(page, language, "narration-delete");
    await press(page, named(t.delete));
    await dialogCloses(page);
    await page.close();
  });

  test.each(LANGUAGES)("shows the code, the history and its dialog in %s", async (language) => {
    const { speak } = CATALOGUES[language];
    const page = await open(language, "playground");
    await page.waitForSelector(".voice");
    await fill(page, { text: "Ada Lovelace" });
    await page.click("#panel-speak .play-line .primary");
    await page.waitForSelector("#panel-speak .history li button");
    await isIn(page, language, "history");
    await press(page, named(speak.viewCode));
    await isIn(page, language, "code");
    await page.keyboard.press("Escape");
    await dialogCloses(page);
    await press(page, named(speak.clear));
    await isIn(page, language, "history-clear");
    await page.close();
  });

  test.each(LANGUAGES)("talks in %s, and says where there is no language model", async (language) => {
    const { talk: t } = CATALOGUES[language];
    const page = await open(language, "playground?tab=talk&conversation=nothing");
    await fill(page, { "talk-text": "Ada Lovelace" });
    await press(page, named(t.send)); // once a key is in use
    await page.waitForSelector("#panel-talk .notice");
    await isIn(page, language, "talk-without-model");
    defineModel(harness, stub, { upstream_model: "long" });
    await fill(page, { "talk-conversation": "assistant", "talk-text": "Ada Lovelace" });
    await press(page, named(t.send));
    await status(page, "talk-status", t.answering);
    await press(page, named(t.interrupt));
    await page.waitForSelector(".dialogue .badge");
    // what the language model says is English here
    await page.$$eval(".dialogue .answer p:first-child", (all) => {
      for (const each of all) (each as unknown as { lang: string }).lang = "en";
    });
    await isIn(page, language, "talk");
    await press(page, named(t.end));
    await status(page, "talk-status", t.over);
    await page.close();
  });

  test.each(LANGUAGES)("makes and deletes voices in %s", async (language) => {
    const { ownVoices: t } = CATALOGUES[language];
    const of = { organizationId: harness.organizationId, name: "Grace", language: "en" };
    if (language === LANGUAGES[0]) {
      await isIn(await open(language, "voices?tab=own"), language, "own-none");
      standIn(harness.parts);
      await harness.parts.consents.create({ ...of, recording: recording(2) });
    }
    const page = await open(language, "voices?tab=own");
    await press(page, named(t.make));
    await fill(page, { name: "Ada", consent: STATEMENT });
    await press(page, named(t.doMake));
    await page.waitForFunction(
      `document.querySelector("dialog")?.innerText.includes(${JSON.stringify(t.needsRecording)})`,
    );
    await isIn(page, language, "own-make");
    await page.select("dialog select", "spoken");
    await isIn(page, language, "own-make-spoken");
    await press(page, named(CATALOGUES[language].controls.cancel));
    await dialogCloses(page);
    await press(page, named(t.deleteConsent.replace("{name}", "Grace")));
    await isIn(page, language, "consent-delete");
    await page.close();
  });

  test("blends voices, and deletes them, in each", async () => {
    const contents = kokoroContents();
    storePackage(weights, packageOf("kokoro-82m", "kokoro", { contents }), contents);
    await using harness = await openAccountsHarness({ environment: { LOQUAT_WEIGHTS: weights } });
    const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
    for (const language of LANGUAGES) {
      const { ownVoices: t, controls } = CATALOGUES[language];
      const page = await open(language, "voices?tab=own", { harness, owner });
      await press(page, named(t.blend));
      await page.waitForSelector(`option[value="female-warm"]`);
      await press(page, named(t.add));
      await isIn(page, language, "own-blend");
      await fill(page, { name: `Duo ${language}` });
      await press(page, named(t.saveBlend));
      await dialogCloses(page);
      await press(page, named(t.deleteName.replace("{name}", `Duo ${language}`)));
      await isIn(page, language, "own-delete");
      await press(page, named(controls.cancel));
      await page.close();
    }
    expect(await harness.parts.voices.list(harness.organizationId)).toHaveLength(3);
  });

  test("warns of missing credit in each, also on a page that is English", async () => {
    const other = await signUp(harness, "grace@example.com", { name: "Grace" });
    const { id } = await other.json<{ id: string }>("/api/organizations", { name: "Hopper" });
    const at = { harness: { ...harness, organizationId: id }, owner: other };
    for (const language of LANGUAGES) {
      const [warning = ""] = CATALOGUES[language].credit.out.split("</b>").map((part) => part.slice(3));
      const page = await open(language, "playground", at);
      await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(warning)})`);
      await isIn(page, language, "warning");
      await page.goto(`${harness.url}/orgs/${id}/usage`);
      await page.waitForSelector(`main[lang=en] [lang=${language}] .notice`);
      await page.close();
    }
  });
});
