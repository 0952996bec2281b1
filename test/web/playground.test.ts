/** Promise: in a real browser, with a key or signed in, the playground speaks, compares voices and remembers, in the browser only. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { signUp } from "../api/management/people.ts";
import { barriers, chromium } from "../chromium.ts";
import { hasClips } from "../clips.ts";
import { until } from "../until.ts";
import { press, savedBy } from "./page-actions.ts";
import {
  countOf,
  eventually,
  openPlayground,
  type Playground,
  playByKeyboard,
  positionOf,
  speak,
  textOf,
  write,
} from "./playground-page.ts";

setDefaultTimeout(120_000);

const ready = chromium !== undefined && hasClips;
const unlessReady = ready ? "" : " (skipped: Chromium or the recordings are not here)";

let playground: Playground;
beforeAll(async () => {
  if (ready) playground = await openPlayground(["speech-en/LJ001-0008.wav"]);
});
afterAll(() => playground?.[Symbol.asyncDispose]());

const POSITION = ".waveform input";
const HISTORY = ".history li";

/** The requests for speech that the server has logged. */
const speechRequests = () =>
  playground.harness.logged.filter(
    ({ event, endpoint }) => event === "request" && endpoint === "/v1/audio/speech",
  );

describe.skipIf(!ready)(`the playground${unlessReady}`, () => {
  test("Ctrl+Enter speaks; the waveform seeks by click and by keyboard", async () => {
    const { page, complaints, close } = await playground.open();
    expect(await countOf(page, ".voice")).toBe(20);
    await page.focus("[name=voice-search]");
    await speak(page);
    expect(await textOf(page, "#speech-status")).toMatch(/First audio after [\d.]+ m?s; \d+\.\d s of speech/);
    await page.waitForSelector(".player select:enabled");
    await press(page, /^Pause$/);
    const wave = (await (await page.$(".waveform"))!.boundingBox())!;
    await page.mouse.click(wave.x + wave.width / 2, wave.y + wave.height / 2);
    const duration = Number(await page.$eval(POSITION, (range) => (range as unknown as { max: string }).max));
    expect(duration).toBeGreaterThan(2);
    expect(await positionOf(page)).toBeCloseTo(duration / 2, 0);
    expect(await countOf(page, ".waveform path.played[d*='V']")).toBe(1);
    await page.keyboard.press("ArrowLeft");
    expect(await positionOf(page)).toBeCloseTo(duration / 2 - 2, 0);
    await page.keyboard.press("Home");
    expect(await positionOf(page)).toBe(0);
    await page.select(".player select", "2");
    await press(page, /^Play the recording$/);
    await page.waitForFunction(`Number(document.querySelector("${POSITION}").value) > 0.5`);
    expect(complaints).toEqual([]);
    await close();
  });

  test("another format and speed are received whole, and are what Download saves", async () => {
    const { page, close } = await playground.open();
    await page.select("[name=format]", "mp3");
    await page.focus("[name=speed]");
    await page.keyboard.press("ArrowRight");
    await write(page, "Good morning.");
    await speak(page);
    const [request] = speechRequests().slice(-1);
    expect(request).toMatchObject({ responseFormat: "mp3", stream: false });
    const start = [...(await savedBy(page, /^Download mp3$/)).subarray(0, 3)];
    // an ID3 tag or the sync of a frame
    expect([[0x49, 0x44, 0x33].join(), "255"]).toContain(start[0] === 255 ? "255" : start.join());
    await close();
  });

  test("a model without speed and instructions does not offer them", async () => {
    const { page, close } = await playground.open();
    expect(await countOf(page, "[name=speed], [name=instructions]")).toBe(2);
    await page.select("[name=model]", "svc-tts2");
    await page.waitForFunction(
      "(({ length }) => length > 0 && length < 20)(document.querySelectorAll('.voice'))",
    );
    expect(await countOf(page, "[name=speed], [name=instructions]")).toBe(0);
    await close();
  });

  test("an error is shown as one, and leaves Speak ready and nothing to stop", async () => {
    const { page, close } = await playground.open();
    await write(page, "");
    await playByKeyboard(page);
    await eventually(page, "#speech-status.problem", /Write a text to speak/);
    await write(page, "Once more.");
    await page.setOfflineMode(true);
    await playByKeyboard(page);
    await eventually(page, "#speech-status.problem", /cannot be reached/);
    expect(await textOf(page, ".play-line button")).toContain("Speak");
    await page.setOfflineMode(false);
    await speak(page);
    await close();
  });

  test("voices are searched; a sample is spoken once and kept in the browser", async () => {
    const { page, complaints, close } = await playground.open();
    await page.type("[name=voice-search]", "german female");
    await page.waitForFunction("document.querySelectorAll('.voice').length === 1");
    const sample = async () => {
      await page.waitForSelector('[aria-label^="Play a sample of"]');
      const begun = page.waitForSelector('[aria-label^="Stop the sample of"]:not([aria-busy=true])');
      await Promise.all([begun, page.click(".voice button")]); // it is short
      await page.click(".voice button");
      await page.waitForSelector('[aria-label^="Play a sample of"]');
    };
    const before = speechRequests().length;
    await sample();
    await sample();
    await page.reload();
    await page.waitForSelector(".voice");
    await page.type("[name=voice-search]", "german female");
    await page.waitForFunction("document.querySelectorAll('.voice').length === 1");
    await sample();
    expect(speechRequests().length).toBe(before + 1);
    await page.click(".voice label");
    expect(await page.$eval("[name=text]", (field) => (field as unknown as { value: string }).value)).toMatch(
      /Frühling/,
    );
    await eventually(page, ".text-line", /German/);
    await write(page, "This is an English text, and the voice is not.");
    await press(page, /^Use Ada$/);
    await page.waitForFunction("!/The text looks like/.test(document.body.innerText)");
    expect(complaints).toEqual([]);
    await close();
  });

  test("several voices speak the same text, and each can be played", async () => {
    const { page, close } = await playground.open();
    await write(page, "Which of us is it?");
    await page.click("[name=compare]");
    await page.click('label:has([value="male-deep"])');
    await page.click('label:has([value="male-bright"])');
    await press(page, /^Speak with 3 voices/);
    await page.waitForFunction("document.querySelectorAll('.comparison li').length === 3");
    expect(await textOf(page, ".comparison")).toMatch(/A.*Ada.*B.*Rowan.*C.*Alasdair/);
    await page.click(".comparison li:nth-child(2) button");
    await page.waitForSelector(".comparison li:nth-child(2) [aria-pressed=true]");
    await eventually(page, ".player .title", /Rowan/);
    await close();
  });

  test("the history survives a reload, gives its settings back, and can be cleared", async () => {
    const { page, close } = await playground.open();
    await page.click('label:has([value="male-deep"])');
    await write(page, "Remember this.");
    await speak(page);
    await write(page, "And now another.");
    await page.reload();
    await page.waitForSelector(".voice");
    expect(await page.$eval("[name=text]", (field) => (field as unknown as { value: string }).value)).toBe(
      "And now another.",
    );
    await eventually(page, HISTORY, /Remember this\..*Rowan/);
    const spoken = speechRequests().length;
    await page.click(`${HISTORY} button`);
    await eventually(page, ".player .title", /Rowan/);
    expect(speechRequests().length).toBe(spoken);
    await press(page, /^Use this text and these settings again$/);
    expect(await page.$eval("[name=text]", (field) => (field as unknown as { value: string }).value)).toBe(
      "Remember this.",
    );
    await press(page, /^Clear$/);
    await press(page, /^Clear the history$/);
    await page.waitForFunction(`!document.querySelector("${HISTORY}")`);
    await page.reload();
    await page.waitForSelector(".voice");
    expect(await countOf(page, HISTORY)).toBe(0);
    expect(
      await page.$eval("[name=text]", (field) => (field as unknown as { value: string }).value),
    ).not.toContain("Remember");
    await close();
  });

  test("the code of each tab names the current settings, and not the key", async () => {
    const { page, close } = await playground.open();
    await write(page, "As code.");
    await page.click('label:has([value="male-deep"])');
    await press(page, /View code/);
    for (const language of ["curl", "Python", "JavaScript"]) {
      await page.click(`#code-${language}`);
      const code = await textOf(page, "#code");
      for (const part of [`${playground.harness.url}/v1`, "male-deep", "As code.", "LOQUAT_KEY"])
        expect(code).toContain(part);
      expect(code).not.toContain(playground.harness.key);
    }
    expect(await barriers(page)).toEqual([]);
    await close();
  });

  test("a key in the fragment is used, kept for the tab and removed from the address", async () => {
    const { page, close } = await playground.open("?tab=live");
    expect(await page.evaluate("location.href")).toBe(`${playground.harness.url}/playground?tab=live`);
    await page.reload();
    await eventually(page, "#key-status", /Using a live key of/);
    await close();
  });

  test("without a key the page says so; a wrong one is shown as an error", async () => {
    const { page, close } = await playground.openBare();
    await eventually(page, ".card", /needs an API key/);
    expect(await countOf(page, 'a[href^="/sign-in"]')).toBe(1);
    await page.type("#key", "sk_live_nonsense");
    await page.click(".key-form button");
    await eventually(page, "#key-status.problem", /does not exist.*invalid_api_key/);
    await close();
  });

  test("a signed-in user gets a test key of the chosen project, in memory only", async () => {
    const { harness } = playground;
    const person = await signUp(harness, "ada@example.com");
    const second = await person.json<{ id: string }>("/api/organizations", { name: "Second" });
    const project = await person.json<{ id: string }>(`/api/organizations/${second.id}/projects`, {
      name: "Website",
    });
    const { page, complaints, close } = await playground.openSignedIn(
      person,
      `?organization=${second.id}&model=svc-tts1&voice=male-deep`,
    );
    await eventually(page, "#key-status", /Using a test key of project Default\./);
    expect(await page.evaluate("location.pathname")).toBe(`/orgs/${second.id}/playground`);
    expect(await countOf(page, ".key-form")).toBe(0);
    expect(await countOf(page, "nav#menu")).toBe(1);
    await page.select("[name=project]", project.id);
    await eventually(page, "#key-status", /Using a test key of project Website\./);
    await page.waitForSelector(".voice");
    expect(await countOf(page, '.voice.chosen [value="male-deep"]')).toBe(1);
    expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toContain(
      "sk_",
    );
    const { data } = await person.json<{ data: { environment: string; project_id: string }[] }>(
      `/api/organizations/${second.id}/keys?project_id=${project.id}`,
    );
    expect(data).toMatchObject([{ environment: "test", project_id: project.id }]);
    expect(complaints).toEqual([]);
    await close();
  });

  test("speech of a signed-in user is billed to their organization", async () => {
    const person = await signUp(playground.harness, "grace@example.com");
    const { page, complaints, close } = await playground.openSignedIn(person);
    await page.waitForSelector(".voice");
    await speak(page);
    const { organizations } = await person.json<{ organizations: { id: string }[] }>("/api/session");
    const used = () =>
      person.json<{ data: { environment: string; cost_micros: number }[] }>(
        `/api/organizations/${organizations[0]!.id}/requests?endpoint=/v1/audio/speech`,
      );
    const data = await until(async () => {
      const { data } = await used();
      return data.length > 0 && data;
    });
    expect(data.map(({ environment }) => environment)).toEqual(["test"]);
    expect(data[0]!.cost_micros).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test.each([
    ["light", 1280],
    ["dark", 390],
  ])("no tab has a serious accessibility violation: %s, %d px", async (scheme, width) => {
    const { page, close } = await playground.open();
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.reload();
    await page.waitForSelector(".voice");
    await speak(page);
    for (const tab of ["speak", "transcribe", "live", "talk"]) {
      await page.click(`#tab-${tab}`);
      await page.waitForSelector(`#panel-${tab}:not([hidden])`);
      const serious = await barriers(page);
      const overflow = Number(await page.evaluate("document.documentElement.scrollWidth")) > width;
      expect({ tab, serious, overflow }).toEqual({ tab, serious: [], overflow: false });
    }
    await close();
  });
});
