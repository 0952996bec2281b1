/**
 * Promise: in a real browser, an operator sees what an organization was refused, and its most requests at once. With
 * SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, setDefaultTimeout, test } from "bun:test";
import { newId } from "../../src/ids.ts";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { expectLooks } from "./looks.ts";
import { sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let browser: OwnBrowser;
beforeAll(async () => {
  if (chromium) browser = await openBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

describe.skipIf(!chromium)(`the load of an organization${unlessBrowser}`, () => {
  test("what an organization was refused, and its most requests at once, are drawn on its page", async () => {
    await using harness = await openAccountsHarness({});
    const root = await signUp(harness, "root@example.com");
    const { query, tables } = harness.parts.database;
    const { id: organizationId } = await harness.parts.accounts.createOrganization("Pressing");
    const createdAt = Math.floor(harness.clock.now() / 1000);
    const row = {
      ...{ organizationId, createdAt, durationMs: 5, endpoint: "/v1/audio/speech", method: "POST" },
      ...{ projectId: "proj_1", keyId: "key_1", environment: "live" as const, stream: false, costMicros: 0 },
    };
    const refusals = { rate_limit_exceeded: 429, insufficient_credits: 402, model_not_allowed: 403 };
    await query.insert(tables.requestLog).values([
      ...[1, 2].map(() => ({ ...row, id: newId("req", harness.clock), status: 200, durationMs: 60_000 })),
      ...Object.entries(refusals).map(([errorCode, status]) => ({
        ...{ ...row, id: newId("req", harness.clock), status, errorCode },
      })),
    ]);
    const page = await browser.visitAs(root, `${harness.url}/operator/organizations/${organizationId}`);
    await sees(page, /Refusals and concurrency[\s\S]*429\s+rate_limit_exceeded\s+1/);
    for (const [label, told] of [
      ["Refused requests by day", /: 3, 429: too many 1/],
      ["Most requests at once by day", /: 2/],
    ] as const) {
      await page.waitForSelector(`[aria-label^="${label}"] canvas`);
      await page.focus(`[aria-label^="${label}"]`);
      await page.keyboard.press("ArrowLeft");
      await sees(page, told);
    }
    await expectLooks(page, "tenant-load", { fullPage: true });
    await page.close();
  });
});
