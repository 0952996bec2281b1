/** Promise: a voice is asked only for text that its scripts can write, and a refusal names them. */
import { describe, expect, test } from "bun:test";
import { Refusal } from "../../src/errors.ts";
import type { Voice } from "../../src/models/manifest.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { isPronounceable, pauseFor, readerOf } from "../../src/speech/pronounceable.ts";

const isRead = (text: string, ...languages: string[]) =>
  isPronounceable(planSpeech(text, languages[0]!), { name: "Ada", languages });

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
    ["en", "😀"],
    ["en", "Привет"],
    ["en", "٣"],
    ["es", "你好"],
    ["zh", "こんにちは"],
    ["ru", "مرحبا"],
    ["en", "♪ ☞"],
    ["en", "."],
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

describe("a text that is not pronounced", () => {
  test("is a pause of half a second where it is punctuation", async () => {
    const { samples, sampleCount } = pauseFor(" … ?! ", { name: "Ada", languages: ["en"] });
    expect((await Array.fromAsync(samples)).map(({ length }) => length)).toEqual([sampleCount]);
    expect(sampleCount).toBe(12_000);
  });

  test.each([
    [["en"], "Latin letters and numbers"],
    [["en", "ru", "ja"], "Latin letters, Cyrillic letters, Japanese letters, and numbers"],
  ])("is otherwise refused, with what a voice of %p reads", (languages, read) => {
    let refusal: unknown;
    try {
      pauseFor("😀!", { name: "Ada", languages });
    } catch (thrown) {
      refusal = thrown;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({
      code: "unpronounceable_input",
      param: "input",
      message: `input has nothing that Ada can pronounce: this voice reads ${read}.`,
    });
  });
});
