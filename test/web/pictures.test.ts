/** Promise: in a real browser, requests are drawn over time, a request as a line of time, and waits as a map of days and hours. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { newId } from "../../src/ids.ts";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { chromium, hold, listen, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { until } from "../until.ts";
import { expectLooks } from "./looks.ts";
import { arrives, openFirstRow, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
let page: Page;
let complaints: string[];
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness({ plan: "unmetered" });
  const owner = await signUp(harness, "root@example.com");
  for (let sent = 0; sent < 2; sent++) {
    const answer = await fetch(`${harness.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${harness.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "svc-tts1", voice: "female-warm", input: "Good morning." }),
    });
    await answer.arrayBuffer();
  }
  const logged = `/api/organizations/${harness.organizationId}/requests`;
  await until(async () => {
    const { data } = await owner.json<{ data: { first_audio_ms: number | null }[] }>(logged);
    return data.length === 2 && data.every(({ first_audio_ms: first }) => first !== null); // they have ended
  });
  // the clock of the harness is held: what took time is written, and more of it on the days before
  const { query, tables } = harness.parts.database;
  const { requestLog } = tables;
  await query.update(requestLog).set({ firstByteMs: 120, durationMs: 480 });
  const [row] = await query.select().from(requestLog);
  const earlier = Array.from({ length: 40 }, (_none, at) => {
    const createdAt = row!.createdAt - 86_400 * (1 + (at % 5)) - 3600 * (at % 8);
    const id = newId("req", { now: () => createdAt * 1000 }); // requests are listed by their ids
    const model = at % 4 === 0 ? "svc-tts2" : row!.model;
    return { ...row!, id, model, createdAt, firstByteMs: 50 + 10 * at };
  });
  await query.insert(requestLog).values(earlier);
  browser = await openBrowser();
  page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  await page.setViewport({ width: 1280, height: 900 });
  await hold(page, owner.cookie());
  complaints = listen(page, harness.url);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const go = (name: string) => page.goto(`${harness.url}/orgs/${harness.organizationId}/${name}`);

/** Nothing covers an edge of an hour above the map. */
const HOURS_ARE_WHOLE = `[...document.querySelectorAll(".heat thead span:not(.unseen)")].every((hour) => {
  hour.scrollIntoView({ block: "center" });
  const { left, right, top, bottom } = hour.getBoundingClientRect();
  return [left + 1, right - 1].every((x) => hour.contains(document.elementFromPoint(x, (top + bottom) / 2)));
})`;

describe.skipIf(!chromium)(`pictures of requests${unlessBrowser}`, () => {
  test("bars above the list count the requests over time, and one selects its hour", async () => {
    await go("requests");
    await sees(page, /\d+ requests/);
    await page.waitForSelector(".chart canvas, .chart svg");
    await page.focus(".chart [tabindex='0']");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.waitForFunction("/start=\\d+&end=\\d+/.test(location.search)");
    await expectLooks(page, "requests-strip");
  });

  test("are not drawn with a filter that sums do not know", async () => {
    await go("requests?status=2xx");
    await sees(page, /female-warm|svc-tts1/);
    expect(await page.$(".chart")).toBeNull();
  });

  test("Live follows below the bars on a low screen, and pauses where the top of the list is scrolled away", async () => {
    await page.setViewport({ width: 1280, height: 450 });
    await go("requests?live=1");
    await page.waitForSelector(".chart");
    await page.waitForSelector("tbody tr");
    const state =
      "document.querySelector('[role=switch]').parentElement.querySelector('[role=status]').innerText";
    expect(await page.evaluate(state)).toBe("");
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.waitForFunction(`${state} === "Paused"`);
    await page.evaluate("scrollTo(0, 0)");
    await page.waitForFunction(`${state} !== "Paused"`);
    await page.setViewport({ width: 1280, height: 900 });
  });

  test("the details of a request have the line of its time", async () => {
    await go("requests");
    await openFirstRow(page);
    await page.waitForSelector(".time-line");
    await sees(page, /Waited 120 ms\s+Sent for 360 ms/);
    await expectLooks(page, "request-time-line");
  });

  test("waits by day and hour are a table with a value where there was speech", async () => {
    await go("usage?range=7d");
    await page.waitForSelector(".heat td.warm");
    await go("usage?range=30d");
    await page.waitForSelector(".heat tbody tr:first-child td.warm"); // no days before the first speech
    expect(await page.$$eval(".heat tbody tr", (rows) => rows.length)).toBeLessThan(9);
    expect(await page.$$eval(".heat td.warm", (cells) => cells.length)).toBeGreaterThan(10);
    await page.setViewport({ width: 390, height: 900 });
    await page.waitForFunction(HOURS_ARE_WHOLE);
    await expectLooks(page, "latency-heat", { fullPage: true });
  });

  test("waits have a row for each model, which leads to its requests", async () => {
    await sees(page, /svc-tts1\s+32\s+\d+ ms\s+\d+ ms\s+svc-tts2\s+10\s+\d+ ms\s+\d+ ms/);
    await press(page, /^svc-tts2$/);
    await arrives(page, /\/requests$/);
    const search = new URLSearchParams(String(await page.evaluate("location.search")));
    expect([search.get("model"), search.get("endpoint")]).toEqual(["svc-tts2", "/v1/audio/speech"]);
    expect(complaints).toEqual([]);
  });
});
