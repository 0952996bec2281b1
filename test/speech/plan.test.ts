/** Promise: any text becomes segments in order, none too long, none empty, no word cut, and a sentence only where it must be. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Delivery, planSpeech } from "../../src/speech/plan.ts";
import { normalizeText } from "../../src/speech/text/normalize.ts";

const texts = (input: string, language = "en") => planSpeech(input, language).map(({ text }) => text);
const LONG = "This is a sentence of a fair length that says one thing and then stops.";

describe("segments", () => {
  const cases: [input: string, language: string, count: number][] = [
    [`${LONG} ${LONG} ${LONG}`, "en", 3],
    [
      `Dr. Smith and Mr. Jones met the U.S. ambassador at 3.45 p.m. on Jan. 5th in the old town hall of the city. ${LONG}`,
      "en",
      2,
    ],
    [
      `¿Cómo está usted hoy en esta ciudad tan grande y hermosa? ${LONG} ¡Qué alegría verle de nuevo en nuestra casa!`,
      "es",
      3,
    ],
    [
      "今天天气很好，我们一起去公园散步吧，那里有很多美丽的花朵和高大的树木可以欣赏和拍照。".repeat(3),
      "zh",
      3,
    ],
    ["आज मौसम बहुत अच्छा है और हम सब लोग मिलकर बगीचे में घूमने जा रहे हैं। ".repeat(2), "hi", 2],
    [
      "Das ist z.B. ein ganz gewöhnlicher Satz mit einer Abkürzung mitten darin, wie man sie oft sieht. ",
      "de",
      1,
    ],
  ];
  test.each(cases)("of %s (%s) are sentences", (input, language, count) => {
    expect(texts(input, language).length).toBe(count);
  });
});

describe("a sentence", () => {
  const refund = "Call five five five, zero one nine nine before six PM if you want a refund from the shop.";

  test("is one segment of a file, however long its first clause is", () => {
    expect(texts(refund)).toEqual([refund]);
    const clauses = `${"the boats came home and the lamps were lit, ".repeat(6)}all of them.`;
    expect(texts(clauses)).toEqual([clauses]);
  });

  test("that is longer than a run takes is cut at a clause", () => {
    const [first, ...rest] = texts(
      `${"the boats came home while the lamps were lit, ".repeat(8)}all of them.`,
    );
    expect(rest.length).toBe(1);
    expect(first).toEndWith("lit,");
  });

  test("keeps its last words apart from the next sentence", () => {
    const plan = planSpeech(`${refund} The store was founded long ago.`, "en", "streamed");
    expect(plan.map(({ text }) => text)).toEqual([
      "Call five five five, zero one nine nine before six PM",
      "if you want a refund from the shop.",
      "The store was founded long ago.",
    ]);
  });

  test("that is cut tells each part what stands around it", () => {
    for (const { text, context } of planSpeech(refund, "en", "streamed"))
      expect(context!.before + text + context!.after).toBe(refund);
  });
});

test("have pauses that grow with the break: clause, sentence, line, paragraph, and none at the end", () => {
  const plan = planSpeech(
    `Now that all of this is finally over and done with, ${LONG} ${LONG}\n${LONG}\n\n${LONG}`,
    "en",
    "streamed",
  );
  const pauses = plan.map(({ pauseMs }) => pauseMs);
  expect(pauses.length).toBe(5);
  const [piece, sentence, line, paragraph, end] = pauses as [number, number, number, number, number];
  expect([piece < sentence, sentence < line, line < paragraph, end]).toEqual([true, true, true, 0]);
});

test("segments are shorter where a character is a syllable", () => {
  const korean = texts("오늘은 날씨가 아주 좋아서 우리는 공원에 가서 산책을 하고 ".repeat(20), "ko");
  const japanese = texts("今日はとても天気がいいので公園に行って散歩をしました".repeat(20), "ja");
  for (const lengths of [korean, japanese].map((each) => each.map((text) => text.length))) {
    expect(Math.max(...lengths)).toBeLessThanOrEqual(120);
    expect(Math.max(...lengths)).toBeGreaterThan(60);
  }
});

const nothing = ["", "   ", "😀😀😀", "!!! ... ---", "\u0000\u0001", "\ud800"];
test.each(nothing)("are none for %j", (input) => {
  expect(planSpeech(input, "en")).toEqual([]);
});

const LANGUAGES = ["en", "es", "zh", "hi", "ru", "xx", "!!", ""];
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 2000 }),
  fc
    .array(fc.constantFrom("word ", "a", "1", ". ", ", ", "\n", "\n\n", "😀", "你好。", "नमस्ते ", "$", "-"), {
      maxLength: 800,
    })
    .map((parts) => parts.join("")),
);

test("segments are valid for any text", () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom(...LANGUAGES), (input, language) => {
      const plan = planSpeech(input, language);
      for (const { text, pauseMs } of plan) {
        expect(text.trim()).not.toBe("");
        expect([...text].length).toBeLessThanOrEqual(300);
        expect(pauseMs).toBeGreaterThanOrEqual(0);
      }
      expect(planSpeech(input, language)).toEqual(plan);
    }),
    { numRuns: 300 },
  );
});

const LETTERS = /[\p{L}\p{N}]+/gu;
const DELIVERIES: Delivery[] = ["whole", "streamed"];

test("segments joined are the normalized text, for any text and delivery", () => {
  const lettersOf = (text: string) => text.match(LETTERS)?.join("") ?? "";
  fc.assert(
    fc.property(
      anyText,
      fc.constantFrom(...LANGUAGES),
      fc.constantFrom(...DELIVERIES),
      (input, language, delivery) => {
        const plan = planSpeech(input, language, delivery);
        const joined = plan.map(({ text }) => text).join(" ");
        expect(lettersOf(joined)).toBe(lettersOf(normalizeText(input, language)));
      },
    ),
    { numRuns: 300 },
  );
});

test("segments keep words whole and in order", () => {
  const word = fc.stringMatching(/^[b-df-hj-np-tv-z]{4,12}$/);
  const separator = fc.constantFrom(" ", ", ", "; ", ". ", "? ", "\n", "\n\n");
  fc.assert(
    fc.property(fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 300 }), (pairs) => {
      const planned = texts(pairs.flat().join("")).join(" ");
      expect(planned.match(/\p{L}+/gu)?.map(String)).toEqual(pairs.map(([text]) => text));
    }),
  );
});

test("cut a word longer than any segment without losing characters", () => {
  expect(texts("b".repeat(7999)).join("")).toBe("b".repeat(7999));
});
