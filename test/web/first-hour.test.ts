/**
 * Promise: in a real browser, a new server leads from a key that is filled in to its first request, draws the first day by the
 * hour and waits with their values, and shows its operator who an organization is and which limits it has.
 * With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { newId } from "../../src/ids.ts";
import { barriers, chromium, unlessBrowser } from "../chromium.ts";
import { type OperatorPage, openOperatorPage } from "./operator-page.ts";
import { fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let opened: OperatorPage;
let page: Page;
beforeAll(async () => {
  if (!chromium) return;
  opened = await openOperatorPage("status");
  page = opened.page;
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

const go = (path: string) => page.goto(opened.harness.url + path);
const organization = (path: string) => go(`/orgs/${opened.harness.organizationId}/${path}`);

async function looked(name: string): Promise<void> {
  await opened.keep(name);
  expect(await barriers(page)).toEqual([]);
}

/** A request for speech, of today or days ago, whose first audio came after this time. */
async function waited(firstByteMs: number, days = 0, fields: object = {}): Promise<void> {
  const { parts, organizationId, clock } = opened.harness;
  const createdAt = Math.floor(clock.now() / 1000) - days * 86_400;
  const [project] = await parts.accounts.listProjects(organizationId);
  await parts.ledger.log({
    ...{ organizationId, projectId: project!.id, keyId: "key_first", environment: "live", createdAt },
    ...{ id: newId("req", clock), endpoint: "/v1/audio/speech", method: "POST" },
    ...{ status: 200, errorCode: null, errorMessage: null, costMicros: 0, durationMs: 900, firstByteMs },
    ...{ model: "svc-tts1", voice: "female-warm", stream: true, responseFormat: "pcm", characters: 25 },
    ...{ audioSeconds: null, responses: null, inputTokens: null, outputTokens: null },
    ...{ ip: "203.0.113.7", userAgent: "test", replayOf: null, endUser: null, label: null },
    ...{ language: null, finalTextMs: null },
    ...fields,
  });
}

describe.skipIf(!chromium)(`the first hour of a server${unlessBrowser}`, () => {
  test("first steps make a key and fill it in, and announce the request that it sends", async () => {
    await organization("overview");
    await sees(page, /first-key of its data directory/);
    await looked("first-steps");
    await press(page, /^Create a key$/);
    await sees(page, /not shown again after your first request/);
    await looked("first-steps-key");
    const command = String(await page.evaluate("document.querySelector('#code').innerText"));
    const secret = /Bearer (sk_live_\w{40})"/.exec(command)![1]!;
    const body = /-d '(\{.*\})'/.exec(command)![1]!;
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const response = await fetch(`${opened.harness.url}/v1/audio/speech`, { method: "POST", headers, body });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    await sees(page, /Your first request arrived/);
  });

  test("the first day is drawn by the hour", async () => {
    await sees(page, /Requests by hour[\s\S]*The last 24 hours in UTC/);
    await page.waitForSelector(".chart-card canvas");
    await looked("first-day");
  });

  test("waits for the first audio have an axis, values and links to their requests", async () => {
    await waited(180);
    await waited(420);
    await organization("usage");
    const plot = await page.waitForSelector(`.plot[aria-label^="Wait for the first audio by day, 30 days"]`);
    await page.waitForSelector(".plot canvas");
    await looked("usage-waits");
    await plot!.focus();
    await page.keyboard.press("End");
    await page.waitForFunction(
      "/: Median \\d.*, 95th percentile \\d/.test(document.activeElement.innerText)",
    );
    expect(await page.evaluate("document.activeElement.innerText")).not.toMatch(/Total/);
    await page.keyboard.press("Enter");
    await page.waitForFunction("location.pathname.endsWith('/requests')");
    expect(new URL(page.url()).searchParams.get("endpoint")).toBe("/v1/audio/speech");
  });

  test("waits of another endpoint can be chosen, and those of recordings are a share of their length", async () => {
    const heard = {
      endpoint: "/v1/audio/transcriptions",
      model: "svc-stt1",
      audioSeconds: 9,
      characters: null,
    };
    await waited(890, 0, heard);
    await organization("usage");
    await sees(page, /First audio/);
    await fill(page, { waits: heard.endpoint });
    await sees(page, /Whole answers[\s\S]*svc-stt1\s+1\s+900 ms\s+900 ms\s+10.0%/);
    await looked("usage-answers");
    await organization(`usage?endpoint=${encodeURIComponent(heard.endpoint)}`);
    await sees(page, /Whole answers/);
    expect(await page.evaluate("document.body.innerText")).not.toMatch(/First audio/);
  });

  test("an organization with days of use never asks for its hours", async () => {
    await waited(180, 5);
    const asked: string[] = [];
    const note = (request: { url(): string }) => asked.push(request.url());
    page.on("request", note);
    await organization("overview");
    await sees(page, /Requests by day/);
    page.off("request", note);
    expect(asked.filter((url) => url.includes("bucket=day"))).not.toEqual([]);
    expect(asked.filter((url) => url.includes("bucket=hour"))).toEqual([]);
  });

  test("the page of an organization has its name, its course, and its limits as numbers", async () => {
    const { harness } = opened;
    const { name } = (await harness.parts.accounts.organization(harness.organizationId))!;
    await go(`/operator/organizations/${harness.organizationId}`);
    await page.waitForFunction(`document.querySelector("h1")?.innerText === ${JSON.stringify(name)}`);
    await page.waitForSelector(`.plot[aria-label^="Requests by day, last 30 days"] canvas`);
    await looked("organization");
    await press(page, /^Limits$/);
    const placeholder = "document.querySelector('dialog [name=requests_per_minute]').placeholder";
    expect(String(await page.evaluate(placeholder))).toMatch(/^[\d,]{4,}$/);
    await press(page, /^Cancel$/);
  });

  test("the status page says what is worth a look, or that nothing is", async () => {
    const { cluster } = opened.harness.parts;
    const { nodes } = cluster;
    const counted = (counters: Record<string, number>) => {
      const { report, ...self } = cluster.self();
      cluster.nodes = () => [{ ...self, report: { ...report, counters } }];
    };
    counted({ loquat_requests_total: 3, loquat_spans_dropped_total: 0 });
    await go("/operator/status");
    await sees(
      page,
      /Good Nothing was lost, dropped or replaced\.\s+3 requests have reached an audio endpoint/,
    );
    expect(await page.evaluate("document.body.innerText")).not.toMatch(/spans? of/);
    await looked("status");
    counted({ loquat_requests_total: 3, loquat_spans_dropped_total: 2 });
    await sees(page, /Check 2 spans of traces were not delivered/);
    expect(await page.evaluate("document.body.innerText")).not.toMatch(/Nothing was lost/);
    cluster.nodes = nodes;
  });
});
