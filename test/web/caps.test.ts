/**
 * Promise: in a real browser, owners see and change what keys and projects may use at most, with what is used of their budgets; members
 * do not change it. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { newId } from "../../src/ids.ts";
import { budgetsAt } from "../../src/restrictions.ts";
import { invite, openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { keepLooks } from "./looks.ts";
import { dialogCloses, fill, lacks, press, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let owner: Person;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const pageAs = (person: Person, name: string) =>
  browser.visitAs(person, `${harness.url}/orgs/${harness.organizationId}/${name}`);
const ownKey = async () => (await harness.parts.accounts.listKeys()).find(({ name }) => name === "first")!;

/** A charge as a request with the key makes it. */
async function spend(keyId: string, projectId: string, costMicros: number): Promise<void> {
  const { clock, parts, organizationId } = harness;
  const [id, createdAt] = [newId("req", clock), Math.floor(clock.now() / 1000)];
  const { query, tables } = parts.database;
  const [keys, projects] = [
    await query.select().from(tables.apiKey),
    await query.select().from(tables.project),
  ];
  const caps = [keys.find((each) => each.id === keyId)!, projects.find((each) => each.id === projectId)!].map(
    ({ id: subject, restrictions }) => ({
      of: "key" as const,
      subject,
      restrictions: restrictions!,
      admits: null,
    }),
  );
  await parts.ledger.charge({
    ...{
      id: `${id}.0`,
      requestId: id,
      organizationId,
      projectId,
      keyId,
      environment: "live",
      plan: "prepaid",
    },
    ...{ endpoint: "/v1/audio/speech", model: "svc-tts1", unit: "character", quantity: 1000 },
    ...{ priceMicros: 15_000_000, costMicros, createdAt, budgets: budgetsAt(caps, createdAt).periods },
  });
}

const CAPS = {
  budget: { limit_micros: 12_500_000, interval: "week" },
  limits: { requests_per_minute: 60 },
  models: { mode: "allow_list", ids: ["svc-tts1", "svc-stt1"] },
  voices: null,
  addresses: ["203.0.113.0/24", "2001:db8::1"],
} as const;

describe.skipIf(!chromium)(`what restricts keys and projects${unlessBrowser}`, () => {
  test("a key is restricted, shown so, and freed", async () => {
    const page = await pageAs(owner, "keys");
    await press(page, /^Edit first$/);
    expect(await barriers(page)).toEqual([]);
    await fill(page, {
      ...{ budget: "12.50", interval: "week", requests_per_minute: "60" },
      ...{ models_mode: "allow_list", models: "svc-tts1, svc-stt1", addresses: "203.0.113.0/24 2001:db8::1" },
    });
    await press(page, /^Save$/);
    await dialogCloses(page);
    await sees(
      page,
      /\$0\.00 of \$12\.50 a week\s+begins again in \d+ (d|h|min)[^\n]*\s+and limits, models, addresses/,
    );
    expect((await ownKey()).restrictions).toEqual(CAPS as never);
    await press(page, /^Edit first$/);
    await fill(page, { name: "first" });
    await press(page, /^Save$/);
    await dialogCloses(page);
    expect((await ownKey()).restrictions).toEqual(CAPS as never);
    await press(page, /^Edit first$/);
    await fill(page, { budget: "", requests_per_minute: "", models_mode: "all", addresses: "" });
    await press(page, /^Save$/);
    await dialogCloses(page);
    expect((await ownKey()).restrictions).toBeNull();
    await page.close();
  });

  test("a network that is none is said above the button", async () => {
    const page = await pageAs(owner, "keys");
    await press(page, /^Edit first$/);
    await fill(page, { addresses: "example.com" });
    await press(page, /^Save$/);
    await sees(page, /must be an IP address or a network such as/);
    await page.close();
  });

  test("a project is restricted, and its new keys with it", async () => {
    const page = await pageAs(owner, "projects");
    await press(page, /^Restrict Default$/);
    expect(await barriers(page)).toEqual([]);
    await fill(page, { budget: "100", interval: "month" });
    await tick(page, "for_keys");
    await press(page, /^Save$/);
    await dialogCloses(page);
    await sees(page, /\$0\.00 of \$100\.00 a month\s+begins again in/);
    const [project] = await harness.parts.accounts.listProjects(harness.organizationId);
    const budget = { limit_micros: 100_000_000, interval: "month" };
    expect(project).toMatchObject({ restrictions: { budget }, defaultKeyRestrictions: { budget } });
    await page.close();
  });

  test("what is used of budgets is beside them, and on the page of usage", async () => {
    const { accounts } = harness.parts;
    const { id, project_id: projectId } = await ownKey();
    const budget = { limit_micros: 10_000_000, interval: "total" } as const;
    await accounts.updateKey(id, { restrictions: { budget, limits: { requests_per_minute: 60 } } });
    await spend(id, projectId, 8_500_000);
    const page = await pageAs(owner, "keys");
    await sees(page, /\$8\.50 of \$10\.00 in total\s+nearly used up\s+until it is reset\s+and limits/);
    expect(await barriers(page)).toEqual([]);
    await spend(id, projectId, 1_500_000);
    await page.reload();
    await sees(page, /\$10\.00 of \$10\.00 in total\s+used up/);
    await keepLooks(page, "caps-keys");
    await page.goto(`${harness.url}/orgs/${harness.organizationId}/projects`);
    await sees(page, /\$10\.00 of \$100\.00 a month\s+begins again in/);
    await keepLooks(page, "caps-projects");
    await page.goto(`${harness.url}/orgs/${harness.organizationId}/usage?key_id=${id}`);
    await sees(page, /Key first …\w{4}\s+\$10\.00 of \$10\.00 in total used limit reached\s+At list price/);
    await sees(page, /until it is reset\. Also restricted: limits\./);
    await sees(page, /Project Default\s+\$10\.00 of \$100\.00 a month used\s+At list price, begins again in/);
    expect(await barriers(page)).toEqual([]);
    await keepLooks(page, "caps-usage");
    await page.goto(`${harness.url}/orgs/${harness.organizationId}/usage?project_id=${projectId}`);
    await sees(page, /Project Default\s+\$10\.00 of \$100\.00/);
    await lacks(page, /Key first/);
    await page.goto(`${harness.url}/orgs/${harness.organizationId}/usage`);
    await sees(page, /Requests by day/);
    await lacks(page, /Project Default/);
    await page.close();
  });

  test("a member sees what restricts a key, and no field that would change it", async () => {
    const member = await signUp(harness, "bob@example.com", { name: "Bob" });
    await invite(owner, member, { organizationId: harness.organizationId, role: "member" });
    const page = await pageAs(member, "projects");
    await sees(page, /\$\d+\.\d+ of \$100\.00 a month/);
    await lacks(page, /Restrict/);
    await page.goto(`${harness.url}/orgs/${harness.organizationId}/keys`);
    await press(page, /^Create key$/);
    await sees(page, /Scopes/);
    await lacks(page, /Restrict it/);
    await page.close();
  });
});
