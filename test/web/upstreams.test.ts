/** Promise: in a real browser, an operator adds an upstream, tests it, hears it, sees how it is, and removes it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { barriers, chromium, unlessBrowser } from "../chromium.ts";
import { openStandIn, respond, type StandIn, stream, tone } from "../upstreams/stand-in.ts";
import { type OperatorPage, openOperatorPage } from "./operator-page.ts";
import { fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let opened: OperatorPage;
let page: Page;
let far: StandIn;
beforeAll(async () => {
  if (!chromium) return;
  far = openStandIn(({ path }, reply) => {
    if (path.endsWith("/models"))
      return respond(reply, 200, {
        body: '{"data":[{"id":"acme-tts"},{"id":"acme-stt"},{"id":"whisper-1"}]}',
      });
    if (path.endsWith("/transcriptions")) return respond(reply, 500, { body: '{"error":"no room"}' });
    stream(reply, [tone(0.5), tone(0.5)]);
  });
  opened = await openOperatorPage("upstreams");
  page = opened.page;
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
  far?.[Symbol.dispose]();
});

describe.skipIf(!chromium)(`the upstreams page${unlessBrowser}`, () => {
  test("adds a server by its address and kind, and explains one that does not answer", async () => {
    await sees(page, /None yet/);
    await press(page, /^Add an upstream$/);
    await fill(page, { name: "acme", preset: "openai", urls: "http://127.0.0.1:9", voices: "ada" });
    await sees(page, /Texts and recordings go to another company/);
    expect(await barriers(page)).toEqual([]);
    await opened.keep("upstreams-add");
    await press(page, /^Add$/);
    await sees(page, /must name a server that answers as OpenAI does/);
    await fill(page, { urls: far.url });
    await press(page, /^Add$/);
    await sees(page, /Not used yet/);
    await sees(page, /acme-tts/);
    await sees(page, /whisper-1 ends on 2027-02-26: its server has no whisper-1 from that day on/);
  });

  test("tests each model, plays a sample, and shows the state of its servers", async () => {
    await press(page, /^Test acme$/);
    await sees(page, /1\.00 seconds spoken by ada/);
    await sees(page, /the server answered 500/);
    await press(page, /^Play a sample of acme-tts$/);
    await sees(page, /Spoken by ada, of acme-tts/);
    await sees(page, /First byte/);
    await sees(page, /\bUp\b/);
    expect(await barriers(page)).toEqual([]);
    await opened.keep("upstreams");
  });

  test("removes it, and its models with it", async () => {
    await press(page, /^Remove acme$/);
    await press(page, /^Remove$/);
    await sees(page, /None yet/);
    expect(opened.harness.parts.catalogue.find("acme-tts")).toBeNull();
  });
});
