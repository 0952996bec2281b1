/**
 * Promise: in a real browser, an operator pulls a package, sees its progress and removes it, suspends an organization, and
 * writes a note about it; other users may not.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { readConfig } from "../../src/config/config.ts";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { type FakeHub, openHub, slowly } from "../models/pull/hub.ts";
import { BIG, FILES, packageAt, TWO_FILES, twoVariantsAt, untried } from "../models/pull/tiny-package.ts";
import { fill, press, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

const VOCABULARY = "cache/m/vocab.txt";

let folder: string;
let hub: FakeHub;
let harness: Harness;
let browser: OwnBrowser;
let root: Person;

beforeAll(async () => {
  if (!chromium) return;
  folder = mkdtempSync(join(tmpdir(), "loquat-operator-page-"));
  hub = openHub({ ...FILES, ...TWO_FILES });
  const models = join(folder, "models");
  cpSync(readConfig({}).models.folder, models, { recursive: true });
  const little = untried(packageAt(hub.url));
  const packages = join(models, "packages");
  for (const file of readdirSync(packages)) {
    const { recommended: _, ...shipped } = JSON.parse(readFileSync(join(packages, file), "utf8"));
    writeFileSync(join(packages, file), JSON.stringify(shipped));
  }
  const recommended = { purpose: "voices", rank: 1, cores: 1, memoryGb: 0, gpu: false };
  const strict = { ...little.license, spdx: "OpenRAIL-M", acceptance: true };
  for (const one of [
    { ...little, recommended },
    { ...little, name: "asking", license: strict },
    untried(twoVariantsAt(hub.url, "twofold")),
  ])
    writeFileSync(join(models, "packages", `${one.name}.json`), JSON.stringify(one));
  harness = await openAccountsHarness({
    environment: { LOQUAT_MODELS: models, LOQUAT_WEIGHTS: join(folder, "weights") },
  });
  root = await signUp(harness, "root@example.com");
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  hub?.[Symbol.dispose]();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function visit(person: Person, path: string): Promise<Page> {
  const { page } = await browser.visit(harness.url + path, person);
  return page;
}

describe.skipIf(!chromium)(`the models page${unlessBrowser}`, () => {
  test("the overview and the playground offer what suits the machine, and show its progress", async () => {
    const page = await visit(root, "/playground");
    await sees(page, /A little model/);
    expect(await barriers(page)).toEqual([]);
    await page.goto(`${harness.url}/`);
    const { promise, resolve: letGo } = Promise.withResolvers<void>();
    hub.fail = ({ path, probes }) =>
      path === VOCABULARY && !probes ? slowly(FILES["m/vocab.txt"], promise) : null;
    await press(page, /^Install 1 package/);
    await page.waitForFunction(
      `document.querySelector('progress[aria-label="Pulling little"]')?.value === ${BIG.length}`,
    );
    expect(await barriers(page)).toEqual([]);
    letGo();
    await page.waitForFunction(`!document.body.innerText.includes("A little model")`);
    await page.goto(`${harness.url}/operator/models?all=1`);
    await press(page, /^Remove little$/);
    await press(page, /^Remove$/);
    await sees(page, /Not installed/);
    await page.close();
  });

  test("a download that failed says why and when it is tried again, and can be tried now or cancelled", async () => {
    const page = await visit(root, "/");
    hub.fail = ({ path }) => (path === VOCABULARY ? new Response(null, { status: 404 }) : null);
    await press(page, /^Install 1 package/);
    await sees(page, /Not installed[\s\S]*Next try in \d+ seconds/);
    await page.setViewport({ width: 390, height: 800 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(await barriers(page)).toEqual([]);
    await page.setViewport({ width: 1280, height: 800 });
    hub.fail = () => null;
    await press(page, /^Try again now$/);
    await page.waitForFunction(`!document.body.innerText.includes("A little model")`);
    await page.goto(`${harness.url}/operator/models?all=1`);
    await press(page, /^Remove little$/);
    await press(page, /^Remove$/);
    await sees(page, /Not installed/);
    await page.close();
  });

  test("packages are found by what they do, their language and words of their titles", async () => {
    const page = await visit(root, "/operator/models");
    await sees(page, /Show all \d+/);
    const cards = () => page.$$eval("article.package h3", (all) => all.map((card) => card.textContent));
    expect((await cards()).length).toBeLessThan(30);
    await press(page, /^Voices/);
    await page.waitForFunction("location.search.includes('kind=voices')");
    await page.select("search.filters select", "de");
    await page.waitForFunction("location.search.includes('language=de')");
    expect((await cards()).filter((name) => name?.startsWith("Polish: "))).toEqual([]);
    expect(await cards()).toContainEqual("German: Thorsten");
    await page.type("search.filters input", "thorsten");
    await page.waitForFunction("document.querySelectorAll('article.package').length === 1");
    expect(await barriers(page)).toEqual([]);
    await page.close();
  });

  test("two downloads are added up until they are cancelled", async () => {
    const page = await visit(root, "/operator/models?all=1");
    const { promise, resolve: letGo } = Promise.withResolvers<void>();
    hub.fail = ({ path, probes }) =>
      path === VOCABULARY && !probes ? slowly(FILES["m/vocab.txt"], promise) : null;
    await press(page, /^Install little$/);
    await press(page, /^Install asking$/);
    await tick(page, "accepted");
    await press(page, /^Accept and install asking$/);
    await sees(page, /0 of 2 packages, 26 MB\n/);
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Cancel asking$/);
    await press(page, /^Cancel little$/);
    await page.waitForFunction("!document.querySelector('progress')");
    letGo();
    await page.close();
  });

  test("a package is pulled with its progress shown, and removed", async () => {
    const page = await visit(root, "/operator/models?all=1");
    const { promise, resolve: letGo } = Promise.withResolvers<void>();
    hub.fail = ({ path, probes }) =>
      path === VOCABULARY && !probes ? slowly(FILES["m/vocab.txt"], promise) : null;
    await press(page, /^Install little$/);
    await page.waitForFunction(
      `document.querySelector('progress[aria-label="Pulling little"]')?.value === ${BIG.length}`,
    );
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Cancel little$/);
    await press(page, /^Install little$/);
    letGo();
    await press(page, /^Remove little$/);
    await press(page, /^Remove$/);
    await press(page, /^Install little$/);
    await press(page, /^Install asking$/);
    await sees(page, /accept the licence/);
    await tick(page, "accepted");
    await press(page, /^Accept and install asking$/);
    await press(page, /^Remove asking$/);
    harness.parts.registry.speed = (name) => (name === "little" ? 12.34 : null);
    await page.reload();
    await sees(page, /12\.3× real time here/);
    await page.close();
  });

  test("one variant of a package is installed beside another, and removed", async () => {
    const page = await visit(root, "/operator/models?all=1");
    const open = () =>
      page.$$eval(".variants", (all) => {
        for (const each of all as unknown as { open: boolean }[]) each.open = true;
      });
    await sees(page, /2 variants/);
    for (const variant of ["q8", "fp16"]) {
      await open(); // an installed package moves to another group
      await press(page, new RegExp(`^Install twofold ${variant}$`));
      await sees(page, new RegExp(`2 variants, installed: .*${variant}`));
    }
    await sees(page, /2 variants, installed: q8, fp16/);
    await open();
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Remove twofold q8$/);
    await sees(page, /The other installed variants stay/);
    await press(page, /^Remove$/);
    await sees(page, /2 variants, installed: fp16/);
    await page.close();
  });

  test("the first organization is not offered for suspension", async () => {
    const page = await visit(root, `/operator/organizations/${harness.organizationId}`);
    await sees(page, /the first organization can be neither suspended nor deleted/);
    expect(String(await page.evaluate("document.querySelector('main').innerText"))).not.toMatch(/^Suspend$/m);
    await page.close();
  });

  test("the last hour is drawn on the status page", async () => {
    const body = JSON.stringify({ model: "svc-tts1", voice: "male-classic", input: "Good morning." });
    const response = await harness.ask("/v1/audio/speech", { method: "POST", body });
    await response.arrayBuffer();
    const page = await visit(root, "/operator/status");
    await sees(page, /Last hour[\s\S]*Succeeded\s+1/);
    await page.waitForSelector(".activity canvas");
    expect(await barriers(page)).toEqual([]);
    await page.close();
  });

  test("all nodes and their engine nodes are listed, with what they counted together", async () => {
    const { cluster } = harness.parts;
    const alone = cluster.nodes;
    const gpu = {
      id: "gpu-1",
      instance: "x",
      version: "1",
      draining: true,
      engines: 3,
      running: 2,
      waiting: 1,
    };
    cluster.nodes = () =>
      ["eu-1", "eu-2"].map((id) => {
        const counters = { loquat_workers_ended_total: 4 };
        const { report, ...self } = cluster.self();
        return { ...self, id, report: { ...report, counters, engineNodes: [gpu] } };
      });
    const page = await visit(root, "/operator/status");
    await sees(page, /Engine nodes[\s\S]*gpu-1\s+Draining[\s\S]*eu-1 eu-2/);
    await sees(page, /All nodes since they started[\s\S]*8 threads or processes have ended unexpectedly/);
    expect(await barriers(page)).toEqual([]);
    await page.close();
    cluster.nodes = alone;
  });

  test("an engine that was just used is not unloaded, and the page says so", async () => {
    const speech = { model: "svc-tts1", voice: "female-warm", input: "Loaded." };
    await (await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(speech) })).bytes();
    const page = await visit(root, "/operator/status");
    await press(page, /^Unload$/);
    await sees(page, /It is not unloaded: it had a task within the last minute\./);
    expect(await barriers(page)).toEqual([]);
    await page.close();
  });

  test("an organization is suspended and resumed on its page, after a question", async () => {
    const { id } = await harness.parts.accounts.createOrganization("Paused");
    const page = await visit(root, `/operator/organizations/${id}`);
    await press(page, /^Suspend$/);
    await sees(page, /Suspend Paused\?/);
    expect(await barriers(page)).toEqual([]);
    expect((await harness.parts.accounts.organization(id))!.status).toBe("active");
    await press(page, /^Suspend$/);
    await sees(page, /suspended/);
    await press(page, /^Resume$/);
    await sees(page, /Resume Paused\?/);
    expect((await harness.parts.accounts.organization(id))!.status).toBe("suspended");
    await press(page, /^Resume$/);
    await page.waitForFunction("!document.querySelector('dialog[open]')");
    await sees(page, /^Suspend$/m);
    expect((await harness.parts.accounts.organization(id))!.status).toBe("active");
    await page.close();
  });

  test("a note about an organization is written on its page, changed, and removed", async () => {
    const { id } = await harness.parts.accounts.createOrganization("Noted");
    const page = await visit(root, `/operator/organizations/${id}`);
    await sees(page, /Only operators of this server read it/);
    await press(page, /^Add a note$/);
    await fill(page, { note: "Met at the fair.\nPays by invoice." });
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Save note$/);
    await sees(page, /Note[\s\S]*Met at the fair\.\nPays by invoice\./);
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Edit$/);
    await fill(page, { note: " " });
    await press(page, /^Save note$/);
    await sees(page, /Only operators of this server read it/);
    expect((await harness.parts.accounts.organization(id))!.operatorNote).toBe(null);
    await page.close();
  });

  test("other users are refused", async () => {
    const page = await visit(await signUp(harness, "user@example.com"), "/operator/models");
    await sees(page, /Operator access required/);
    expect(await page.$$("table")).toHaveLength(0);
    await page.close();
  });
});
