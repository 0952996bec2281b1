/**
 * Promise: in a real browser, members make jobs of a book that is a file and of the page at an address, with the voice that is chosen
 * in the playground; what is refused is told at its field, and outside the dashboard nothing is offered. With SCREENSHOTS=folder,
 * pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { epubOf } from "../documents/epub-file.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { expectLooks } from "./looks.ts";
import { arrives, fill, lacks, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const BOOK = epubOf({
  title: "The old house",
  chapters: [
    { name: "one.xhtml", body: "<h1>By the river</h1><p>We are at the old house.</p>" },
    { name: "two.xhtml", body: "<h1>Away</h1><p>We go away in the morning.</p>" },
  ],
});
const SENTENCES = "We are at the old house by the river, and we go away in the morning, as we do. ".repeat(4);
const PAGE = `<title>The river</title><article><h1>The river</h1><p>${SENTENCES}</p></article>`;

let site: ReturnType<typeof Bun.serve>;
let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let complaints: string[];
let folder: { path: string } & AsyncDisposable;
beforeAll(async () => {
  if (!chromium) return;
  const headers = { "content-type": "text/html; charset=utf-8" };
  site = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(PAGE, { headers }) });
  folder = await mkdtempDisposable(join(tmpdir(), "loquat-long-text-"));
  harness = await openAccountsHarness({ environment: { LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8" } });
  const ada = await signUp(harness, "ada@example.com", { name: "Ada" });
  browser = await openBrowser();
  ({ page, complaints } = await browser.visit(`${harness.url}/sign-in`));
  await hold(page, ada.cookie());
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
  await site?.stop(true);
});

async function openForm(): Promise<void> {
  await page.goto(`${harness.url}/orgs/${harness.organizationId}/playground`);
  await page.waitForSelector(".voice");
  await (await page.waitForSelector(".speak details:has([name=input_url]) > summary"))!.click();
}

async function chooseFile(name: string, bytes: Buffer): Promise<void> {
  const path = join(folder.path, name);
  await Bun.write(path, bytes);
  const input = await page.waitForSelector("[name=input_file_id]");
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
}

/** The clock is held, so that they have no order. */
async function madeJobs() {
  const { organizationId, parts } = harness;
  const projectId = (await parts.accounts.defaultProject(organizationId))!.id;
  const owner = { organizationId, projectId, keyId: "key_x" };
  return await parts.jobs.list(owner, { status: null, after: null, limit: 100 });
}

const SPEAK = /^Speak in the background$/;

describe.skipIf(!chromium)(`long texts in the playground${unlessBrowser}`, () => {
  test("an EPUB becomes a job with its chapters, in the voice and format that are chosen", async () => {
    await openForm();
    await press(page, SPEAK);
    await sees(page, /Choose a file, or write an address/);
    await chooseFile("house.epub", BOOK);
    await fill(page, { response_format: "opus" });
    await expectLooks(page, "playground-long-text", { fullPage: true });
    await press(page, SPEAK);
    await arrives(page, /\/jobs$/);
    await sees(page, /The old house[\s\S]*Completed[\s\S]*Away from/);
    const [made] = await madeJobs();
    const { row, labels } = made!;
    expect(row).toMatchObject({ kind: "speech", responseFormat: "opus", model: "svc-tts1" });
    expect(labels).toMatchObject({ title: "The old house", chapters: ["By the river", "Away"] });
    expect(row.fileId).toMatch(/^file_/);
  });

  test("an audiobook is offered where it can be made, and is one", async () => {
    await openForm();
    const offered = await page.$$eval(".speak [name=response_format] option", (options) =>
      options.map(({ textContent }) => textContent),
    );
    expect(offered.includes("m4b")).toBe(installedFamilies().has("decode"));
    if (!offered.includes("m4b")) return;
    await chooseFile("house.epub", BOOK);
    await fill(page, { response_format: "m4b" });
    await press(page, SPEAK);
    await arrives(page, /\/jobs$/);
    await until(async () => {
      const made = (await madeJobs()).find(({ row }) => row.responseFormat === "m4b");
      return made?.row.status === "completed";
    });
  });

  test("the page at an address becomes one", async () => {
    await openForm();
    await fill(page, { input_url: `${site.url.origin}/river` });
    await press(page, SPEAK);
    await arrives(page, /\/jobs$/);
    await sees(page, /The river[\s\S]*Completed/);
    const made = (await madeJobs()).find(({ url }) => url === `${site.url.origin}/river`);
    expect(made).toMatchObject({ row: { responseFormat: "mp3", fileId: null } });
  });

  test("what cannot be read is told at its field, and can be sent again", async () => {
    await openForm();
    await chooseFile("damaged.epub", Buffer.from("no archive"));
    await press(page, SPEAK);
    await page.waitForSelector("[name=input_file_id][aria-invalid=true]");
    await sees(page, /not an EPUB that can be read/);
    await fill(page, { input_url: "https://10.0.0.1/" });
    await press(page, SPEAK);
    await sees(page, /and not both/);
    expect(complaints.filter((each) => !each.includes("422"))).toEqual([]);
  });

  test("it is not offered with a pasted key, where no page has the jobs", async () => {
    const { page: apart } = await browser.visit(`${harness.url}/playground#key=${harness.key}`);
    await apart.waitForSelector(".voice");
    await lacks(apart, /Speak a book/);
  });
});
