/** Promise: a stream's first segment ends at the first good place of its sentence, never inside a word. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { planSpeech } from "../../../src/speech/plan.ts";
import { planScript } from "../../../src/speech/planner.ts";
import { openingOf } from "../../../src/speech/text/opening.ts";
import { plainTrace } from "../../../src/speech/text/origins.ts";

const cases: [language: string, opening: string, rest: string][] = [
  ["en", "The harbour lights came on one by one", "while the last boats turned for home."],
  ["en", "Please stay on the line,", "because the next free colleague will answer your call."],
  ["en", "Fresh bread smells better than anything else", "that I can think of at this hour."],
  ["en-GB", "It took the whole team eleven days", "to find out why the engine had stopped."],
  ["es", "La reunión se ha cambiado al jueves", "porque dos de los ponentes están enfermos."],
  ["fr", "Personne ne savait que le magasin était fermé", "parce que la porte n'avait aucune affiche."],
  ["de", "Das ganze Dorf kam auf die Straße", "als die Kapelle zu spielen begann."],
  ["it", "Mia nonna faceva il pane ogni mattina", "mentre mio nonno leggeva il giornale."],
  ["pt", "A aldeia inteira saiu à rua", "quando a banda começou a tocar."],
  ["ru", "Вся деревня вышла на улицу", "когда заиграл духовой оркестр."],
  ["hi", "पूरा गाँव सड़क पर निकल आया", "जब बैंड ने संगीत बजाना शुरू किया।"],
  ["zh", "博物馆上午十点开门，", "下午六点关门，每月的第一个星期一除外。"],
];

describe("the first segment of a stream", () => {
  test.each(cases)("in %s is: %s", (language, opening, rest) => {
    const sentence = /[，]$/.test(opening) ? opening + rest : `${opening} ${rest}`;
    expect(planSpeech(sentence, language, "streamed").map(({ text }) => text)).toEqual([opening, rest]);
  });

  test("is the whole of a short sentence, and of one without a good place", () => {
    expect(openingOf("Hello, my friend, how are you and where?", "en")).toBeNull();
    expect(openingOf("x".repeat(60), "en")).toBeNull();
    expect(
      openingOf("A text whose language has no list of words and which has no comma in it", "xx"),
    ).toBeNull();
  });

  test("leaves no crumb of the sentence, and none before it", () => {
    expect(openingOf("It is, in the opinion of everybody whom they asked about, so.", "en")).toBeNull();
    expect(openingOf("The answer that nobody had thought of was given, sir.", "en")).toBeNull();
  });

  test("is that of the file where the clip is delivered whole", () => {
    const [sentence] = cases.map(([, opening, rest]) => `${opening} ${rest}`);
    expect(planSpeech(sentence!, "en", "whole")).toEqual(planSpeech(sentence!, "en"));
    expect(planSpeech(sentence!, "en")[0]!.text).not.toBe(cases[0]![1]);
  });

  test("of a script is cut in its first text only", () => {
    const [, opening, rest] = cases[0]!;
    const part = { text: plainTrace(`${opening} ${rest}`), rate: 1 };
    const plan = planScript([{ silenceMs: 500 }, part, part], "en", "streamed");
    expect(plan.map(({ text }) => text).slice(0, 3)).toEqual(["", opening, rest]);
    expect(plan[3]!.text).not.toBe(opening);
  });
});

test("no word is lost or cut, for any text", () => {
  const word = fc.constantFrom("boats", "and", "the", "that", "so", "to", "find", "harbours", "with");
  const separator = fc.constantFrom(" ", " ", " ", ", ", "; ", ". ");
  fc.assert(
    fc.property(fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 60 }), (pairs) => {
      const planned = planSpeech(pairs.flat().join(""), "en", "streamed");
      const words = planned.flatMap(({ text }) => text.match(/\p{L}+/gu) ?? []);
      expect(words).toEqual(pairs.map(([text]) => text));
      expect(planned[0]!.text.length).toBeLessThanOrEqual(70);
    }),
  );
});
