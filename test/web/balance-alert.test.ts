/**
 * Promise: in a real browser, owners choose the balance below which they are told, beside auto-recharge or without payments, and admins
 * see it. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { invite, openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { openStripe, type StripeServer } from "../stripe/server.ts";
import { keepLooks } from "./looks.ts";
import { fill, lacks, press, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

const WIDE = { width: 1280, height: 1000 };

let stripe: StripeServer;
let browser: OwnBrowser;
beforeAll(async () => {
  if (!chromium) return;
  stripe = await openStripe({ webhookSecret: "whsec_ofTheAlert" });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await stripe?.[Symbol.asyncDispose]();
});

const billingAs = (harness: Harness, person: Person) =>
  browser.visitAs(person, `${harness.url}/orgs/${harness.organizationId}/billing`, WIDE);

const thresholdOf = async ({ parts, organizationId }: Harness) =>
  (await parts.ledger.credit(organizationId)).balanceAlertMicros;

const PAYMENTS = () => ({
  STRIPE_SECRET_KEY: stripe.key,
  STRIPE_WEBHOOK_SECRET: "whsec_ofTheAlert",
  STRIPE_API_URL: stripe.url,
});

describe.skipIf(!chromium)(`the balance alert${unlessBrowser}`, () => {
  test.each(["with", "without"])("is chosen %s payments, and switched off", async (payments) => {
    await using harness = await openAccountsHarness(payments === "with" ? { environment: PAYMENTS() } : {});
    const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
    const page = await billingAs(harness, owner);
    await sees(page, /Off: owners are not told of a low balance/);
    if (payments === "with") await sees(page, /Auto-recharge[\s\S]*Balance alert/);
    await press(page, /^Edit balance alert$/);
    await tick(page, "alerted");
    await fill(page, { balance_alert_micros: "0.001" });
    await press(page, /^Save balance alert$/);
    await sees(page, /Enter at least \$0\.01/);
    await fill(page, { balance_alert_micros: "12.50" });
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Save balance alert$/);
    await sees(page, /Owners get a mail once the balance falls below \$12\.50/);
    expect(await thresholdOf(harness)).toBe(12_500_000);
    await keepLooks(page, `balance-alert-${payments}`, { fullPage: true });
    await tick(page, "alerted");
    await press(page, /^Save balance alert$/);
    await sees(page, /Off: owners are not told of a low balance/);
    expect(await thresholdOf(harness)).toBeNull();
    await page.close();
  });

  test("is seen by admins, who do not change it", async () => {
    await using harness = await openAccountsHarness({ free: true });
    const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
    const admin = await signUp(harness, "bob@example.com", { name: "Bob" });
    await invite(owner, admin, { organizationId: harness.organizationId, role: "admin" });
    await harness.parts.ledger.setBalanceAlert(harness.organizationId, 10_000_000);
    const page = await billingAs(harness, admin);
    await sees(page, /falls below \$10\.00[\s\S]*below it now\s+Only owners can change it/);
    await lacks(page, /Edit balance alert/);
    await page.close();
  });
});
