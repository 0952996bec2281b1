/**
 * Promise: in a real browser, admins add, change and delete spend alerts, and members see them. With SCREENSHOTS=folder, pictures are
 * saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { newId } from "../../src/ids.ts";
import { invite, openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { keepLooks } from "./looks.ts";
import { dialogCloses, fill, lacks, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const WIDE = { width: 1280, height: 1000 };

let harness: Harness;
let browser: OwnBrowser;
let owner: Person;
let member: Person;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  owner = await signUp(harness, "ada@example.com", { name: "Ada" });
  member = await signUp(harness, "bob@example.com", { name: "Bob" });
  await invite(owner, member, { organizationId: harness.organizationId, role: "member" });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const limitsAs = (person: Person) =>
  browser.visitAs(person, `${harness.url}/orgs/${harness.organizationId}/limits`, WIDE);

const stored = () =>
  harness.parts.spendAlerts.list(
    { organizationId: harness.organizationId, of: "all" },
    { after: null, before: null, limit: 10, isNewestFirst: false },
  );

const firstKey = async () => (await harness.parts.accounts.listKeys()).find(({ name }) => name === "first")!;

/** A charge, which alerts notice. */
async function spend(micros: number): Promise<void> {
  const { clock, parts, organizationId } = harness;
  const { id: keyId, project_id: projectId } = await firstKey();
  const id = newId("req", clock);
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
    ...{ priceMicros: 15_000_000, costMicros: micros, createdAt: Math.floor(clock.now() / 1000) },
  });
}

describe.skipIf(!chromium)(`spend alerts${unlessBrowser}`, () => {
  test("are added for the organization, a project and a key", async () => {
    const page = await limitsAs(owner);
    await sees(page, /No spend alerts yet\. Add one/);
    await press(page, /^Add spend alert$/);
    await sees(page, /This server sends no e-mail/);
    expect(await barriers(page)).toEqual([]);
    await keepLooks(page, "alert-new", { fullPage: true });
    await fill(page, { threshold_amount: "0.005" });
    await press(page, /^Add alert$/);
    await sees(page, /Enter whole cents/);
    await fill(page, { threshold_amount: "1.50", subject_prefix: "[Speech]" });
    await press(page, /^Add alert$/);
    await dialogCloses(page);
    await sees(page, /The organization\s+\$1\.50 in a month\s+ada@example\.com\s+never/);
    harness.clock.pass(1000);

    const [project] = await harness.parts.accounts.listProjects(harness.organizationId);
    await press(page, /^Add spend alert$/);
    await fill(page, { watched: project!.id, measure: "percent", threshold_percent: "70" });
    await page.click('dialog input[value="ada@example.com"]');
    await press(page, /^Add alert$/);
    await sees(page, /Choose a recipient at least/);
    await page.click('dialog input[value="bob@example.com"]');
    await press(page, /^Add alert$/);
    await dialogCloses(page);
    await sees(page, /Default\s+project\s+70% of the budget\s+no budget\s+bob@example\.com\s+never/);
    harness.clock.pass(1000);

    await press(page, /^Add spend alert$/);
    await fill(page, { watched: "key", channel: "webhook", threshold_amount: "2" });
    await press(page, /^Add alert$/);
    await sees(page, /Choose the API key/);
    await page.click("dialog .key-choice input");
    await page.keyboard.type("first");
    await page.waitForSelector("dialog [role=option]:nth-child(2)");
    expect(await barriers(page)).toEqual([]);
    await keepLooks(page, "alert-key", { fullPage: true });
    await page.keyboard.press("Escape");
    await page.click("dialog .key-choice input");
    await page.waitForSelector("dialog [role=option]:nth-child(2)");
    await page.click("dialog [role=option]:nth-child(2)");
    await press(page, /^Add alert$/);
    await dialogCloses(page);
    await sees(page, /first …\w{4}\s+API key\s+\$2\.00 in a month\s+webhooks only\s+never/);
    const none = { channel: "webhook", recipients: [], subjectPrefix: null };
    expect(await stored()).toMatchObject([
      {
        ...{ scope: "organization", thresholdMicros: 1_500_000, percent: null },
        ...{ channel: "email", recipients: ["ada@example.com"], subjectPrefix: "[Speech]" },
      },
      { scope: "project", subject: project!.id, percent: 70, recipients: ["bob@example.com"] },
      { scope: "key", subject: (await firstKey()).id, thresholdMicros: 2_000_000, ...none },
    ]);
    await page.close();
  });

  test("say when they went off, and members only see them", async () => {
    await spend(1_600_000);
    const page = await limitsAs(member);
    await sees(page, /The organization\s+\$1\.50 in a month\s+ada@example\.com\s+(now|\d+ seconds? ago)/);
    expect(await barriers(page)).toEqual([]);
    await lacks(page, /Add spend alert|Delete/);
    await page.close();
  });

  test("are changed and deleted", async () => {
    const page = await limitsAs(owner);
    await press(page, /^Edit: The organization/);
    expect(
      await page.$eval("dialog [name=threshold_amount]", (field) => (field as { value: string }).value),
    ).toBe("1.50");
    await fill(page, { threshold_amount: "40" });
    await page.click('dialog input[value="bob@example.com"]');
    await press(page, /^Save$/);
    await dialogCloses(page);
    await sees(page, /\$40\.00 in a month\s+(ada|bob)@example\.com, (ada|bob)@example\.com/);
    await keepLooks(page, "alerts", { fullPage: true });
    expect((await stored())[0]).toMatchObject({ thresholdMicros: 40_000_000, subjectPrefix: "[Speech]" });
    await press(page, /^Delete: first/);
    await sees(page, /it is told no more/);
    await press(page, /^Delete alert$/);
    await dialogCloses(page);
    await lacks(page, /webhooks only/);
    expect(await stored()).toHaveLength(2);
    await page.close();
  });
});
