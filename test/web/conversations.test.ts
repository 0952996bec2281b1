/** Promise: in a real browser, an operator sets conversations, edits them, chooses the default, and removes them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { barriers, chromium, unlessBrowser } from "../chromium.ts";
import { type OperatorPage, openOperatorPage } from "./operator-page.ts";
import { fill, lacks, press, sees, tick } from "./page-actions.ts";

setDefaultTimeout(120_000);

const upstream = (name: string, preset: string, model: string) => ({
  ...{ name, preset, urls: ["http://127.0.0.1:9"], credential: null, flags: {}, added: "2026-11-23" },
  models: [{ type: "llm", model, upstream_model: model }],
});

let opened: OperatorPage;
let page: Page;
beforeAll(async () => {
  if (!chromium) return;
  opened = await openOperatorPage("conversations");
  page = opened.page;
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

const stored = () => opened.harness.parts.conversations.current();

describe.skipIf(!chromium)(`the conversations page${unlessBrowser}`, () => {
  test("shows the built-in one, and what it lacks", async () => {
    await sees(page, /This server has no language model yet/);
    await sees(page, /assistant/);
    await sees(page, /Built in/);
    await sees(page, /The server has no language model for it/);
    expect(await barriers(page)).toEqual([]);
    opened.harness.parts.upstreams.use([
      upstream("far", "openrouter", "giant"),
      upstream("here", "ollama", "qwen3-8b"),
    ]);
    await page.reload();
    await lacks(page, /no language model yet/);
  });

  test("sets one by its parts and texts, and warns where what callers say leaves the machine", async () => {
    await press(page, /^Add a conversation$/);
    await sees(page, /What callers say leaves this machine for that of another company/);
    await fill(page, { name: "svc-stt1", llm: "qwen3-8b", voice: "female-warm" });
    await lacks(page, /What callers say leaves this machine for that of another company/);
    await fill(page, { instructions: "You are Ada. Be brief.", greeting: "Hello, this is Ada." });
    await fill(page, { max_output_tokens: "200", interruption_ms: "400", speculate: "off" });
    await tick(page, "backchannels");
    expect(await barriers(page)).toEqual([]);
    await opened.keep("conversations-add");
    await press(page, /^Save$/);
    await sees(page, /is the name of a model already/);
    await fill(page, { name: "support" });
    await press(page, /^Save$/);
    await sees(page, /After 400 ms of sound, or a word; not by “mm-hm” and the like; goes on after a noise/);
    await sees(page, /200 tokens/);
    await sees(page, /Hello, this is Ada\./);
    await lacks(page, /Built in/);
    expect(stored()).toMatchObject([
      {
        ...{ name: "support", llm: "qwen3-8b", voice: "female-warm", instructions: "You are Ada. Be brief." },
        ...{ max_output_tokens: 200, interruption_ms: 400, backchannels: true, resume: true },
        ...{ speculate: "off", isDefault: true },
      },
    ]);
  });

  test("edits one and leaves the rest of it, and makes another one the default", async () => {
    await press(page, /^Add a conversation$/);
    await fill(page, { name: "sales" });
    await press(page, /^Save$/);
    await sees(page, /Another company/);
    await press(page, /^Make default: sales$/);
    await page.waitForSelector('[aria-label="Make default: support"]');
    await press(page, /^Edit support$/);
    await fill(page, { voice: "", interruption_ms: "0" });
    await press(page, /^Save$/);
    await sees(page, /At any sound/);
    expect(stored()).toMatchObject([
      { name: "sales", isDefault: true },
      {
        name: "support",
        isDefault: false,
        llm: "qwen3-8b",
        voice: null,
        interruption_ms: 0,
        speculate: "off",
      },
    ]);
    expect(await barriers(page)).toEqual([]);
    await opened.keep("conversations");
  });

  test("tries one in the playground, where Talk is chosen, with its name", async () => {
    await page.click('a[aria-label="Try support"]');
    await page.waitForSelector("#panel-talk:not([hidden]) [name=talk-conversation]");
    expect(await page.$eval("[name=talk-conversation]", (field) => (field as { value: string }).value)).toBe(
      "support",
    );
    expect(page.url()).toContain("/orgs/");
    await page.goto(`${opened.harness.url}/operator/conversations`);
    await sees(page, /Add a conversation/);
  });

  test("removes them, until the built-in one is left", async () => {
    for (const name of [/^Remove sales$/, /^Remove support$/]) {
      await press(page, name);
      await press(page, /^Remove$/);
      await page.waitForFunction("!document.querySelector('dialog[open]')");
    }
    await sees(page, /Built in/);
    expect(stored()).toEqual([]);
  });
});
