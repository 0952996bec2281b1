/** Promise: in a real browser, admins and operators make, test, change and delete endpoints of webhooks, and see what was sent. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { openReceiver, type Receiver } from "../webhooks/receiver.ts";
import { fill, press, secretOf, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let owner: Person;
let receiver: Receiver;
beforeAll(async () => {
  if (!chromium) return;
  receiver = openReceiver();
  harness = await openAccountsHarness({ environment: { LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8" } });
  owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  receiver?.[Symbol.dispose]();
});

const open = (path: string) => browser.visitAs(owner, harness.url + path);

/** Adds an endpoint for one event, and closes what shows its secret. */
async function add(page: Page, name: string, type: string): Promise<string> {
  await sees(page, /None yet/);
  await press(page, /^Add an endpoint$/);
  await fill(page, { name, url: receiver.url });
  await page.click(`dialog[open] input[value="${type}"]`);
  expect(await barriers(page)).toEqual([]);
  await press(page, /^Add endpoint$/);
  const secret = await secretOf(page);
  await press(page, /^I have copied the secret$/);
  await page.waitForFunction("!document.querySelector('dialog[open]')");
  return secret;
}

describe.skipIf(!chromium)(`webhooks${unlessBrowser}`, () => {
  test("of an organization are made, tested, switched off and deleted, and a failure is sent again", async () => {
    const page = await open(`/orgs/${harness.organizationId}/webhooks`);
    expect(await add(page, "Ledger", "api_key.created")).toStartWith("whsec_");
    await sees(page, /Ledger[\s\S]*api_key\.created/);
    await press(page, /^Send a test: Ledger$/);
    await press(page, /^Send$/);
    await sees(page, /The endpoint answered 204\./);
    await press(page, /^Close$/);

    receiver.answers.push(new Response(null, { status: 410 }));
    const [project] = await harness.parts.accounts.listProjects(harness.organizationId);
    await harness.parts.accounts.createKey({
      projectId: project!.id,
      name: "New",
      environment: "live",
      scopes: ["speech:create"],
      expiresAt: null,
    });
    await until(() => receiver.answers.length === 0);
    await page.reload();
    await sees(page, /switched off: it answered 410 Gone/);
    await press(page, /^Deliveries$/);
    await sees(page, /api_key\.created[\s\S]*failed[\s\S]*410 in \d+ ms/);
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Switch on: Ledger$/);
    await press(page, /^Switch on$/);
    await page.waitForFunction("!document.querySelector('dialog[open]')");
    const before = receiver.received.length;
    await press(page, /^Send again: api_key\.created$/);
    await until(() => receiver.received.length > before);

    await press(page, /^New secret: Ledger$/);
    await press(page, /^Make a new secret$/);
    expect(await secretOf(page)).toStartWith("whsec_");
    await press(page, /^I have copied the secret$/);
    await press(page, /^Delete: Ledger$/);
    await press(page, /^Delete endpoint$/);
    await sees(page, /None yet/);
    await page.close();
  });

  test("of the server are for operators", async () => {
    const page = await open("/operator/webhooks");
    await add(page, "Watch", "organization.created");
    await sees(page, /Watch[\s\S]*organization\.created/);
    await page.close();
  });
});
