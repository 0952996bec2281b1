/**
 * Promise: in a real browser, an organization sees how close the last 24 hours came to each of its limits, and what was refused
 * for one. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { expectLooks } from "./looks.ts";
import { press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let browser: OwnBrowser;
beforeAll(async () => {
  if (chromium) browser = await openBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

const HOURS = 23;

describe.skipIf(!chromium)(`the last 24 hours of limits${unlessBrowser}`, () => {
  test("each limit is a line over what was used of it, and a bar of refusals opens their requests", async () => {
    await using harness = await openAccountsHarness({ free: true });
    const owner = await signUp(harness, "owner@example.com");
    const { organizations } = await owner.json<{ organizations: { id: string }[] }>("/api/session");
    const organizationId = organizations[0]!.id;
    const { query, tables } = harness.parts.database;
    const now = Math.floor(harness.clock.now() / 1000);
    const row = {
      ...{ organizationId, durationMs: 60_000, endpoint: "/v1/audio/speech", method: "POST" },
      ...{ projectId: "proj_1", keyId: "key_1", environment: "live" as const, stream: false, costMicros: 0 },
    };
    const rows = Array.from({ length: HOURS }, (_, hour) => hour).flatMap((hour) =>
      Array.from({ length: 1 + (hour % 7) * 3 }, (_, each) => {
        const createdAt = now - hour * 3600;
        const id = `req_${(createdAt * 1000).toString(36).padStart(9, "0")}${String(each).padStart(15, "0")}`;
        if (each > 14) return { ...row, id, createdAt, status: 429, errorCode: "rate_limit_exceeded" };
        if (each % 3 === 2) return { ...row, id, createdAt, status: 200, audioSeconds: 400 };
        return { ...row, id, createdAt, status: 200, characters: 900 };
      }),
    );
    await query.insert(tables.requestLog).values(rows);
    const page = await browser.visitAs(owner, `${harness.url}/orgs/${organizationId}/limits`);
    await sees(page, /Last 24 hours[\s\S]*Requests per minute\s+at most 15 of 20/);
    await sees(page, /Concurrent requests\s+at most 15 of 2\s/);
    await sees(page, /Characters synthesized per minute\s+at most 9,000 of 25,000/);
    await sees(page, /Audio transcribed per minute\s+at most 16.7 min of 30 min/);
    await sees(page, /Refused because of a limit\s+15\s/);
    await page.waitForSelector('[aria-label^="Requests per minute, limit: 20, last 24 hours"] canvas');
    await page.focus('[aria-label^="Requests per minute"]');
    await page.keyboard.press("End");
    await sees(page, /\d\d:\d\d to \d\d:\d\d: Requests per minute 1\s/);
    await expectLooks(page, "limits", { fullPage: true });
    await press(page, /^Requests refused with status 429$/);
    await page.waitForFunction("/429/.test(document.querySelector('tbody')?.innerText)");
    expect(new URL(page.url()).search).toBe("?status=429");
    await page.close();
  });

  test("a day without requests says that nothing was refused", async () => {
    await using harness = await openAccountsHarness({ free: true });
    const owner = await signUp(harness, "owner@example.com");
    const { organizations } = await owner.json<{ organizations: { id: string }[] }>("/api/session");
    const page = await browser.visitAs(owner, `${harness.url}/orgs/${organizations[0]!.id}/limits`);
    await sees(
      page,
      /Requests per minute\s+at most 0 of 20[\s\S]*No request was refused because of a limit\./,
    );
    await page.close();
  });
});
