/**
 * Promise: in a real browser, an unmetered organization sees its usage and nothing about credit; a prepaid one without
 * credit is shown how to get some on this server, which the operator can follow to its end.
 */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import type { Plan } from "../../src/plans.ts";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { arrives, fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const MONTH_MS = 31 * 86_400_000;

let harness: Harness;
let browser: OwnBrowser;
let operator: Person;
let page: Page;

/** A server that was started 31 days ago. */
async function open(plan: Plan): Promise<void> {
  harness = await openAccountsHarness({ plan, free: true, startMs: Date.now() - MONTH_MS });
  harness.clock.pass(MONTH_MS);
  operator = await signUp(harness, "operator@example.com");
  browser = await openBrowser();
  page = await visitor(operator);
}
afterEach(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

async function visitor(person: Person): Promise<Page> {
  const visit = await browser.visit(`${harness.url}/sign-in`);
  await hold(visit.page, person.cookie());
  return visit.page;
}

const at = (path: string, id = harness.organizationId) => page.goto(`${harness.url}/orgs/${id}/${path}`);
const text = async (of = page) => String(await of.evaluate("document.body.innerText"));
const speak = () =>
  harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Good morning." }),
  });
/** For a look at the page: `SHOTS=folder bun test test/web/plans.test.ts`. */
const shoot = async (name: string) => {
  if (Bun.env.SHOTS) await page.screenshot({ path: `${Bun.env.SHOTS}/${name}.png`, fullPage: true });
};

describe.skipIf(!chromium)(`plans in the dashboard${unlessBrowser}`, () => {
  test("an unmetered organization is shown usage without prices, and nothing about credit", async () => {
    await open("unmetered");
    expect((await speak()).status).toBe(200);
    await at("overview");
    await sees(page, /Characters spoken/);
    expect(await text()).not.toMatch(/Billing|Balance|credit|list price/i);
    expect(await barriers(page)).toEqual([]);
    await shoot("unmetered-overview");
    await at("limits");
    await sees(page, /These are the limits of this machine/);
    expect(await text()).not.toMatch(/Buy credit|tier|spending limit/i);
    await shoot("unmetered-limits");
    await at("billing");
    await sees(page, /This organization needs no credit/);
    expect(await text()).not.toMatch(/Balance|Overdraft|Grants|Top up|Out of credits/);
    expect(await barriers(page)).toEqual([]);
    await shoot("unmetered-billing");
  });

  test("an organization that the operator creates begins without a warning, another user's with how to get credit", async () => {
    await open("unmetered");
    const made = await operator.json<{ id: string; plan: Plan }>("/api/organizations", { name: "Second" });
    expect(made.plan).toBe("unmetered");
    await at("overview", made.id);
    await sees(page, /First steps/);
    expect(await text()).not.toMatch(/Out of credits/);
    const other = await signUp(harness, "other@example.com");
    const { id, plan } = await other.json<{ id: string; plan: Plan }>("/api/organizations", { name: "B" });
    expect(plan).toBe("prepaid");
    const theirs = await visitor(other);
    await theirs.goto(`${harness.url}/orgs/${id}/overview`);
    await sees(
      theirs,
      /Out of credits\. Requests are rejected until credit is added\. Ask this server's operator/,
    );
    await theirs.goto(`${harness.url}/orgs/${id}/limits`);
    await sees(theirs, /The server's operator can raise each limit/);
    expect(await text(theirs)).not.toMatch(/Buy credit|The Paid tier allows/);
  });

  test("the operator is led from the warning to switching metering off, and requests are served again", async () => {
    await open("prepaid");
    expect((await speak()).status).toBe(402);
    await at("billing");
    await sees(
      page,
      /This server does not accept payments\. As the operator, you can grant credit or switch/,
    );
    await sees(page, /\$5\.00 expired/);
    expect(await page.$$eval("tbody progress", (bars) => bars.length)).toBe(0); // nothing is left to spend
    await sees(page, /Out of credits/);
    expect((await text()).match(/grant credit or switch metering off/g)).toHaveLength(1);
    await shoot("prepaid-billing");
    await at("overview");
    await sees(page, /Out of credits/);
    await shoot("prepaid-overview");
    await press(page, /^grant credit or switch metering off$/);
    await arrives(page, /^\/operator\/organizations$/);
    await press(page, /^Plan of Default$/);
    await shoot("plan-dialog");
    await fill(page, { plan: "unmetered" });
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Save plan$/);
    await page.waitForFunction(
      "!document.querySelector('dialog[open]') && /Unmetered/.test(document.body.innerText)",
    );
    await shoot("organizations");
    await at("overview");
    await sees(page, /Characters spoken/);
    expect(await text()).not.toMatch(/Out of credits/);
    harness.clock.pass(1001);
    expect((await speak()).status).toBe(200);
    expect(harness.logged).toContainEqual(
      expect.objectContaining({
        event: "plan_changed",
        organizationId: harness.organizationId,
        plan: "unmetered",
        by: operator.userId,
      }),
    );
  });

  test("the operator takes credit back with a reason, which the organization reads", async () => {
    await open("prepaid");
    const grant = { id: "grant_wrong", organizationId: harness.organizationId, amountMicros: 20_000_000 };
    const createdAt = Math.floor(harness.clock.now() / 1000);
    await harness.parts.ledger.grant({
      ...grant,
      ...{ kind: "adjustment", createdAt, expiresAt: null, topUpId: null, reason: "Welcome" },
    });
    await page.goto(`${harness.url}/operator/organizations/${harness.organizationId}`);
    await press(page, /^Take back$/);
    await fill(page, { amount_micros: "12", reason: "Granted twice" });
    await shoot("take-back-dialog");
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Take back$/);
    await sees(page, /\$12\.00 taken back by the operator: Granted twice/);
    await at("billing");
    await sees(page, /Welcome\s+\$12\.00 taken back by the operator: Granted twice/);
    expect(await barriers(page)).toEqual([]);
    await shoot("billing-taken-back");
    expect(await harness.parts.ledger.credit(harness.organizationId)).toMatchObject({
      balanceMicros: 8_000_000,
    });
  });
});
