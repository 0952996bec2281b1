/**
 * Promise: in a real browser, the printed link leads to a first spoken sentence in four clicks, and the Connect page to the
 * first call of an application, which is announced once it succeeds.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, PASSWORD } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { freePort } from "../free-port.ts";
import type { Harness } from "../harness.ts";
import { arrives, fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const PICTURES = process.env.LOQUAT_PICTURES;

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let complaints: string[];
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

/** Kept where the environment asks for pictures. */
async function looked(name: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  expect(await barriers(page)).toEqual([]);
}

describe.skipIf(!chromium)(`a new server${unlessBrowser}`, () => {
  test("leads its first visitor to the set-up link", async () => {
    ({ page, complaints } = await browser.visit(harness.url));
    await page.setBypassCSP(true); // for axe-core alone
    await page.reload();
    await sees(page, /This server is not set up[\s\S]*loquat admin link/);
    await looked("without-link");
  });

  test("takes a pasted link, and its code alone", async () => {
    for (const start of [`${harness.url}/setup#token=`, ""]) {
      const code = await harness.parts.accounts.newSetUpSecret();
      await fill(page, { link: `${start}${code}` });
      await press(page, /^Continue$/);
      await sees(page, /This account operates the server/);
      await page.reload();
    }
  });

  test("speaks a first sentence four clicks after its link, opened in the same tab", async () => {
    await page.goto(`${harness.url}/setup#token=${await harness.parts.accounts.newSetUpSecret()}`);
    await sees(page, /Set up this server/);
    await looked("account");
    await fill(page, { name: "Ada", email: "ada@example.com", password: PASSWORD });
    await press(page, /^Create account$/);
    await sees(page, /What is this server for\?/);
    await looked("purpose");
    expect(await page.$$eval(".purposes .icon", (all) => all.length)).toBe(3);
    await press(page, /^For a team/);
    await sees(page, /Listen to the voices[\s\S]*English/);
    await sees(page, /Natural voices and better recognition/); // comes after the title
    await looked("voices");
    expect(await page.$$eval(".button.primary", (all) => all.length)).toBe(1);
    expect(await page.$$eval(".set-up-voices li", (all) => all.length)).toBe(6);
    expect(await page.$eval(".set-up-voices li", (each) => each.textContent)).toMatch(/English/);
    await press(page, /^Show all \d\d$/);
    await page.waitForFunction("document.querySelectorAll('.set-up-voices li').length > 10");
    await press(page, /^Previous$/);
    await sees(page, /What is this server for\?/);
    await press(page, /^For a team/);
    await sees(page, /Listen to the voices[\s\S]*English/);
    const spoken = page.waitForResponse((response) => response.url().endsWith("/v1/audio/speech"));
    const plays = page.waitForSelector("button[aria-label^='Stop the sample of']:not([aria-busy=true])");
    await (await page.waitForSelector("button[aria-label^='Play a sample of']"))!.click();
    expect((await spoken).status()).toBe(200);
    await plays; // awaited since before the click: a sample ends within a second
    await press(page, /^Continue$/);
    await sees(page, /Your server is ready/);
    await press(page, /^Voices$/); // back, and on again
    await sees(page, /Listen to the voices/);
    await press(page, /^Continue$/);
    await sees(page, /Your server is ready/);
    await press(page, /^Play it$/);
    await sees(page, /Spoken by Ada\./);
    await looked("done");
    const organization = await harness.parts.accounts.organization(harness.organizationId);
    expect(organization?.plan).toBe("unmetered");
    expect(await harness.parts.accounts.signUpPolicy(null)).toBe("invited");
    expect(complaints).toEqual([]);
  });

  test("connects an application: a refused call says why, a successful one turns the light green", async () => {
    await press(page, /^Connect an application$/);
    await arrives(page, /\/connect$/);
    await press(page, /^Home Assistant$/);
    await sees(page, /Create a key above: then its port can be opened here/);
    await press(page, /^curl$/);
    await looked("connect");
    await press(page, /^Create a key$/);
    await sees(page, /Waiting for the first call/);
    const text = String(await page.evaluate("document.body.innerText"));
    const secret = /sk_live_\w{40}/.exec(text)![0];
    const speak = (voice: string) =>
      fetch(`${harness.url}/v1/audio/speech`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "svc-tts1", voice, input: "Hi." }),
      });
    expect((await speak("nobody")).status).toBe(404);
    await sees(page, /A call arrived and was refused \(invalid_voice\)/);
    await looked("refused");
    expect((await speak("male-deep")).status).toBe(200);
    await sees(page, /Connected\. A call with this key succeeded/);
    await looked("connected");
    for (const name of [
      "Open WebUI",
      "Home Assistant",
      "SillyTavern",
      "LiveKit",
      "Pipecat",
      "AI SDK",
      "n8n",
      "Python",
    ]) {
      await press(page, new RegExp(`^${name}$`));
      await looked(`connect-${name.toLowerCase().replace(" ", "-")}`);
    }
    expect(complaints).toEqual([]);
  });

  test("opens the port of Wyoming for Home Assistant, and closes it", async () => {
    await press(page, /^Home Assistant$/);
    await press(page, /^Create a key$/);
    await sees(page, /Waiting for the first call/);
    await fill(page, { port: String(freePort()) });
    await press(page, /^Open the port$/);
    await sees(page, /Port \d+ is open for Assist[\s\S]*Add integration, Wyoming Protocol/);
    const { port } = harness.parts.wyoming.current()!;
    await sees(page, new RegExp(`Port\\s+${port}`));
    await looked("wyoming-open");
    await press(page, /^Close the port$/);
    await sees(page, /Assist over the Wyoming protocol/);
    expect(harness.parts.wyoming.current()).toBeNull();
    expect(complaints).toEqual([]);
  });

  test("names the addresses that other devices use, and gives a key what its application needs", async () => {
    const elsewhere = "https://192.168.7.7:8443";
    harness.parts.address.listensAt(harness.url, elsewhere);
    const connect = `/orgs/${harness.organizationId}/connect`;
    await page.goto(`${harness.url}${connect}`);
    await press(page, /^SillyTavern$/);
    await sees(page, /open this page under another address:[\s\S]*warn once of a certificate/);
    const links = "[...document.querySelectorAll('.reach a')].map(({ href }) => href)";
    expect(await page.evaluate(links)).toEqual([`${elsewhere}${connect}?client=sillytavern`]);
    await looked("connect-addresses");
    await page.reload();
    await sees(page, /Extensions, TTS, provider OpenAI Compatible/);
    await press(page, /^Create a key$/);
    await sees(page, /Key for SillyTavern/);
    const path = `/api/organizations/${harness.organizationId}/keys`;
    const listed = await page.evaluate(`fetch("${path}").then((response) => response.json())`);
    const made = (listed as { data: { name: string; scopes: string[] }[] }).data.find(
      ({ name }) => name === "SillyTavern",
    );
    expect(made?.scopes).toEqual(["speech:create", "catalog:read"]);
    harness.parts.address.listensAt(harness.url);
  });
});
