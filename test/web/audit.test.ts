/**
 * Promise: in a real browser, admins read who changed what in their organization as sentences, narrow the list and open an event;
 * operators read that of the whole server; members are told who may. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { invite, openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { expectLooks } from "./looks.ts";
import { fill, lacks, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let complaints: string[];
let ada: Person;
let grace: Person;
let project: string;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  const { organizationId, parts, clock } = harness;
  ada = await signUp(harness, "ada@example.com", { name: "Ada Lovelace" });
  grace = await signUp(harness, "grace@example.com", { name: "Grace" });
  const changes = [
    async () => {
      const made = await ada.json<{ id: string }>(`/api/organizations/${organizationId}/projects`, {
        name: "Telephone bot",
      });
      project = made.id;
    },
    async () => {
      const body = { name: "<b>Website</b>", environment: "live" };
      await ada.json(`/api/projects/${project}/keys`, body);
    },
    () =>
      ada.json(`/api/organizations/${organizationId}`, { name: "Analytical Engines" }, { method: "PATCH" }),
    () => invite(ada, grace, { organizationId, role: "member" }),
    () => ada.json("/api/operator/sign-up", { policy: "invited" }, { method: "PUT" }),
    () => parts.accounts.archiveProject(project),
  ];
  for (const change of changes) {
    clock.pass(60_000);
    await change();
  }
  for (let count = 0; count < 60; count++) {
    clock.pass(1000);
    await parts.accounts.createProject(organizationId, `Project ${count}`);
  }
  browser = await openBrowser();
  ({ page, complaints } = await browser.visit(`${harness.url}/sign-in`));
  await hold(page, ada.cookie());
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const go = (search = "") => page.goto(`${harness.url}/orgs/${harness.organizationId}/audit${search}`);

describe.skipIf(!chromium)(`the audit log${unlessBrowser}`, () => {
  test("tells each event in a sentence, newest first, page by page", async () => {
    await go();
    await sees(page, /The server created the project Project 59/);
    await press(page, /^Older$/);
    await sees(page, /Ada Lovelace created the API key <b>Website<\/b>/);
    await sees(page, /Ada Lovelace changed the organization[\s\S]*name: Default → Analytical Engines/);
    await sees(page, /Ada Lovelace invited grace@example\.com/);
    await sees(page, /Grace joined/);
    await sees(page, /The server archived the project Telephone bot/);
    await sees(page, /127\.0\.0\.1|::1/);
    await expectLooks(page, "audit");
    await press(page, /^Newest$/);
    await sees(page, /created the project Project 59/);
  });

  test("is narrowed by kind, by who made it, and by an address; what does not match says so", async () => {
    await go("?kind=api_key");
    await sees(page, /created the API key/);
    await lacks(page, /created the project Project 59/);
    await page.select(".filters > .field:nth-of-type(3) select", "command_line");
    await sees(page, /No matching events/);
    await press(page, /^Show all$/);
    await sees(page, /created the project Project 59/);
    await fill(page, { actor: "grace@example.com" });
    await page.keyboard.press("Enter");
    await sees(page, /Grace joined/);
    await lacks(page, /Ada Lovelace invited/);
    await go(`?project_id=${project}&kind=project.archived`);
    await sees(page, /archived the project Telephone bot/);
    await lacks(page, /created the project/);
    await go("?start=1&end=2");
    await sees(page, /No matching events/);
    await expectLooks(page, "audit-filters");
  });

  test("is downloaded as the filters say", async () => {
    await go("?kind=project.archived");
    await sees(page, /archived the project Telephone bot/);
    const file = await page.evaluate(`(async () => {
      const link = [...document.querySelectorAll("a[download]")].find((each) => each.innerText === "Export CSV");
      return (await fetch(link.href)).text();
    })()`);
    expect(String(file).trimEnd().split("\r\n")).toHaveLength(2);
    expect(file).toContain('"The server archived the project Telephone bot"');
  });

  test("opens an event with who made it and each field before and after", async () => {
    await go("?kind=organization.updated");
    await press(page, /^Ada Lovelace changed the organization/);
    await sees(page, /A person in the dashboard[\s\S]*ada@example\.com/);
    await sees(page, /Changes\s+name\s+Default → Analytical Engines/);
    await expectLooks(page, "audit-event");
    await press(page, /^All their events$/);
    await sees(page, /Ada Lovelace created the project Telephone bot/);
  });

  test("of the server has events of all organizations, and of the server itself", async () => {
    await page.goto(`${harness.url}/operator/audit?by=operator`);
    await sees(page, /Ada Lovelace \(operator\) changed the settings of the server[\s\S]*policy: invited/);
    await page.goto(`${harness.url}/operator/audit`);
    await sees(page, /Analytical Engines/);
    await expectLooks(page, "audit-server");
    await page.goto(`${harness.url}/operator/audit?organization=server&kind=project`);
    await sees(page, /No matching events/);
    expect(complaints).toEqual([]);
  });

  test("is not shown to members", async () => {
    await hold(page, grace.cookie());
    await go();
    await sees(page, /Only owners and admins of the organization see who changed what/);
  });
});
