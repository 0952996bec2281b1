/** Promise: in a real browser, people talk with a language model by voice or in writing, interrupt it, and see what was heard. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { defineModel } from "../api/v1/conversation/talk.ts";
import { barriers, chromium } from "../chromium.ts";
import { hasClips } from "../clips.ts";
import { openStub, type Stub } from "../llm-stub.ts";
import { until } from "../until.ts";
import { press, tick } from "./page-actions.ts";
import { countOf, eventually, openPlayground, type Playground, textOf } from "./playground-page.ts";

setDefaultTimeout(120_000);

const ready = chromium !== undefined && hasClips && installedFamilies().has("sphinx");
const unlessReady = ready ? "" : " (skipped: Chromium, the recordings or libpocketsphinx are not here)";

let playground: Playground;
let stub: Stub;
beforeAll(async () => {
  if (!ready) return;
  playground = await openPlayground(["speech-en/LJ001-0008.wav"], { pauseSeconds: 30 }); // for answers on a busy machine
  stub = await openStub();
});
afterAll(async () => {
  await playground?.[Symbol.asyncDispose]();
  await stub?.[Symbol.asyncDispose]();
});

const TALK = "?tab=talk";
const STATUS = "#talk-status";
const SPOKEN = /has never been surpassed/;

/** The language model of the server behaves so from now on. */
const use = (model: string) => defineModel(playground.harness, stub, { upstream_model: model });

async function write(page: Page, text: string): Promise<void> {
  await page.type("[name=talk-text]", text);
  await page.keyboard.press("Enter");
}

/** The text of the last answer, without what only screen readers are told. */
const answerOf = (page: Page, part: "" | ".unheard"): Promise<string> =>
  page.$$eval(`.dialogue .answer p:first-child ${part}`, (found) => {
    const copy = (found as unknown as { cloneNode(deep: true): Parsed }[]).at(-1)?.cloneNode(true);
    for (const hidden of copy?.querySelectorAll(".unseen") ?? []) hidden.remove();
    return copy?.textContent ?? "";
  });
type Parsed = { textContent: string; querySelectorAll(selector: string): { remove(): void }[] };

describe.skipIf(!ready)(`the Talk tab${unlessReady}`, () => {
  test("says how to add a language model where there is none", async () => {
    const { page, close } = await playground.open(TALK);
    await press(page, /^Start talking$/);
    await eventually(page, "#panel-talk .notice", /no conversation “assistant”.*loquat upstream add ollama/);
    expect(await textOf(page, STATUS)).toBe("");
    expect(await barriers(page)).toEqual([]);
    await close();
  });

  test("a spoken turn is answered by voice, and its stages are shown", async () => {
    use("echo");
    const { page, complaints, close } = await playground.open(TALK);
    await press(page, /^Start talking$/);
    await eventually(page, ".dialogue .turn:not(.open)", SPOKEN);
    await press(page, /^Mute$/); // the recording begins again
    await page.waitForFunction(
      "/You said: .*surpassed/.test(document.querySelector('.dialogue .answer')?.innerText)" +
        " && !document.querySelector('.dialogue .unheard')",
    );
    expect(await textOf(page, ".stages")).toMatch(/Transcript\d.*s.*First sound\d.*s/);
    await eventually(page, STATUS, /Your microphone is muted/);
    await press(page, /^End$/);
    await eventually(page, STATUS, /The conversation is over/);
    expect(await textOf(page, ".dialogue")).toMatch(SPOKEN);
    expect(complaints).toEqual([]);
    await close();
  });

  test("speech interrupts an answer, and the model learns what the page shows as heard", async () => {
    use("long");
    const { page, complaints, close } = await playground.open(TALK);
    await write(page, "Tell me everything.");
    await eventually(page, STATUS, /The assistant answers/);
    await press(page, /^Start talking$/);
    await eventually(page, ".dialogue .badge", /Interrupted/);
    const unheard = await answerOf(page, ".unheard");
    const whole = await answerOf(page, "");
    expect(unheard).toMatch(/rather long answer/);
    const before = stub.calls.length;
    await page.waitForFunction("document.querySelectorAll('.dialogue .turn:not(.open)').length >= 2");
    await page.waitForFunction("document.querySelectorAll('.dialogue .answer').length >= 2");
    await press(page, /^End$/);
    const answer = stub.calls[before]!.body.messages.find(({ role }) => role === "assistant");
    const told = String(answer?.content ?? ""); // nothing, where nothing was heard
    const heard = whole.slice(0, whole.length - unheard.length).trim();
    expect(whole).toStartWith(told);
    expect(told.length).toBeLessThan(whole.length);
    expect(Math.abs(told.length - heard.length)).toBeLessThan(whole.length / 2); // two clocks, and a busy machine plays late
    expect(complaints).toEqual([]);
    await close();
  });

  test("Interrupt ends an answer at once, and what is written next is answered", async () => {
    use("long");
    const { page, complaints, close } = await playground.open(TALK);
    await write(page, "Tell me everything.");
    await eventually(page, STATUS, /The assistant answers/);
    await press(page, /^Interrupt$/);
    await eventually(page, ".dialogue .badge", /Interrupted/);
    await eventually(page, STATUS, /Write something/);
    use("echo");
    await write(page, "Good.");
    await until(async () => /You said: .*Good/s.test(await answerOf(page, ""))); // after both turns, where nothing was heard
    expect(complaints).toEqual([]);
    await close();
  });

  test("an answer that never sounded is not told to the model", async () => {
    use("long");
    const { page, close } = await playground.open(TALK);
    await page.evaluate("AudioContext.prototype.resume = function () { return this.suspend(); }");
    await write(page, "Tell me everything.");
    await eventually(page, ".dialogue .unheard", /rather long answer/);
    await press(page, /^Interrupt$/);
    await eventually(page, ".dialogue .badge", /Interrupted/);
    use("echo");
    await write(page, "Good.");
    await until(async () => (await answerOf(page, "")).includes("You said: Tell me everything.\nGood."));
    expect(stub.calls.at(-1)!.body.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    await close();
  });

  test("push to talk by mouse and by keyboard; a function is called and answered", async () => {
    use("tool");
    const { page, complaints, close } = await playground.open(TALK);
    await page.select("[name=talk-turns]", "none");
    await tick(page, "talk-time");
    await press(page, /^Start talking$/);
    await eventually(page, STATUS, /Hold the button/);
    await page.focus(".hold");
    await page.keyboard.press("Space");
    await page.waitForSelector(".hold[aria-pressed=true]");
    expect(await barriers(page)).toEqual([]);
    await page.waitForFunction("document.querySelector('.talk-line meter').value > 0.2");
    await page.waitForFunction("document.querySelector('.talk-line meter').value < 0.01");
    await page.keyboard.press("Space");
    await eventually(page, ".dialogue .call", /current_time\(\{"city":"Oslo"\}\)\s*→.*20\d\d/);
    await eventually(page, ".dialogue .answer:last-child", /It is sunny in Oslo/);
    expect(await countOf(page, ".dialogue .turn")).toBe(1);
    const sent = stub.calls.at(-1)!.body.messages;
    expect(sent.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("without the microphone, the page says why, and what is written is answered", async () => {
    use("echo");
    const { page, complaints, close } = await playground.open(TALK);
    await page.evaluate(`navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException("Permission denied", "NotAllowedError"))`);
    await press(page, /^Start talking$/);
    await eventually(
      page,
      `${STATUS}.problem`,
      /did not allow the microphone.*You can write to the assistant/,
    );
    await write(page, "Hello.");
    await eventually(page, ".dialogue .answer", /You said: Hello/);
    expect(complaints).toEqual([]);
    await close();
  });

  test("an answer that fails says so, and the conversation goes on", async () => {
    use("error:500");
    const { page, close } = await playground.open(TALK);
    await write(page, "Hello.");
    await eventually(page, ".dialogue .answer .problem", /llm_unavailable/);
    use("echo");
    await write(page, "Again.");
    await eventually(page, ".dialogue li:last-child", /You said: .*Again/s);
    await close();
  });

  test("the voice, the instructions and the code follow the settings, also while it is open", async () => {
    use("echo");
    const { page, close } = await playground.open(TALK);
    await write(page, "Hello.");
    await eventually(page, ".dialogue .answer", /You said: Hello/);
    await page.waitForSelector('[name=talk-voice] [value="male-deep"]');
    await page.select("[name=talk-voice]", "male-deep");
    await page.type("[name=talk-instructions]", "Be brief.");
    await write(page, "Again.");
    await eventually(page, ".dialogue li:last-child", /You said: .*Again/s);
    expect(JSON.stringify(stub.calls.at(-1)!.body.messages[0])).toContain("Be brief.");
    await press(page, /View code/);
    for (const language of ["JavaScript", "Agents", "Python"]) {
      await page.click(`#code-${language}`);
      const code = await textOf(page, "#code");
      for (const part of ["/v1", "assistant", "male-deep", "Be brief.", "LOQUAT_KEY"])
        expect(code).toContain(part);
      expect(code).not.toContain(playground.harness.key);
    }
    await close();
  });
});
