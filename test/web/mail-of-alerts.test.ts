/**
 * Promise: in a real browser, addresses that are no members' are named in alerts, and agree or refuse on a page without an
 * account. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type MailServer, openMailServer } from "../api/management/mail-server.ts";
import type { Person } from "../api/management/people.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { expectLooks, keepLooks } from "./looks.ts";
import { dialogCloses, fill, press, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

const OUTSIDE = "finance@elsewhere.example";
const WIDE = { width: 1280, height: 1000 };

let server: MailServer;
let browser: OwnBrowser;
let owner: Person;
beforeAll(async () => {
  if (!chromium) return;
  server = await openMailServer();
  owner = await server.arrive("ada@example.com");
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const pageOf = (name: string) =>
  browser.visitAs(owner, `${server.harness.url}/orgs/${server.harness.organizationId}/${name}`, WIDE);

async function stateOf(address: string) {
  const { parts, organizationId } = server.harness;
  return (await parts.alertRecipients.statesOf(organizationId, [address])).get(address);
}

describe.skipIf(!chromium)(`mail of alerts to addresses that are not members'${unlessBrowser}`, () => {
  test("an address is named, agrees by a button, and refuses", async () => {
    const page = await pageOf("limits");
    await press(page, /^Add spend alert$/);
    await fill(page, { threshold_amount: "5", other_addresses: "finance@elsewhere" });
    await press(page, /^Add alert$/);
    await sees(page, /must be an e-mail address/);
    await fill(page, { other_addresses: OUTSIDE });
    await keepLooks(page, "recipient-new", { fullPage: true });
    await press(page, /^Add alert$/);
    await dialogCloses(page);
    await sees(page, /finance@elsewhere\.example\s+not confirmed/);
    await keepLooks(page, "recipient-pending", { fullPage: true });

    const link = await server.post.link(OUTSIDE);
    const { page: visitor } = await browser.visit(link.href);
    await sees(visitor, /wants to tell finance@elsewhere\.example by mail/);
    expect(await stateOf(OUTSIDE)).toBe("pending");
    await expectLooks(visitor, "mail-of-alerts");
    await press(visitor, /^Send me these mails$/);
    await sees(visitor, /finance@elsewhere\.example gets mail of the alerts of/);
    await expectLooks(visitor, "mail-of-alerts-answered");
    expect(await stateOf(OUTSIDE)).toBe("confirmed");
    await press(visitor, /^Send me none after all$/);
    await sees(visitor, /finance@elsewhere\.example gets no mail/);
    expect(await stateOf(OUTSIDE)).toBe("unsubscribed");
    await visitor.goto(`${server.harness.url}/mail-of-alerts?token=x`);
    await sees(visitor, /This link is invalid or has expired/);
    await visitor.close();

    await page.reload();
    await sees(page, /finance@elsewhere\.example\s+unsubscribed/);
    await press(page, /^Edit: The organization/);
    await fill(page, { other_addresses: "" });
    await press(page, /^Save$/);
    await dialogCloses(page);
    await page.close();
  });

  test("the balance alert names addresses", async () => {
    const page = await pageOf("billing");
    await press(page, /^Edit balance alert$/);
    await tick(page, "alerted");
    await fill(page, { balance_alert_micros: "12.50", other_addresses: "books@elsewhere.example, " });
    await press(page, /^Save balance alert$/);
    await sees(page, /Told too: books@elsewhere\.example\s+not confirmed/);
    await keepLooks(page, "balance-recipients", { fullPage: true });
    await page.close();
  });
});
