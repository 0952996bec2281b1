/** Promise: a sentence is cut where a clause ends or a phrase begins, never behind a word that binds or inside a number. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PlannedSegment } from "../../../src/engine/protocol/plan.ts";
import { type Delivery, planScript, planSpeech } from "../../../src/speech/plan.ts";
import { functionWordsOf } from "../../../src/speech/text/function-words.ts";
import { plainTrace } from "../../../src/speech/text/origins.ts";
import { openingOf } from "../../../src/speech/text/sentences.ts";

const cases: [language: string, opening: string, rest: string][] = [
  ["en", "The harbour lights came on one by one", "while the last boats turned for home."],
  ["en", "Please stay on the line,", "because the next free colleague will answer your call."],
  ["en", "Fresh bread smells better than anything else", "that I can think of at this hour."],
  ["en-GB", "She folded the map twice and put it", "under the lamp to keep it flat."],
  ["en", "We have about one thousand two hundred fifty employees", "in the whole of Europe and Asia."],
  ["es", "La reunión se ha cambiado al jueves", "porque dos de los ponentes están enfermos."],
  ["fr", "Personne ne savait que le magasin était fermé", "parce que la porte n'avait aucune affiche."],
  ["de", "Das ganze Dorf kam auf die Straße", "als die Kapelle zu spielen begann."],
  ["it", "Mia nonna faceva il pane ogni mattina", "mentre mio nonno leggeva il giornale."],
  ["pt", "A aldeia inteira saiu à rua", "quando a banda começou a tocar."],
  ["ru", "Вся деревня вышла на улицу", "когда заиграл духовой оркестр."],
  ["hi", "पूरा गाँव सड़क पर निकल आया", "जब बैंड ने संगीत बजाना शुरू किया।"],
  ["zh", "博物馆上午十点开门，", "下午六点关门，每月的第一个星期一除外。"],
];

const opening = (sentence: string, language = "en") => openingOf(sentence, language);

const WITHOUT: [sentence: string, language: string][] = [
  ["Hello, my friend, how are you and where?", "en"],
  ["x".repeat(60), "en"],
  ["A text whose language has no list of words and which has no comma in it", "xx"],
  ["We are always really very glad to welcome you", "en"],
  ["You still owe us exactly two hundred and fifty thousand dollars", "en"],
  ["The market sells no more than seven kilograms of apples", "en"],
  ["Nobody could have been expected to have understood him", "en"],
];

describe("the first segment of a stream", () => {
  test.each(cases)("in %s is: %s", (language, opening, rest) => {
    const sentence = /[，]$/.test(opening) ? opening + rest : `${opening} ${rest}`;
    expect(planSpeech(sentence, language, "streamed").map(({ text }) => text)).toEqual([opening, rest]);
  });

  test("is the whole of a short sentence, and of one without a good place", () => {
    for (const [sentence, language] of WITHOUT) expect(opening(sentence, language)).toBeNull();
  });

  test("leaves no crumb of the sentence, and none before it", () => {
    expect(opening("It is, in the opinion of everybody they asked about it, so.")).toBeNull();
    expect(opening("The answer that nobody had thought of was given, sir.")).toBeNull();
  });

  test("is that of the file where the clip is delivered whole", () => {
    const [sentence] = cases.map(([, opening, rest]) => `${opening} ${rest}`);
    expect(planSpeech(sentence!, "en", "whole")).toEqual(planSpeech(sentence!, "en"));
    expect(planSpeech(sentence!, "en").map(({ text }) => text)).toEqual([sentence!]);
  });

  test("of a script is cut in its first text only", () => {
    const [, opening, rest] = cases[0]!;
    const part = { text: plainTrace(`${opening} ${rest}`), rate: 1 };
    const plan = planScript([{ silenceMs: 500 }, part, part], "en", "streamed");
    expect(plan.map(({ text }) => text).slice(0, 3)).toEqual(["", opening, rest]);
    expect(plan[3]!.text).not.toBe(opening);
  });
});

/** Words of which any text is made: with places to cut, with words that bind, and with numbers. */
const WORDS =
  "boats and the that so to find harbours with of a is not because in two hundred 250 thirty-one".split(" ");

test("no word is lost or cut, and none is left behind a word that binds or inside a number, for any text", () => {
  const { binds, numbers } = functionWordsOf("en");
  const separator = fc.constantFrom(" ", " ", " ", " ", ", ", "; ", ". ");
  const isNumber = (word = "") => /^\d/.test(word) || numbers.has(word.split("-")[0]!);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...WORDS), separator), { minLength: 1, maxLength: 60 }),
      fc.constantFrom<Delivery>("whole", "streamed"),
      (pairs, delivery) => {
        const input = `Boats ${pairs.flat().join("")}`;
        const whole = planSpeech(input, "en", "whole");
        const planned = planSpeech(input, "en", delivery);
        const words = (plan: PlannedSegment[]) =>
          plan.flatMap(({ text }) => text.match(/[\p{L}\d-]+/gu) ?? []);
        expect(words(planned)).toEqual(words(whole));
        for (const { text, context } of planned.slice(0, -1)) {
          if (!context || text.length > 200) continue; // cut because it is too long for a run, where it may have no place
          if (/[;:,]$/.test(text) || !/^\s*\S/.test(context.after)) continue;
          const last = text.split(" ").at(-1)!.toLowerCase();
          const [next, following] = context.after
            .trim()
            .toLowerCase()
            .split(/[\s.,;]+/);
          expect(binds.has(last)).toBe(false);
          expect(isNumber(last) && (isNumber(next) || isNumber(following))).toBe(false);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("a sentence too long for a run is cut at its best place, and a number as the last of all", () => {
  const cut = (text: string, language = "en") => planSpeech(text, language).map((segment) => segment.text);
  const filler = "sailors watched grey boats leaving every harbour ".repeat(8);
  for (const piece of cut(filler).slice(0, -1))
    expect(piece).toMatch(/ (?:sailors|watched|grey|boats|leaving|harbour)$/);
  const number = "9".repeat(40);
  expect(cut(`${"x".repeat(270)}${number}y`, "xx")[1]).toBe(`${number}y`);
});
