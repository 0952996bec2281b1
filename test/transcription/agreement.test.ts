/** Promise: the common prefix of two consecutive hypotheses is confirmed once, and never taken back. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import type { Word } from "../../src/engine/protocol/recognition.ts";
import { type Agreement, agree, conclude, NOTHING_YET } from "../../src/transcription/agreement.ts";

const GOLDENS = new URL("../../../shared/goldens/algorithms.json", import.meta.url);
const hasGoldens = existsSync(GOLDENS);

const words = (text: string, from = 0): Word[] =>
  text.split(" ").map((each, index) => ({
    text: each,
    start: from + index * 0.3,
    end: from + index * 0.3 + 0.3,
    confidence: 1,
  }));
const textOf = (words: Word[]) => words.map(({ text }) => text).join(" ");

test.skipIf(!hasGoldens)(
  `the steps equal those of the reference${hasGoldens ? "" : " (skipped: no goldens here)"}`,
  () => {
    type Row = [start: number, end: number, text: string];
    const { steps } = JSON.parse(readFileSync(GOLDENS, "utf8")).local_agreement2 as {
      steps: { insert: Row[]; committed: Row[]; buffer: Row[] }[];
    };
    const rows = (words: Word[]): Row[] => words.map(({ start, end, text }) => [start, end, text]);
    let agreement: Agreement = NOTHING_YET;
    for (const { insert, committed, buffer } of steps) {
      const hypothesis = insert.map(([start, end, text]) => ({ start, end, text, confidence: 1 }));
      const next = agree(agreement, hypothesis);
      expect(rows(next.confirmed.slice(agreement.confirmed.length))).toEqual(committed);
      expect(rows(next.tentative)).toEqual(buffer);
      agreement = next;
    }
  },
);

describe("agreement", () => {
  test("confirms the common prefix of two hypotheses", () => {
    const once = agree(NOTHING_YET, words("the cat sat"));
    expect(once.confirmed).toEqual([]);
    expect(textOf(agree(once, words("the cat sang a song")).confirmed)).toBe("the cat");
  });

  test("ignores a hypothesis that changes confirmed words", () => {
    const twice = agree(agree(NOTHING_YET, words("the cat sat")), words("the cat sat"));
    expect(textOf(agree(twice, words("a hat sat on")).confirmed)).toBe("the cat sat");
  });

  test("confirms the rest at the end, without repeated words", () => {
    const twice = agree(agree(NOTHING_YET, words("the cat sat on")), words("the cat sat in"));
    expect(textOf(conclude(twice, words("cat sat on the mat", 0.5)).confirmed)).toBe(
      "the cat sat on the mat",
    );
  });

  test("agreement adds words and removes none", () => {
    const hypothesis = fc
      .array(fc.constantFrom("a", "b", "c"), { maxLength: 8 })
      .map((hypothesis) => (hypothesis.length ? words(hypothesis.join(" ")) : []));
    fc.assert(
      fc.property(fc.array(hypothesis), (hypotheses) => {
        let agreement = NOTHING_YET;
        for (const each of hypotheses) {
          const next = agree(agreement, each);
          expect(next.confirmed.slice(0, agreement.confirmed.length)).toEqual(agreement.confirmed);
          agreement = next;
        }
      }),
    );
  });
});
