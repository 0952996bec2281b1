/** Promise: in a real browser, hundreds of keys are found, counted and sorted by the server, and their tables keep their actions. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { chromium, hold, listen, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const LONG = "Rechtsschutzversicherungsgesellschaften und Donaudampfschifffahrtsgesellschaften";

let harness: Harness;
let browser: OwnBrowser;
let ada: Person;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness({ plan: "prepaid", free: true });
  ada = await signUp(harness, "ada@example.com", { name: "Ada" });
  await manyKeys();
  browser = await openBrowser();
  page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  complaints = listen(page, harness.url);
  await hold(page, ada.cookie());
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

/** Two hundred keys, of which the oldest was used last, and one of the playground. */
async function manyKeys(): Promise<void> {
  const { parts, organizationId, clock } = harness;
  const { accounts, database } = parts;
  const project = await accounts.createProject(organizationId, LONG);
  const scopes = ["speech:create", "transcription:create", "catalog:read"] as const;
  await accounts.createKey({
    projectId: project.id,
    name: LONG,
    environment: "live",
    scopes,
    expiresAt: null,
  });
  await accounts.playgroundKey(project.id, ada.userId);
  await accounts.createOrganization(LONG, { ownerId: ada.userId });
  const { apiKey } = database.tables;
  const like = (await database.query.select().from(apiKey)).find(({ name }) => name === LONG)!;
  const now = Math.floor(clock.now() / 1000);
  const rows = Array.from({ length: 200 }, (_, index) => ({
    ...like,
    ...{ id: `key_${String(index).padStart(24, "0")}`, hash: Buffer.from(`${index}`) },
    ...{ name: index === 0 ? "telephone" : `website ${index}`, lastUsedAt: now - 60 - index },
  }));
  await database.query.insert(apiKey).values(rows);
}

const go = (path: string) => page.goto(`${harness.url}${path}`);
const inOrganization = (path: string) => go(`/orgs/${harness.organizationId}/${path}`);
const shown = () =>
  page.$$eval("tbody tr td:first-child strong", (names) => names.map(({ textContent }) => textContent));
/** With SCREENSHOTS=folder, as the test of all pages saves them. */
async function keep(name: string): Promise<void> {
  const path = join(Bun.env.SCREENSHOTS ?? "", `${name}.png`) as `${string}.png`;
  if (Bun.env.SCREENSHOTS) await page.screenshot({ path });
}

/** Whether all of the buttons are within their card. */
const BUTTONS_FIT = `[...document.querySelectorAll("tbody .changes .button")].every((button) =>
  button.getBoundingClientRect().right <= button.closest(".card").getBoundingClientRect().right)`;

describe.skipIf(!chromium)(`an organization with hundreds of keys${unlessBrowser}`, () => {
  test("counts them, without those of the playground unless they are asked for", async () => {
    await inOrganization("keys");
    await sees(page, /202 keys/);
    expect(await page.evaluate("document.body.innerText")).not.toContain("Playground\nsk_test");
    await page.click("[type=checkbox]");
    await sees(page, /203 keys/);
  });

  test("shows all actions of a key at 1280 pixels, whatever its name and scopes", async () => {
    await inOrganization("keys");
    await sees(page, /Rechtsschutz\S* und Donaudampf\S*\s+live/);
    await keep("keys-1280");
    expect(await page.evaluate(BUTTONS_FIT)).toBe(true);
    const heights = await page.$$eval("tbody tr", (rows) =>
      rows.map((row) => row.getBoundingClientRect().height),
    );
    expect(Math.max(...heights)).toBeLessThan(100);
  });

  test("finds one by its name, and lists them by their last use", async () => {
    await fill(page, { search: "TELEPHONE" });
    await page.keyboard.press("Enter");
    await sees(page, /1 key\b/);
    expect(await shown()).toEqual(["telephone"]);
    await inOrganization("keys?order=last_used");
    await sees(page, /website 19\b/);
    expect((await shown()).slice(0, 3)).toEqual(["telephone", "website 1", "website 2"]);
    await press(page, /^Next page$/);
    await sees(page, /website 20\b/);
    expect((await shown())[0]).toBe("website 20");
  });

  test("finds an old one by Ctrl+K, and in the filters of requests", async () => {
    await inOrganization("requests");
    await sees(page, /Newest first/);
    await page.keyboard.down("Control");
    await page.keyboard.press("k");
    await page.keyboard.up("Control");
    await page.waitForSelector("dialog input[role=combobox]");
    await page.keyboard.type("telephone");
    await sees(page, /telephone/);
    await page.keyboard.press("Enter");
    await page.waitForFunction("location.search.includes('key_id=key_000')");
    await inOrganization("requests");
    await press(page, /^Add a filter:/);
    await press(page, /^API key$/);
    await page.waitForSelector(".key-choice input:focus");
    await page.keyboard.type("website 177");
    await page.waitForFunction(
      "/177/.test(document.querySelector('.key-choice [aria-selected=true]')?.textContent)",
    );
    await keep("key-choice");
    await page.keyboard.press("Enter");
    await page.waitForFunction("/key_id=key_0+177$/.test(location.search)");
    expect(
      await page.$eval(".key-choice input", (input) => (input as unknown as { value: string }).value),
    ).toContain("website 177");
  });
});

test.skipIf(!chromium)(`an operator who sells reads what is missing to sell${unlessBrowser}`, async () => {
  await inOrganization("overview");
  await sees(page, /Ready to sell[\s\S]*missing\s+Mail\s+Set SMTP_URL and MAIL_FROM/);
  await sees(page, /missing\s+Public address with https\s+Set LOQUAT_URL/);
  await sees(page, /done\s+Sign-up/);
  await keep("ready-to-sell");
});

test.skipIf(!chromium)(
  `a long name of an organization leaves its actions in view${unlessBrowser}`,
  async () => {
    await go("/operator/organizations");
    await sees(page, /All organizations/);
    await page.waitForSelector("tbody .changes .button");
    await keep("organizations-1280");
    expect(await page.evaluate(BUTTONS_FIT)).toBe(true);
    expect(complaints).toEqual([]);
  },
);
