/** Promise: in a real browser, an operator sets what a model costs, at once and from a day on, and removes it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { barriers, chromium, unlessBrowser } from "../chromium.ts";
import { type OperatorPage, openOperatorPage } from "./operator-page.ts";
import { fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let opened: OperatorPage;
let page: Page;
beforeAll(async () => {
  if (!chromium) return;
  opened = await openOperatorPage("prices");
  page = opened.page;
});
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]();
});

const set = () => opened.harness.parts.prices.current();

describe.skipIf(!chromium)(`the page of prices${unlessBrowser}`, () => {
  test("sets a price of an hour of audio, and one of a later day, and removes it", async () => {
    await press(page, /^Set price of svc-stt1$/);
    await fill(page, { unit_price_micros: "0.72" });
    expect(await barriers(page)).toEqual([]);
    await press(page, /^Save price$/);
    await sees(page, /\$0\.72 per hour of audio/);
    expect(set()).toMatchObject([{ model: "svc-stt1", micros: 200_000_000, backgroundMicros: null }]);
    await press(page, /^Set price of svc-tts1$/);
    const day = new Date(opened.harness.clock.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    await page.evaluate(`{
      const field = document.querySelector("[name=valid_from]");
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "${day}");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }`);
    await fill(page, { unit_price_micros: "8", background_unit_price_micros: "4" });
    await press(page, /^Save price$/);
    await sees(page, /\$8\.00 per million characters, \$4\.00 per million characters in the background/);
    expect(await barriers(page)).toEqual([]);
    await opened.keep("prices");
    await press(page, new RegExp(`^Remove the price of svc-tts1 from ${day}$`));
    await press(page, /^Remove$/);
    await page.waitForFunction(`!document.body.innerText.includes("$8.00")`);
    expect(set()).toMatchObject([{ model: "svc-stt1" }]);
  });
});
