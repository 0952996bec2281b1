/** Promise: no request makes more than thirty minutes of speech, and a refusal says how long the speech would be. */
import { describe, expect, test } from "bun:test";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { toRefusal } from "../../src/errors.ts";
import { openPace } from "../../src/speech/clip-time.ts";
import { planSpeech } from "../../src/speech/plan.ts";

const refusalOf = (act: () => unknown): string | null => {
  try {
    act();
    return null;
  } catch (cause) {
    const { code, param, message } = toRefusal(cause);
    expect({ code, param }).toEqual({ code: "validation_error", param: "input" });
    return message;
  }
};

// Minutes as a server without the limit made them of the prices.
const SENTENCE = "It was a long story, and he told all of it to us. ";
const PRICES = "$1,234,567.89 ".repeat(571);

describe("before synthesis, the estimated duration is right for", () => {
  const cases: [name: string, text: string, speed: number, minutes: number | null][] = [
    ["8,000 characters of prose", SENTENCE.repeat(160), 1, null],
    ["8,000 characters of prose at half the speed", SENTENCE.repeat(160), 0.5, null],
    ["8,000 characters of prices at full speed", PRICES, 4, null],
    ["8,000 characters of prices", PRICES, 1, 44],
    ["8,000 characters of prices at a quarter of the speed", PRICES, 0.25, 175],
    ["8,000 Chinese characters at half the speed", "今天天气很好，我们去公园。".repeat(615), 0.5, 54],
  ];
  test.each(cases)("%s", (_, text, speed, minutes) => {
    const language = text.startsWith("今") ? "zh" : "en";
    const refusal = refusalOf(() => openPace(planSpeech(text, language), speed));
    if (minutes === null) return expect(refusal).toBe(null);
    const minutesNamed = Number(
      /^input would be about (\d+) minutes of speech; one request may make 30\.$/.exec(refusal!)?.[1],
    );
    expect(minutesNamed).toBeWithin(Math.floor(minutes * 0.9), Math.ceil(minutes * 1.1));
  });
});

describe("during synthesis", () => {
  const plan = planSpeech(SENTENCE.repeat(160), "en");
  const sayAll = (seconds: number) => {
    const pace = openPace(plan, 1);
    for (const [at, segment] of plan.entries()) {
      const refusal = refusalOf(() => pace.add(segment, (seconds / plan.length) * TTS_SAMPLE_RATE));
      if (refusal !== null) return { spoken: at / plan.length, refusal };
    }
    return null;
  };

  test("a voice of the usual pace is not refused", () => expect(sayAll(600)).toBe(null));

  test("a voice that is far slower than expected is refused after a tenth", () => {
    const { spoken, refusal } = sayAll(2 * 3600)!;
    expect(spoken).toBeWithin(0.08, 0.13);
    expect(refusal).toMatch(/^input would be about 12\d minutes/);
  });

  test("thirty minutes are the limit in any case", () => {
    const { spoken } = sayAll(1900)!;
    expect(spoken).toBeGreaterThan(0.85);
  });
});
