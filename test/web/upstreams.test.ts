/** Promise: in a real browser, an operator adds an upstream, tests it, hears it, sees how it is, and removes it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { barriers, chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { openStandIn, respond, type StandIn, stream, tone } from "../upstreams/stand-in.ts";
import { fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let far: StandIn;
beforeAll(async () => {
  if (!chromium) return;
  far = openStandIn(({ path }, reply) => {
    if (path.endsWith("/models"))
      return respond(reply, 200, { body: '{"data":[{"id":"acme-tts"},{"id":"acme-stt"}]}' });
    if (path.endsWith("/transcriptions")) return respond(reply, 500, { body: '{"error":"no room"}' });
    stream(reply, [tone(0.5), tone(0.5)]);
  });
  harness = await openAccountsHarness({ plan: "unmetered" });
  const operator = await signUp(harness, "root@example.com");
  browser = await openBrowser();
  page = (await browser.visit(`${harness.url}/sign-in`)).page;
  await hold(page, operator.cookie());
  await page.goto(`${harness.url}/operator/upstreams`);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  far?.[Symbol.dispose]();
});

/** With SCREENSHOTS=folder, as the test of all pages saves them. */
async function keep(name: string): Promise<void> {
  const folder = Bun.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) as `${string}.png`, fullPage: true });
}

describe.skipIf(!chromium)(`the upstreams page${unlessBrowser}`, () => {
  test("adds a server by its address and kind, and explains one that does not answer", async () => {
    await sees(page, /None yet/);
    await press(page, /^Add an upstream$/);
    await fill(page, { name: "acme", preset: "openai", urls: "http://127.0.0.1:9", voices: "ada" });
    await sees(page, /Texts and recordings go to another company/);
    expect(await barriers(page)).toEqual([]);
    await keep("upstreams-add");
    await press(page, /^Add$/);
    await sees(page, /must name a server that answers as OpenAI does/);
    await fill(page, { urls: far.url });
    await press(page, /^Add$/);
    await sees(page, /Not used yet/);
    await sees(page, /acme-tts/);
  });

  test("tests each model, plays a sample, and shows the state of its servers", async () => {
    await press(page, /^Test acme$/);
    await sees(page, /1\.00 seconds spoken by ada/);
    await sees(page, /the server answered 500/);
    await press(page, /^Play a sample of acme-tts$/);
    await sees(page, /Spoken by ada, of acme-tts/);
    await sees(page, /First byte/);
    await sees(page, /\bUp\b/);
    expect(await barriers(page)).toEqual([]);
    await keep("upstreams");
  });

  test("removes it, and its models with it", async () => {
    await press(page, /^Remove acme$/);
    await press(page, /^Remove$/);
    await sees(page, /None yet/);
    expect(harness.parts.catalogue.find("acme-tts")).toBeNull();
  });
});
