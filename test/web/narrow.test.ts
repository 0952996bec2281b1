/** Promise: in a real browser, what stands beside a long name keeps its words whole on a phone, and six totals stand in even rows. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";

setDefaultTimeout(120_000);

let browser: OwnBrowser;
beforeAll(async () => {
  if (chromium) browser = await openBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

describe.skipIf(!chromium)(`narrow pages${unlessBrowser}`, () => {
  test("facts keep room beside long names, and six totals are two rows of three", async () => {
    await using harness = await openAccountsHarness({ free: true });
    const root = await signUp(harness, "root@example.com");
    const { organizations } = await root.json<{ organizations: { id: string }[] }>("/api/session");
    const page = await browser.visitAs(root, `${harness.url}/operator/status`);
    await page.waitForSelector(".facts dt");
    await page.setViewport({ width: 360, height: 800 });
    const room = await page.evaluate(`(() => {
      const facts = document.querySelector(".facts");
      facts.querySelector("dt").textContent = "At the pace of the last 7 days, with a line before it";
      return facts.querySelector("dd").clientWidth / facts.clientWidth;
    })()`);
    expect(Number(room)).toBeGreaterThan(0.3);
    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(`${harness.url}/orgs/${organizations[0]!.id}/usage`);
    await page.waitForSelector(".metrics button:nth-child(6)");
    const tops = await page.evaluate(
      `[...document.querySelectorAll(".metrics button")].map(({ offsetTop }) => offsetTop)`,
    );
    const rows = Map.groupBy(tops as number[], (top) => top);
    expect([...rows.values()].map(({ length }) => length)).toEqual([3, 3]);
    await page.close();
  });
});
