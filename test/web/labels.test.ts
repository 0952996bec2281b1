/**
 * Promise: in a real browser, the requests of a label are found and show it, and usage is drawn by minute and as sums that add up. With
 * SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { until } from "../until.ts";
import { keepLooks } from "./looks.ts";
import { press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let browser: OwnBrowser;
beforeAll(async () => {
  if (chromium) browser = await openBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

describe.skipIf(!chromium)(`labels and usage${unlessBrowser}`, () => {
  test("lead to requests, and add up", async () => {
    await using harness = await openAccountsHarness({});
    const { url, key, parts, organizationId } = harness;
    for (const label of ["chapter 1", "chapter 2", "chapter 1"]) {
      const before = (await parts.ledger.requests(organizationId, 100)).length;
      const sent = { model: "svc-tts1", voice: "female-warm", input: "Good morning.", metadata: { label } };
      const headers = { authorization: `Bearer ${key}` };
      await fetch(`${url}/v1/audio/speech`, { method: "POST", headers, body: JSON.stringify(sent) });
      await until(async () => (await parts.ledger.requests(organizationId, 100)).length > before);
    }
    const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
    const pageAt = (path: string) =>
      browser.visitAs(owner, `${url}/orgs/${organizationId}/${path}`, { width: 1280, height: 1000 });

    const requests = await pageAt("requests?label=chapter%201");
    await until(async () => (await requests.$$("tbody tr")).length === 2);
    expect(
      await requests.$eval("input[maxlength='64']", (field) => (field as unknown as { value: string }).value),
    ).toBe("chapter 1");
    await requests.click("tbody tr a");
    await sees(requests, /Label\s+chapter 1/);
    expect(await barriers(requests)).toEqual([]);
    await keepLooks(requests, "labels", { fullPage: true });
    await requests.close();

    const usage = await pageAt("usage?range=1h");
    await sees(usage, /Requests by minute/);
    await usage.click("button[role=switch]");
    await sees(usage, /Requests by minute, cumulative/);
    expect(await usage.$eval(".legend, .metrics strong", (sum) => sum.textContent)).toBe("3");
    expect(await barriers(usage)).toEqual([]);
    await keepLooks(usage, "usage-minutes", { fullPage: true });
    await usage.close();

    const byLabel = await pageAt("usage?range=24h&by=label");
    await sees(byLabel, /By label[\s\S]*chapter 1\s+2\s+0[\s\S]*chapter 2\s+1\s+0/);
    await sees(byLabel, /read from the log of requests/);
    expect(await barriers(byLabel)).toEqual([]);
    await keepLooks(byLabel, "usage-labels", { fullPage: true });
    await press(byLabel, /^chapter 2$/);
    await until(async () => (await byLabel.$$("tbody tr")).length === 1);
    expect(byLabel.url()).toContain("label=chapter+2");
    await byLabel.close();
    const byMember = await pageAt("usage?range=24h&by=user");
    await sees(byMember, /By member[\s\S]*No member\s+3/);
    await byMember.close();
    const byVoice = await pageAt("usage?range=24h&by=voice");
    await sees(byVoice, /By voice[\s\S]*female-warm\s+3/);
    await byVoice.close();
  });
});
