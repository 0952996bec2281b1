/** Promise: a voice is asked only for text that its scripts can write, and a refusal names them. */
import { describe, expect, test } from "bun:test";
import type { Refusal } from "../../src/errors.ts";
import type { Voice } from "../../src/models/manifest.ts";
import { planScript } from "../../src/speech/plan.ts";
import { orPause, readerOf } from "../../src/speech/pronounceable.ts";
import { readScript } from "../../src/speech/script/read-script.ts";

/** What is spoken of a text: its plan, or the code of the refusal. */
function spoken(text: string, ...languages: string[]) {
  const plan = planScript(readScript(text).parts, languages[0]!);
  try {
    return orPause(plan, { name: "Ada", languages });
  } catch (refusal) {
    return (refusal as Refusal).code;
  }
}
const isRead = (text: string, ...languages: string[]) =>
  spoken(text, ...languages) !== "unpronounceable_input";

describe("a voice", () => {
  test.each([
    ["en", "Hello"],
    ["en", "5"],
    ["en", "½"],
    ["en", "Привет, Ada"],
    ["ru", "Привет"],
    ["ru", "Hello"],
    ["sr", "Здраво"],
    ["zh", "你好"],
    ["ja", "こんにちは"],
    ["ja", "日本"],
    ["ko", "안녕하세요"],
    ["ar", "مرحبا"],
    ["fa", "٣"],
    ["hi", "नमस्ते"],
    ["el", "γειά"],
    ["ka", "გამარჯობა"],
    ["not a tag", "Hello"],
    ["en-Qaaa", "Hello"],
    ["en-Latf", "Hello"],
    ["ja-Hrkt", "Hello"],
  ])("of %s reads %s", (language, text) => {
    expect(isRead(text, language)).toBe(true);
  });

  test.each([
    ["en", "Привет"],
    ["en", "Привет 😀"],
    ["en", "٣"],
    ["es", "你好"],
    ["zh", "こんにちは"],
    ["ru", "مرحبا"],
  ])("of %s does not read %s", (language, text) => {
    expect(isRead(text, language)).toBe(false);
  });

  test("of several languages reads the scripts of all", () => {
    expect([isRead("Привет", "en", "ru"), isRead("你好", "en", "ru")]).toEqual([true, false]);
  });

  const voice = { name: "Ada", engine: "flite", language: "en" } as Voice;
  test("of a package also reads the language that the request names; a built-in one does not", () => {
    expect(readerOf(voice, "ru").languages).toEqual(["en"]);
    expect(readerOf({ ...voice, engine: "kokoro-82m" }, "ru").languages).toEqual(["en", "ru"]);
    expect(readerOf({ ...voice, languages: ["de"] }, null).languages).toEqual(["en", "de"]);
  });
});

describe("a text without a letter or a digit", () => {
  const PAUSE = { text: "", pauseMs: 0, silenceMs: 500 };
  test.each([
    " … ?! ",
    "—",
    "|---|---|",
    "| | |",
    "```",
    "```\n```",
    "~~~",
    "$",
    "$$",
    "<<<",
    "==",
    "+",
    "^",
    "`",
    "¯\\_(ツ)_/¯".replace("ツ", " "),
    "😀",
    "👨‍👩‍👧 ✅",
    "🇩🇪",
    "♪ ☞ ◊",
    "\u200b\u2060\u00ad",
    "\u3164",
    "<!-- note -->",
    "<br/>",
    "&nbsp;",
    "[^1]",
    ":smile:",
    "[pause 0ms]",
  ])("%j is a pause of half a second", (text) => {
    for (const language of ["en", "de", "zh"]) expect(spoken(text, language)).toEqual([PAUSE]);
  });

  test("that has pauses is as long as they are", () => {
    const plan = spoken("[pause 1s] … [pause 200ms] 😀", "en");
    expect(plan).toMatchObject([{ silenceMs: 1000 }, { silenceMs: 200 }]);
  });
});

test.each([
  [["en"], "Latin letters and numbers"],
  [["en", "ru", "ja"], "Latin letters, Cyrillic letters, Japanese letters, and numbers"],
])("a text in another script is refused, with what a voice of %p reads", (languages, read) => {
  const plan = planScript(readScript("!مرحبا").parts, "en");
  expect(() => orPause(plan, { name: "Ada", languages })).toThrow(
    `input has nothing that Ada can pronounce: this voice reads ${read}.`,
  );
});
