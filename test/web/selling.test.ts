/** Promise: in a real browser, an operator who sells sends themselves a mail and opens a checkout, and reads why one fails. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openAccountsHarness, type Person, signUpByLink } from "../api/management/people.ts";
import { openPostbox, type Postbox } from "../api/management/smtp.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { openStripe, type StripeServer } from "../stripe/server.ts";
import { expectLooks } from "./looks.ts";
import { press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const ROOT = "root@example.com";
const webhookSecret = "whsec_of_the_tests";

let stripe: StripeServer;
let postbox: Postbox;
let harness: Harness;
let browser: OwnBrowser;
let root: Person;
beforeAll(async () => {
  if (!chromium) return;
  stripe = await openStripe({ webhookSecret });
  postbox = await openPostbox();
  harness = await openAccountsHarness({
    environment: {
      SMTP_URL: postbox.url,
      STRIPE_SECRET_KEY: stripe.key,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_URL: stripe.url,
    },
  });
  root = await signUpByLink(harness, { email: ROOT, name: "Root" }, () => postbox.link(ROOT));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  await postbox?.[Symbol.asyncDispose]();
  await stripe?.[Symbol.asyncDispose]();
});

test.skipIf(!chromium)(`mail and payments are tried where they are listed${unlessBrowser}`, async () => {
  const page = await browser.visitAs(root, `${harness.url}/operator/business`);
  await sees(page, /Ready to sell[\s\S]*done\s+Mail[\s\S]*missing\s+Public address with https/);
  await press(page, /^Test Mail$/);
  await sees(page, /Works The mail server took a message to root@example\.com/);
  const letter = await postbox.take(ROOT, "Loquat server works");
  expect(letter.text).toContain("You asked this server to send you a test message.");
  await press(page, /^Test Payments$/);
  await sees(page, /Works Stripe opened a checkout page for \$5\.00[\s\S]*Open the checkout page/);
  const [session] = stripe.all("checkout.session");
  const href = await page.$eval(".tested a", (link) => (link as unknown as { href: string }).href);
  expect(href).toBe((session as unknown as { url: string }).url);
  expect(await page.$("[aria-label='Test Public address with https']")).toBeNull();
  await expectLooks(page, "selling", { fullPage: true });
  await page.close();
});

test.skipIf(!chromium)(`why a test fails is told in the other side's words${unlessBrowser}`, async () => {
  await postbox[Symbol.asyncDispose]();
  const page = await browser.visitAs(root, `${harness.url}/orgs/${harness.organizationId}/overview`);
  await press(page, /^Test Mail$/);
  await sees(page, /Failed connect ECONNREFUSED/);
  await page.close();
});
