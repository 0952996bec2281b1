/**
 * Promise: in a real browser, the overview with its first steps, and jobs with their results, are in German, Spanish and French
 * with no word of English. With SCREENSHOTS=folder, pictures are saved.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { fillMonth } from "../../scripts/docs/month.ts";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { recognize, segmentOf, storedJob } from "../api/management/tenancy-jobs.ts";
import { chromium, hold, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { CATALOGUES, type Complete, isIn, openIn } from "./in-language.ts";
import { dialogCloses, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

const LANGUAGES = Object.keys(CATALOGUES) as Complete[];
const RATE = 16_000;
const HOUR = 3600;

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

const whole = (text: string) => new RegExp(`^${text.replace(/[.*+?^$()|[\]\\]/g, "\\$&")}$`);
const part = (text: string) => new RegExp(text.replace(/[.*+?^$()|[\]\\]/g, "\\$&"));

async function open(language: Complete): Promise<Page> {
  const page = await openIn(browser, { chosen: language });
  await hold(page, owner.cookie());
  return page;
}
const go = (page: Page, path: string) => page.goto(`${harness.url}/orgs/${harness.organizationId}/${path}`);

describe.skipIf(!chromium)(`the dashboard in another language${unlessBrowser}`, () => {
  test("guides to the first request, and has no jobs, in each", async () => {
    for (const language of LANGUAGES) {
      const { overview: t, jobs } = CATALOGUES[language];
      const page = await open(language);
      await go(page, "overview");
      await sees(page, part(t.waiting));
      await isIn(page, language, "first-steps");
      await go(page, "jobs");
      await sees(page, part(jobs.hint));
      await isIn(page, language, "no-jobs");
      await page.close();
    }
  });

  test("lists jobs, and shows what came of them, in each", async () => {
    const { organizationId, parts } = harness;
    const project = await parts.accounts.defaultProject(organizationId);
    const of = { organizationId, projectId: project!.id, keyId: "key_x" };
    const named = (recording: string) => ({ ...of, metadata: JSON.stringify({ recording }) });
    const none = { isRecognized: false, completedAt: null, expiresAt: null };
    await storedJob(harness, {
      ...{ ...named("A.mp3"), ...none, status: "in_progress", samples: 2 * HOUR * RATE, doneSamples: RATE },
    });
    await storedJob(harness, {
      ...{ ...named("B.mp3"), ...none, status: "queued", samples: null, doneSamples: 0, startedAt: null },
    });
    const failed = await storedJob(harness, {
      ...{ ...named("C.mp3"), status: "failed", samples: null, doneSamples: 0 },
      ...{ errorCode: "invalid_audio", errorMessage: "The file has no audio that can be decoded." },
    });
    const done = await storedJob(harness, { ...named("D.mp3"), costMicros: 720_000, samples: HOUR * RATE });
    await recognize(harness, done.id, [segmentOf("Guten Morgen", 0)]);
    for (const language of LANGUAGES) {
      const { jobs: t, controls } = CATALOGUES[language];
      const page = await open(language);
      await go(page, "jobs");
      await sees(page, part(t.isNext));
      await isIn(page, language, "jobs");
      await go(page, `jobs?open=${failed.id}`);
      await sees(page, part(t.free));
      await isIn(page, language, "job-failed");
      await press(page, whole(t.delete));
      await sees(page, part(t.deleteTitle));
      await isIn(page, language, "job-delete");
      await press(page, whole(controls.cancel));
      await dialogCloses(page);
      await go(page, `jobs?open=${done.id}`);
      await sees(page, /Guten Morgen/);
      await isIn(page, language, "job");
      await page.close();
    }
  });

  test("sums a month up in each", async () => {
    await fillMonth(harness);
    for (const language of LANGUAGES) {
      const { overview: t } = CATALOGUES[language];
      const page = await open(language);
      await go(page, "overview");
      await page.waitForSelector(".chart-card canvas");
      await sees(page, part(t.latest));
      await page.waitForSelector(".ranked li");
      await isIn(page, language, "overview");
      expect(await page.evaluate("document.querySelector('.plot').ariaLabel")).toContain(t.requests);
      await page.close();
    }
  });

  test("shows the chart of usage as a table in each, on a page that is English", async () => {
    for (const language of LANGUAGES) {
      const { charts: t } = CATALOGUES[language];
      const page = await open(language);
      await go(page, "usage");
      await press(page, whole(t.asTable));
      const table = await page.waitForSelector(`main[lang=en] .chart[lang=${language}] table`);
      const text = await table!.evaluate((element) => element.textContent);
      for (const word of [t.requests, t.time]) expect(text).toContain(word);
      await press(page, whole(t.asChart));
      await page.waitForSelector(`main[lang=en] .chart[lang=${language}] canvas`);
      await page.close();
    }
  });
});
