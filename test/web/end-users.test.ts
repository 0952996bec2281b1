/**
 * Promise: in a real browser, owners choose how end users are named and kept, and members see who used what, day by day, down to their
 * requests. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { invite, openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { keepLooks } from "./looks.ts";
import { arrives, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let browser: OwnBrowser;
beforeAll(async () => {
  if (chromium) browser = await openBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

const pageAs = (harness: Harness, person: Person, path: string) =>
  browser.visitAs(person, `${harness.url}/orgs/${harness.organizationId}/${path}`, {
    width: 1280,
    height: 1000,
  });

async function speak({ url, key, parts, organizationId }: Harness, user: string): Promise<void> {
  const before = (await parts.ledger.requests(organizationId, 100)).length;
  const body = JSON.stringify({ model: "svc-tts1", voice: "female-warm", input: "Good morning.", user });
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/audio/speech`, { method: "POST", headers, body });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  await until(async () => (await parts.ledger.requests(organizationId, 100)).length > before);
}

describe.skipIf(!chromium)(`end users${unlessBrowser}`, () => {
  test("are chosen under Privacy, shown by Usage, and lead to their requests", async () => {
    await using harness = await openAccountsHarness({});
    const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
    for (const user of ["grace", "alan", "grace"]) await speak(harness, user);

    const settings = await pageAs(harness, owner, "settings");
    await sees(settings, /End users are named by/);
    await settings.select("select[name=header]", "X-OpenWebUI-User-Id");
    await settings.select("select[name=hashed]", "on");
    const { accounts } = harness.parts;
    const kept = async () => (await accounts.organization(harness.organizationId))!;
    const privacy = await settings.$("form:has(select[name=header]) button[type=submit]");
    await privacy!.click();
    await until(async () => (await kept()).endUsersHashed);
    expect(await kept()).toMatchObject({ endUserHeader: "X-OpenWebUI-User-Id" });
    expect(await barriers(settings)).toEqual([]);
    await keepLooks(settings, "end-users-privacy", { fullPage: true });
    await settings.select("select[name=hashed]", "");
    await privacy!.click();
    await until(async () => !(await kept()).endUsersHashed);
    await settings.close();

    const member = await signUp(harness, "mel@example.com", { name: "Mel" });
    await invite(owner, member, { organizationId: harness.organizationId, role: "member" });
    const usage = await pageAs(harness, member, "usage?by=end_user&range=24h");
    await sees(usage, /By end user[\s\S]*grace[\s\S]*2[\s\S]*alan/);
    await sees(usage, /added up by day, without other filters/);
    expect(await barriers(usage)).toEqual([]);
    await keepLooks(usage, "end-users-usage", { fullPage: true });
    await press(usage, /^grace$/);
    await arrives(usage, /\/requests$/);
    expect(new URL(usage.url()).searchParams.get("end_user")).toBe("grace");
    const rows = () => usage.$$eval("table tbody tr", (all) => all.length);
    await until(async () => (await rows()) === 2);
    await (await usage.$("tbody a.row-link"))!.click();
    await sees(usage, /End user\s*grace/);
    await usage.close();
  });

  test("are found in the log by their name", async () => {
    await using harness = await openAccountsHarness({});
    const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
    for (const user of ["grace", "alan"]) await speak(harness, user);
    const page = await pageAs(harness, owner, "requests");
    const rows = () => page.$$eval("table tbody tr", (all) => all.length);
    await until(async () => (await rows()) === 2);
    await press(page, /^Add a filter:/);
    await press(page, /^End user$/);
    const field = await page.waitForSelector("input[placeholder=Any]");
    await field!.type("alan");
    await field!.press("Enter");
    await until(async () => (await rows()) === 1);
    expect(new URL(page.url()).searchParams.get("end_user")).toBe("alan");
    await page.close();
  });
});
