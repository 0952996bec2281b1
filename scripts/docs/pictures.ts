/**
 * `npm run docs:pictures`: the pictures of the documents, taken of a real server in Chromium, with the stub of a language model.
 * Needs Chromium.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "puppeteer-core";
import { wavHeader } from "../../src/audio/pcm.ts";
import { openAccountsHarness, signUp } from "../../test/api/management/people.ts";
import { defineModel, spoken } from "../../test/api/v1/conversation/talk.ts";
import { scriptedLive } from "../../test/api/v1/realtime/live.ts";
import { hold, openBrowser } from "../../test/chromium.ts";
import { openStub } from "../../test/llm-stub.ts";
import { press, sees } from "../../test/web/page-actions.ts";
import { fillMonth } from "./month.ts";

const SIZE = { width: 1280, height: 800 };

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url)) as `${string}.png`;

async function take(page: Page, name: string): Promise<void> {
  await page.waitForFunction("!document.querySelector('.loading')");
  await page.screenshot({ path: pathOf(name) });
}

const QUESTION = "What is the weather in Oslo?";

await using harness = await openAccountsHarness({ services: { live: scriptedLive(() => QUESTION).live } });
await using stub = await openStub();
const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
await fillMonth(harness);
const folder = mkdtempSync(join(tmpdir(), "loquat-pictures-"));
const microphone = join(folder, "microphone.wav");
const question = await spoken(harness, QUESTION, 20);
writeFileSync(microphone, Buffer.concat([wavHeader(question.length / 2, 24_000), question]));
await using browser = await openBrowser([
  "--autoplay-policy=no-user-gesture-required",
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-audio-capture=${microphone}`,
]);
const { page } = await browser.visit(harness.url);
await page.setViewport(SIZE);
await hold(page, owner.cookie());

await page.goto(`${harness.url}/orgs/${harness.organizationId}/usage?by=model&range=30d`);
await sees(page, /svc-tts2/);
await take(page, "dashboard");

await page.goto(`${harness.url}/playground`);
await sees(page, /Alasdair/);
await press(page, /^Speak\s/);
await sees(page, /First audio after/);
await page.waitForFunction("Number(document.querySelector('.waveform input').value) > 2.5");
await take(page, "playground");

defineModel(harness, stub, { upstream_model: "tool" });
await page.goto(`${harness.url}/playground?tab=talk`);
await press(page, /^Start talking$/);
await sees(page, /What is the weather/);
await page.waitForFunction(
  "/sunny in Oslo/.test(document.querySelector('.dialogue .answer')?.innerText) && !document.querySelector('.dialogue .unheard')",
);
await sees(page, /Listening\. Say something/);
await take(page, "talk");
rmSync(folder, { recursive: true });
