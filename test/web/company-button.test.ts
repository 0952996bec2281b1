/** Promise: in a real browser, the button of a sign-in provider leads there and back to the page that was asked for. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { forgetAttempts, openAccountsHarness } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { type RealProvider, startRealProvider } from "../identity/company/real-provider.ts";
import { arrives, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let provider: RealProvider;
let harness: Harness;
let browser: OwnBrowser;
beforeAll(async () => {
  if (!chromium) return;
  provider = await startRealProvider();
  harness = await openAccountsHarness({
    environment: {
      LOQUAT_OIDC_ISSUER: provider.issuer,
      LOQUAT_OIDC_CLIENT_ID: "loquat",
      LOQUAT_OIDC_CLIENT_SECRET: "a secret of the client",
      LOQUAT_OIDC_NAME: "Example Ltd",
      LOQUAT_PASSWORD_SIGN_IN: "operators",
    },
  });
  provider.people.set("ada", { email: "ada@example.com", email_verified: true, name: "Ada" });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  if (chromium) await forgetAttempts(harness);
});

async function pageAt(path: string) {
  const page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  await page.goto(harness.url + path);
  return page;
}

describe.skipIf(!chromium)(`the button of a provider${unlessBrowser}`, () => {
  test("says why nothing happens while the provider is away", async () => {
    const page = await pageAt("/sign-in");
    await press(page, /^Continue with Example Ltd$/);
    await sees(page, /The sign-in provider cannot be reached/);
    expect(await barriers(page)).toEqual([]);
    await page.close();
  });

  test("signs in, and returns to the page that was asked for", async () => {
    provider.open(harness.url);
    provider.who = "ada";
    const page = await pageAt("/account");
    await arrives(page, /^\/sign-in$/);
    await press(page, /^Continue with Example Ltd$/);
    await sees(page, /Profile[\s\S]*ada@example\.com/);
    expect(new URL(page.url()).pathname).toBe("/account");
    const text = String(await page.evaluate("document.body.innerText"));
    expect(text).not.toContain("Change password"); // there is none
    expect(text).not.toContain("Second factor"); // it is the provider's
    await page.close();
  });

  test("tells who was refused at the provider so", async () => {
    provider.who = null;
    const page = await pageAt("/sign-in");
    await press(page, /^Continue with Example Ltd$/);
    await sees(page, /You did not sign in\. Try again/);
    await page.close();
  });
});
