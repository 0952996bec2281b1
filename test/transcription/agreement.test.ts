/** Promise: the common prefix of two consecutive hypotheses is confirmed once, and never taken back. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import type { Word } from "../../src/engine/protocol/recognition.ts";
import { type Agreement, accept, agree, conclude, NOTHING_YET } from "../../src/transcription/agreement.ts";

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
  `confirms as early as the reference, which compares marks too${hasGoldens ? "" : " (skipped: no goldens here)"}`,
  () => {
    type Row = [start: number, end: number, text: string];
    const { steps } = JSON.parse(readFileSync(GOLDENS, "utf8")).local_agreement2 as {
      steps: { insert: Row[]; committed: Row[] }[];
    };
    let agreement: Agreement = NOTHING_YET;
    let committed = "";
    for (const step of steps) {
      const hypothesis = step.insert.map(([start, end, text]) => ({ start, end, text, confidence: 1 }));
      const from = hypothesis[0]!.start;
      agreement = agree(agreement, hypothesis, { from, until: Number.POSITIVE_INFINITY });
      committed = [committed, ...step.committed.map(([, , text]) => text)].join(" ").trim();
      expect(`${textOf(agreement.confirmed)} `).toStartWith(`${committed} `.trimStart());
    }
    expect(textOf(agreement.confirmed)).toBe(committed);
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

  test("compares words without regard to case and marks, and confirms what was written last", () => {
    const once = agree(NOTHING_YET, words("As you know."));
    expect(textOf(agree(once, words("as you know, and")).confirmed)).toBe("as you know,");
  });

  test("confirms no word before enough was heard after it", () => {
    const once = agree(NOTHING_YET, words("the cat sat"));
    const again = (until: number) => textOf(agree(once, words("the cat sat"), { from: 0, until }).confirmed);
    expect([again(0.5), again(1.05)]).toEqual(["", "the cat"]); // "cat" ends at 0.6
  });

  test("waits longer for a word that is not probable", () => {
    const doubtful = words("so I'd less to be").map((word, index) => ({
      ...word,
      confidence: index === 1 ? 0.3 : 0.9,
    }));
    const once = agree(NOTHING_YET, doubtful);
    const again = (until: number) => textOf(agree(once, doubtful, { from: 0, until }).confirmed);
    expect([again(2), again(3.7)]).toEqual(["so", "so I'd less to be"]);
  });

  test("does not wait for a first word that is probable as the sum of its written forms", () => {
    const first = words("The invention of").map((word, index) => ({
      ...word,
      confidence: index === 0 ? 0.45 : 0.9,
    }));
    const once = agree(NOTHING_YET, first);
    expect(textOf(agree(once, first, { from: 0, until: 1 }).confirmed)).toBe("The invention");
  });

  test("waits for a word that replaced another one as long as the other one stood", () => {
    const range = (until: number) => ({ from: 0, until });
    const mine = agree(agree(NOTHING_YET, words("so my"), range(0.7)), words("so my"), range(0.75));
    const changed = agree(mine, words("so am I fellow"), range(1.8));
    const again = (until: number) => textOf(agree(changed, words("so am I fellow"), range(until)).confirmed);
    expect([again(2.2), again(3.2)]).toEqual(["so", "so am I fellow"]); // "my" stood until 1.8, 1.2 s after its end
  });

  test("waits for the word after one with a mark, which models write at the end of incomplete audio", () => {
    const cut = (until: number) => ({ from: 0, until });
    const once = agree(NOTHING_YET, words("printing."), cut(0.6));
    expect(textOf(agree(once, words("printing."), cut(0.9)).confirmed)).toBe("");
    expect(textOf(agree(once, words("printing in"), cut(0.9)).confirmed)).toBe("printing");
    expect(textOf(agree(once, words("printing."), cut(1.4)).confirmed)).toBe("printing.");
  });

  test("finds the first new word by text, whatever the times of the confirmed words say", () => {
    const stretched = words("he was an").map((word, index) => (index === 2 ? { ...word, end: 1.6 } : word));
    const twice = agree(agree(NOTHING_YET, stretched), stretched);
    expect(textOf(accept(twice, words("he was not an ill man")).confirmed)).toBe("he was an ill man");
    expect(textOf(accept(twice, words("he was an not so ill man")).confirmed)).toBe(
      "he was an not so ill man",
    );
  });

  test("a window that begins in the confirmed words repeats none of them and loses none behind them", () => {
    const known = words("as you know and as I");
    const twice = agree(agree(NOTHING_YET, known), known);
    const range = { from: 0.3, until: Number.POSITIVE_INFINITY };
    for (const hypothesis of ["you know and as I have", "know and as I have", "and as I have", "have"]) {
      const skipped = known.length + 1 - hypothesis.split(" ").length;
      const next = accept(twice, words(hypothesis, skipped * 0.3), range);
      expect(textOf(next.confirmed)).toBe("as you know and as I have");
    }
  });

  test("a word that is repeated in the speech is said as often as it was spoken", () => {
    const known = words("no no");
    const twice = agree(agree(NOTHING_YET, known), known);
    expect(textOf(accept(twice, words("no no no no")).confirmed)).toBe("no no no no");
    const range = { from: 0.3, until: Number.POSITIVE_INFINITY };
    expect(textOf(accept(twice, words("no no no", 0.3), range).confirmed)).toBe("no no no no");
  });

  test("accepts words up to a time, and the rest at the end", () => {
    const accepted = accept(NOTHING_YET, words("the cat sat on"), { from: 0, until: 0.65 });
    expect([textOf(accepted.confirmed), textOf(accepted.tentative)]).toEqual(["the cat", "sat on"]);
    expect(textOf(conclude(accepted).confirmed)).toBe("the cat sat on");
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
          const before = next.confirmed.slice(0, agreement.confirmed.length);
          expect(textOf(before)).toBe(textOf(agreement.confirmed));
          agreement = next;
        }
      }),
    );
  });
});
