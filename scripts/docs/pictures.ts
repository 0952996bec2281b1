/** `npm run docs:pictures`: the pictures of the README, taken of a real server in Chromium. Needs Chromium. */
import { fileURLToPath } from "node:url";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, signUp } from "../../test/api/management/people.ts";
import { hold, openBrowser } from "../../test/chromium.ts";
import { press, sees } from "../../test/web/page-actions.ts";
import { fillMonth } from "./month.ts";

const SIZE = { width: 1280, height: 800 };

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url)) as `${string}.png`;

async function take(page: Page, name: string): Promise<void> {
  await page.waitForFunction("!document.querySelector('.loading')");
  await page.screenshot({ path: pathOf(name) });
}

await using harness = await openAccountsHarness();
const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
await fillMonth(harness);
await using browser = await openBrowser();
const { page } = await browser.visit(harness.url);
await page.setViewport(SIZE);
await hold(page, owner.cookie());

await page.goto(`${harness.url}/orgs/${harness.organizationId}/usage?by=model&range=30d`);
await sees(page, /svc-tts2/);
await take(page, "dashboard");

await page.goto(`${harness.url}/playground`);
await sees(page, /Alasdair/);
await press(page, /^Play\s/);
await sees(page, /First audio after/);
await page.waitForFunction("Number(document.querySelector('.waveform input').value) > 2.5");
await take(page, "playground");
