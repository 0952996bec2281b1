/**
 * Promise: keywords win over likelier words, by a known amount, in every way of decoding; they are found however they are
 * divided into tokens; and they make no words where the model finds none.
 */
import { describe, expect, test } from "bun:test";
import { openBiasing } from "../../../../workers/asr/keywords/bias.ts";
import { KeywordVocabulary } from "../../../../workers/asr/keywords/graph.ts";
import { decodeCtc } from "../../../../workers/asr/nemo/ctc.ts";
import { TransducerPath } from "../../../../workers/asr/nemo/transducer.ts";

const PIECES = ["▁low", "▁Lo", "▁L", "o", "qu", "at", "cut", "▁", "<en-US>", "▁lo", "<blk>"];
const BLANK = PIECES.length - 1;
const vocabulary = new KeywordVocabulary(PIECES);
const biasOf = (...keywords: string[]) => openBiasing(vocabulary, keywords)!();

/** Zero for the tokens that are named, by their pieces, and far less for all others. */
function scoresOf(scores: Record<string, number>): Float32Array {
  return Float32Array.from(PIECES, (piece) => scores[piece] ?? -50);
}

describe("a token of a keyword", () => {
  const chosen = (bias: ReturnType<typeof biasOf>, scores: Record<string, number>): string => {
    const row = scoresOf(scores);
    return PIECES[bias.choose(row, row.indexOf(Math.max(...row)))]!;
  };

  test("counts two more at the beginning, and more with each that follows: 2 (1 + ln depth)", () => {
    expect(chosen(biasOf("Loquat"), { "▁low": 0, "▁Lo": -1.99 })).toBe("▁Lo");
    expect(chosen(biasOf("Loquat"), { "▁low": 0, "▁Lo": -2.01 })).toBe("▁low");
    const second = () => {
      const bias = biasOf("Loquat");
      chosen(bias, { "▁Lo": 0 });
      return bias;
    };
    // 2 (1 + ln 2) = 3.386
    expect(chosen(second(), { cut: 0, qu: -3.38 })).toBe("qu");
    expect(chosen(second(), { cut: 0, qu: -3.39 })).toBe("cut");
  });

  test("is found however the keyword is divided, also behind a lone space", () => {
    for (const divided of [
      ["▁L", "o", "qu"],
      ["▁Lo", "qu"],
    ]) {
      const bias = biasOf("Loquat");
      for (const piece of divided) expect(chosen(bias, { [piece]: 0 })).toBe(piece);
      expect(chosen(bias, { cut: 0, at: -2 })).toBe("at");
    }
    const spaced = biasOf("oqu at");
    expect(chosen(spaced, { "▁": 0, o: -3 })).toBe("▁"); // a space alone continues nothing
    expect(chosen(spaced, { cut: 0, o: -1.99 })).toBe("o");
    expect(chosen(spaced, { cut: 0, qu: -3.38 })).toBe("qu");
  });

  test("counts no more once another word has begun, and again from its start", () => {
    const bias = biasOf("Loquat");
    chosen(bias, { "▁Lo": 0 });
    chosen(bias, { cut: 0 });
    expect(chosen(bias, { cut: 0, qu: -1 })).toBe("cut");
    expect(chosen(bias, { "▁low": 0, "▁Lo": -1 })).toBe("▁Lo");
  });

  test("is written with the capital of the keyword, or with one of its own", () => {
    expect(chosen(biasOf("loquat"), { "▁low": 0, "▁Lo": -1 })).toBe("▁Lo"); // as a sentence begins
    expect(chosen(biasOf("loquat"), { "▁low": 0, "▁lo": -1 })).toBe("▁lo");
    expect(chosen(biasOf("Loquat"), { "▁low": 0, "▁lo": -1 })).toBe("▁low");
    const small = new KeywordVocabulary(["▁low", "▁lo", "qu", "<blk>"]);
    const row = Float32Array.of(0, -1, -9, -9);
    expect(openBiasing(small, ["LOQUAT"])!().choose(row, 0)).toBe(1);
  });

  test("of a language or another mark is no text, and ends no keyword", () => {
    const bias = biasOf("Loquat");
    chosen(bias, { "▁Lo": 0 });
    expect(chosen(bias, { "<en-US>": 0, qu: -1 })).toBe("<en-US>");
    expect(chosen(bias, { cut: 0, qu: -3 })).toBe("qu");
  });
});

const LOQUAT = [{ "▁low": 0, "▁Lo": -1 }, { cut: 0, qu: -2 }, { at: 0 }];
const textOf = (emissions: { token: number }[]) => emissions.map(({ token }) => PIECES[token]).join("");

test("a transducer emits the keyword at the same frames, and nothing at a blank", () => {
  const emitted = (bias: ReturnType<typeof biasOf> | null) => {
    const path = new TransducerPath({ blank: BLANK, symbolsMax: 10, durations: null, bias });
    for (const scores of LOQUAT) {
      path.take(scoresOf(scores));
      path.take(scoresOf({ "<blk>": 0, qu: -0.1, "▁Lo": -0.1 }));
    }
    return path.emissions;
  };
  expect(textOf(emitted(null))).toBe("▁lowcutat");
  expect(textOf(emitted(biasOf("Loquat")))).toBe("▁Loquat");
  expect(emitted(biasOf("Loquat")).map(({ frame }) => frame)).toEqual([0, 1, 2]);
});

test("CTC chooses the token of each run", () => {
  const rows = [LOQUAT[0]!, LOQUAT[0]!, { "<blk>": 0 }, LOQUAT[1]!, { "<blk>": 0, at: -0.1 }, LOQUAT[2]!];
  const scores = Float32Array.from(rows.flatMap((row) => [...scoresOf(row)]));
  expect(textOf(decodeCtc(scores, PIECES.length))).toBe("▁lowcutat");
  const biased = decodeCtc(scores, PIECES.length, biasOf("Loquat"));
  expect(textOf(biased)).toBe("▁Loquat");
  expect(biased.map(({ frame, frames }) => [frame, frames])).toEqual([
    [0, 2],
    [3, 1],
    [5, 1],
  ]);
});

test("a hundred long keywords in a large vocabulary take no time to speak of", () => {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const pieces = letters.flatMap((a) => letters.flatMap((b) => [`▁${a}${b}`, a + b, `${a}${b}s`]));
  const large = new KeywordVocabulary([...pieces, "<blk>"]);
  const keywords = Array.from({ length: 100 }, (_, at) =>
    Array.from({ length: 100 }, (_, place) => letters[(at * 7 + place * (at + 3)) % 26]).join(""),
  );
  const begun = performance.now();
  const bias = openBiasing(large, keywords)!();
  const row = new Float32Array(pieces.length + 1);
  for (let step = 0; step < 100; step++) bias.choose(row, 0);
  expect(performance.now() - begun).toBeLessThan(2000); // milliseconds: quadratic work would take minutes
});
