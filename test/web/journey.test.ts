/**
 * Promise: in a real browser, a new user signs up, verifies the address, creates a key, sees its requests, buys credit,
 * spends it, is recharged and is limited; invited members see what their roles allow.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, PASSWORD } from "../api/management/people.ts";
import { openPostbox, type Postbox } from "../api/management/smtp.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { errorOf, type Harness } from "../harness.ts";
import { openStripe, type StripeServer } from "../stripe/server.ts";
import { until } from "../until.ts";
import { arrives, fill, press, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

const SECRET = "whsec_ofTheJourney";

let stripe: StripeServer;
let postbox: Postbox;
let harness: Harness;
let browser: OwnBrowser;
let owner: { page: Page; complaints: string[] };
let organizationId = "";
let secret = "";

beforeAll(async () => {
  if (!chromium) return;
  stripe = await openStripe({ webhookSecret: SECRET });
  postbox = await openPostbox();
  harness = await openAccountsHarness({
    free: true,
    environment: {
      SMTP_URL: postbox.url,
      STRIPE_SECRET_KEY: stripe.key,
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_API_URL: stripe.url,
    },
  });
  stripe.deliverTo(`${harness.url}/api/billing/stripe-webhook`);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  await postbox?.[Symbol.asyncDispose]();
  await stripe?.[Symbol.asyncDispose]();
});

async function signUp(email: string, name: string, from = "/sign-up") {
  const seen = await browser.visit(harness.url + from);
  await fill(seen.page, { name, email, password: PASSWORD });
  await press(seen.page, /^Create account$/);
  await sees(seen.page, /Check your e-mail/);
  await seen.page.goto(String(await postbox.link(email)));
  await fill(seen.page, { password: PASSWORD });
  await press(seen.page, /^Verify and sign in$/);
  return seen;
}

const go = (page: Page, to: string) => page.goto(`${harness.url}/orgs/${organizationId}/${to}`);
const speak = (input = "Good morning.") =>
  fetch(`${harness.url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input }),
  });

/** Charges the balance down to this amount. */
async function spendAllBut(micros: number): Promise<void> {
  const { balanceMicros } = await harness.parts.ledger.credit(organizationId);
  const [project] = await harness.parts.accounts.listProjects(organizationId);
  await harness.parts.ledger.charge({
    id: `req_spent${balanceMicros}.0`,
    requestId: `req_spent${balanceMicros}`,
    organizationId,
    projectId: project!.id,
    keyId: "key_spent",
    environment: "live",
    plan: "prepaid",
    endpoint: "/v1/audio/speech",
    model: "svc-tts1",
    unit: "character",
    quantity: 1,
    priceMicros: 15_000_000,
    costMicros: balanceMicros - micros,
    createdAt: Math.floor(harness.clock.now() / 1000),
  });
}

const dollars = (amount: number) => amount * 1_000_000;
const balance = async () => (await harness.parts.ledger.credit(organizationId)).balanceMicros;

/** Waits for the balance to reach its target, plus up to a cent of overdraft. */
async function isRecharged(): Promise<void> {
  await until(async () => (await balance()) >= dollars(20));
  expect(await balance()).toBeLessThan(dollars(20.02));
}

describe.skipIf(!chromium)(`from nothing to a paid account${unlessBrowser}`, () => {
  test("signs up, verifies the address, and gets the starting credit", async () => {
    owner = await signUp("ada@example.com", "Ada");
    await arrives(owner.page, /\/orgs\/org_\w+\/overview/);
    organizationId = /org_\w+/.exec(String(await owner.page.evaluate("location.pathname")))![0];
    await sees(owner.page, /First steps/);
    await go(owner.page, "billing");
    await sees(owner.page, /\$5\.00/);
    expect(await balance()).toBe(dollars(5));
  });

  test("creates a key, whose secret is shown once", async () => {
    await go(owner.page, "keys");
    await press(owner.page, /^Create key$/);
    await fill(owner.page, { name: "ci" });
    await press(owner.page, /^Create key$/);
    await sees(owner.page, /is not shown again/);
    const dialog = String(await owner.page.evaluate("document.querySelector('dialog').innerText"));
    secret = /sk_(live|test)_\w{40}/.exec(dialog)![0];
    await press(owner.page, /I have copied the key/);
    await owner.page.reload();
    await sees(owner.page, /\bci\b/);
    expect(await owner.page.content()).not.toContain(secret);
  });

  test("calls the API, and sees the request and its cost", async () => {
    await go(owner.page, "requests?live=1");
    await sees(owner.page, /No requests yet|Newest first/);
    const response = await speak();
    expect(response.status).toBe(200);
    const id = response.headers.get("x-request-id")!;
    await response.arrayBuffer();
    await sees(owner.page, new RegExp(id));
    await owner.page.click(`a[title="${id}"]`);
    await sees(owner.page, /\$0\.000195[\s\S]*grant_/);
    await go(owner.page, "usage");
    await sees(owner.page, /< \$0\.01/);
  });

  test("buys $5 at the hosted checkout, and moves to the paid tier", async () => {
    await go(owner.page, "billing");
    await fill(owner.page, { amount_micros: "5" });
    await press(owner.page, /^Go to checkout$/);
    await owner.page.waitForSelector("#pay");
    await owner.page.click("#pay");
    await arrives(owner.page, /\/billing$/);
    await sees(owner.page, /\$5\.00 bought/);
    await sees(owner.page, /Paid/);
    expect(await balance()).toBe(dollars(10) - 195);
  });

  test("spends all credit: the banner warns, and requests get a 402", async () => {
    await spendAllBut(100);
    expect((await speak()).status).toBe(200); // requests start while any credit is left
    expect(await errorOf(await speak())).toMatchObject({ status: 402, code: "insufficient_credits" });
    await sees(owner.page, /Out of credits/);
  });

  test("saves a card, switches auto-recharge on, and is charged automatically", async () => {
    await press(owner.page, /^Save a card$/);
    await owner.page.waitForSelector("#pay");
    await owner.page.click("#pay");
    await arrives(owner.page, /\/billing$/);
    await sees(owner.page, /ending in 4242/);
    await tick(owner.page, "enabled");
    await fill(owner.page, { threshold_micros: "5", target_micros: "20" });
    await press(owner.page, /^Save auto-recharge$/);
    await isRecharged();
    expect((await speak()).status).toBe(200);
    await owner.page.waitForFunction("!/Out of credits/.test(document.body.innerText)");
    await spendAllBut(dollars(1));
    harness.parts.billing.charged(organizationId);
    await isRecharged();
    await sees(owner.page, /Balance\s+\$20/);
  });

  test("limits monthly spending, and requests get a 402 with credit left", async () => {
    await press(owner.page, /^Edit spending limit$/);
    await fill(owner.page, { monthly_spending_limit_micros: "1" });
    await press(owner.page, /^Save limit$/);
    await sees(owner.page, /spending limit reached/);
    expect(await errorOf(await speak())).toMatchObject({ status: 402, code: "spending_limit_reached" });
    await tick(owner.page, "limited");
    await press(owner.page, /^Save limit$/);
    await sees(owner.page, /No limit: requests are served/);
    expect((await speak()).status).toBe(200);
  });

  test.each([
    ["Grace", "admin", "grace@example.com"],
    ["Linus", "member", "linus@example.com"],
  ])("%s is invited as %s, and sees what the role allows", async (name, role, email) => {
    await go(owner.page, "members");
    await press(owner.page, /^Invite member$/);
    await fill(owner.page, { email, role });
    await owner.page.click("dialog[open] button[type=submit]");
    await sees(owner.page, new RegExp(`${email} is invited`));
    const invitation = await postbox.link(email);
    const { page, complaints } = await signUp(email, name);
    await arrives(page, /\/invitation/);
    expect(await page.evaluate("location.search")).toBe(invitation.search);
    await press(page, /^Join /);
    await arrives(page, role === "member" ? /\/voices/ : /\/overview/);
    await go(page, "billing");
    if (role === "admin") {
      await sees(page, /Only owners can change it/);
      expect(await page.$("[name=amount_micros]")).toBeNull();
    } else await sees(page, /Only owners and admins of the organization can view billing/);
    const refused = await page.evaluate(`fetch("/api/organizations/${organizationId}/billing/top-ups", {
      method: "POST", headers: { "content-type": "application/json" }, body: '{"amount_micros":5000000}' }).then((r) => r.status)`);
    expect(refused).toBe(403);
    expect(complaints.filter((each) => !/403/.test(each))).toEqual([]);
    await page.close();
  });

  test("no page logged an error or called another host but the payment page", () => {
    expect(owner.complaints.filter((each) => !each.includes(stripe.url))).toEqual([]);
  });
});
