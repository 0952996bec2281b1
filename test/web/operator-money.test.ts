/**
 * Promise: in a real browser, an operator sets what an organization pays, its members read it, and the month's accounts and the
 * business of the server are shown.
 * With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { monthStart } from "../../src/web/usage/date-range.ts";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { expectLooks, keepLooks } from "./looks.ts";
import { fill, press, savedBy, sees } from "./page-actions.ts";

const DAY = 86_400;

setDefaultTimeout(120_000);

let browser: OwnBrowser;
let harness: Harness;
let root: Person;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness({});
  root = await signUp(harness, "root@example.com");
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const visit = (path: string) => browser.visitAs(root, harness.url + path, { width: 1280, height: 1000 });

describe.skipIf(!chromium)(`what organizations pay${unlessBrowser}`, () => {
  test("a price factor is set on the organization's page, and shown with the charged prices", async () => {
    const page = await visit(`/operator/organizations/${harness.organizationId}`);
    await sees(page, /Prices\s+List prices\./);
    await press(page, /^Prices$/);
    await fill(page, { price_factor: "0.5" });
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Save prices$/);
    await sees(page, /List prices × 0\.5\./);
    expect((await harness.parts.accounts.organization(harness.organizationId))!.priceFactor).toBe(5000);
    await page.close();
    const billing = await visit(`/orgs/${harness.organizationId}/billing`);
    await sees(billing, /Prices/);
    await billing.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    await sees(billing, /List prices × 0\.5\. The table shows what you pay now\.[\s\S]*\$7\.50 per million/);
    expect(await barriers(billing)).toEqual([]);
    await billing.close();
  });

  test("the spending of a month is a line beside the last month's, with what it comes to", async () => {
    const { query, tables } = harness.parts.database;
    const today = Math.floor(harness.clock.now() / 1000 / DAY) * DAY;
    const [lastMonth, thisMonth] = [-1, 0].map((months) => monthStart(today, months)) as [number, number];
    const row = {
      ...{ organizationId: harness.organizationId, period: "day" as const, projectId: "proj_1" },
      ...{ keyId: "key_1", environment: "live" as const, model: "m", endpoint: "/v1/audio/speech" },
      ...{ requests: 1, errors: 0, characters: 1, audioSeconds: 0 },
    };
    const days = Array.from({ length: (today - lastMonth) / DAY + 1 }, (_, day) => lastMonth + day * DAY);
    await query
      .insert(tables.usageTotal)
      .values(
        days.map((start) => ({ ...row, start, costMicros: start < thisMonth ? 1_000_000 : 2_000_000 })),
      );
    const limit = `/api/organizations/${harness.organizationId}/billing/spending-limit`;
    await root.json(limit, { monthly_spending_limit_micros: 65_000_000 }, { method: "PUT" });
    const page = await visit(`/orgs/${harness.organizationId}/billing`);
    await page.waitForSelector("svg.month[role=img]");
    const spent = 2 * (1 + (today - thisMonth) / DAY);
    await sees(page, new RegExp(`Spending this month[\\s\\S]*So far\\s+\\$${spent}\\.00`));
    await sees(page, new RegExp(`Last month\\s+\\$${(thisMonth - lastMonth) / DAY}\\.00`));
    expect(await barriers(page)).toEqual([]);
    await keepLooks(page, "month", { fullPage: true });
    await page.close();
  });

  test("the accounts of a month are listed with their totals, from the page of organizations", async () => {
    const { accounts, ledger } = harness.parts;
    const { id: organizationId } = await accounts.createOrganization("Booked");
    const createdAt = Math.floor(harness.clock.now() / 1000);
    await ledger.grant({
      ...{ id: "grant_booked", organizationId, kind: "purchase", amountMicros: 12_340_000 },
      ...{ createdAt, expiresAt: null, topUpId: null },
    });
    const page = await visit("/operator/organizations");
    await press(page, /^Monthly accounts$/);
    await sees(page, /Booked\s+\$0\.00\s+\$12\.34[\s\S]*All[\s\S]*\$12\.34 of bought credit is left/);
    expect(await barriers(page)).toEqual([]);
    await keepLooks(page, "monthly-accounts", { fullPage: true });
    await page.close();
    const earlier = await visit("/operator/accounts?month=2000-01");
    await sees(earlier, /Closing\s+Default\s+\$1,000,000\.00/); // and no other
    await earlier.close();
  });

  test("the business of twelve months is charted and listed, with a file, from the page of organizations", async () => {
    const { accounts, ledger, database } = harness.parts;
    const { id: organizationId } = await accounts.createOrganization("Grown");
    const today = Math.floor(harness.clock.now() / 1000 / DAY) * DAY;
    const starts = Array.from({ length: 12 }, (_, ago) => monthStart(today, -ago));
    const row = {
      ...{ organizationId, period: "day" as const, projectId: "proj_g", keyId: "key_g" },
      ...{ environment: "live" as const, model: "m", endpoint: "/v1/audio/speech" },
      ...{ requests: 1, errors: 0, characters: 1, audioSeconds: 0 },
    };
    await database.query.insert(database.tables.usageTotal).values(
      starts.map((start, ago) => ({ ...row, start, costMicros: (12 - ago) * 100_000_000 })), // 1,200 after 1,100
    );
    for (const [ago, createdAt] of starts.entries())
      await ledger.grant({
        ...{
          id: `grant_month_${ago}`,
          organizationId,
          kind: "purchase",
          amountMicros: (15 - ago) * 100_000_000,
        },
        ...{ createdAt, expiresAt: null, topUpId: null },
      });
    const page = await visit("/operator/organizations");
    await press(page, /^Business$/);
    await page.waitForSelector("svg, canvas");
    await sees(page, /Most use in[\s\S]*Grown\s+\$1,200\.00\s+\$1,200\.00\s+\$1,100\.00\s+\+9\.1%/);
    await sees(page, /Load in[\s\S]*Characters spoken[\s\S]*Requests[\s\S]*New in[\s\S]*Grown/);
    await page.waitForSelector("[aria-label^='Characters spoken by day'] canvas");
    const text = String(await page.evaluate("document.body.innerText"));
    expect(text).toMatch(/Income[\s\S]*Cost of requests/);
    const [names, ...lines] = String(await savedBy(page, /^Export CSV$/))
      .trimEnd()
      .split("\r\n");
    expect(names).toMatch(/^"month","income_micros","bought_micros",.*"cost_micros","new_organizations"$/);
    expect(lines[11]).toMatch(/^"\d{4}-\d\d",[1-9]\d*,/);
    await expectLooks(page, "business", { fullPage: true });
    await page.close();
    const earlier = await visit("/operator/business?month=2001-02");
    await sees(earlier, /No organization used anything in this month\./);
    await earlier.close();
  });

  test("the bar of a month with more refunds than payments goes down, and its figure is told", async () => {
    const { accounts, ledger } = harness.parts;
    const { id: organizationId } = await accounts.createOrganization("Refunded");
    const booked = { organizationId, amountMicros: 40_000_000 };
    const [june, july] = [5, 6].map((month) => Date.UTC(2003, month, 10) / 1000) as [number, number];
    await ledger.grant({
      ...{
        ...booked,
        id: "grant_returned",
        kind: "purchase",
        createdAt: june,
        expiresAt: null,
        topUpId: null,
      },
    });
    await ledger.reverse({
      ...{ ...booked, id: "rev_returned", kind: "refund", grantId: "grant_returned", createdAt: july },
    });
    const page = await visit("/operator/business?month=2003-07");
    await sees(page, /2003-07[\s\S]*-\$40\.00[\s\S]*2003-06\s+\$40\.00/);
    await page.waitForSelector("[aria-label^='Income by month'] canvas");
    const down = `(() => {
      const canvas = document.querySelector("[aria-label^='Income by month'] canvas");
      const { width, height } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
      const isColoured = (x, y) => {
        const [red, green, blue, alpha] = data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4);
        return alpha === 255 && Math.max(red, green, blue) - Math.min(red, green, blue) > 40;
      };
      const rowsAt = (x) => Array.from({ length: height }, (_, y) => y).filter((y) => isColoured(x, y));
      const bars = []; // the last one first, each by its rows
      for (let x = width - 1, isBar = false; x >= 0; x--) {
        const rows = rowsAt(x);
        if (rows.length > 0 && !isBar) bars.push(rows);
        if (rows.length > bars.at(-1)?.length) bars[bars.length - 1] = rows;
        isBar = rows.length > 0;
      }
      const [july, june] = bars;
      return { isDown: bars.length === 2 && july.length > 10 && july[0] >= june.at(-1), bars: bars.map((rows) => [rows[0], rows.at(-1)]) };
    })()`;
    await page.waitForFunction(`(${down}).isDown`, { timeout: 10_000 }).catch(async () => {
      expect(await page.evaluate(down)).toMatchObject({ isDown: true });
    });
    await page.focus("[aria-label^='Income by month']");
    await page.keyboard.press("ArrowLeft");
    await sees(page, /July 2003[\s\S]*-\$40\.00/);
    await expectLooks(page, "business-refunds", { fullPage: true });
    await page.close();
  });
});
