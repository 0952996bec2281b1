/** Promise: in a real browser, the tabs of a user share one test key; a key that was revoked is replaced once. */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { chromium, hold, openBrowser } from "../chromium.ts";
import { press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

type Keys = { data: { id: string; status: string }[] };

async function isReady(page: Page): Promise<void> {
  await page.waitForSelector(".voice");
  await page.waitForSelector(".play-line button:enabled");
}

async function keysOf(person: Person, organization: string): Promise<Keys["data"]> {
  return (await person.json<Keys>(`/api/organizations/${organization}/keys?created_by=${person.userId}`))
    .data;
}

test.skipIf(!chromium)("a second tab uses the test key of the first, whose page keeps working", async () => {
  await using harness = await openAccountsHarness({ plan: "unmetered" });
  const ada = await signUp(harness, "ada@example.com");
  await using browser = await openBrowser();
  const { page } = await browser.visit(`${harness.url}/sign-in`);
  await hold(page, ada.cookie());
  const address = `${harness.url}/orgs/${harness.organizationId}/playground`;
  await page.goto(address);
  await isReady(page);
  const second = await page.browserContext().newPage();
  await second.goto(address);
  await isReady(second);
  const [key, ...others] = await keysOf(ada, harness.organizationId);
  expect({ status: key?.status, others }).toEqual({ status: "active", others: [] });

  await ada.json(`/api/keys/${key!.id}/revoke`, {});
  harness.clock.pass(1001); // keys are read again after a second
  await press(second, /^Speak\s/);
  await sees(second, /First audio after/);
  await page.bringToFront();
  await press(page, /^Speak\s/);
  await sees(page, /First audio after/);
  const statuses = (await keysOf(ada, harness.organizationId)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual(["active", "revoked"]);
});
