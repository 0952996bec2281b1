/** Text of other languages as `BasicMultilingualTextNormalizer` of the Open ASR leaderboard (d1e99b2) compares it. */
import { singleSpaces, withoutBrackets, withoutMarks, wordsIn } from "./letters.ts";
import { sharedBlocks } from "./matching.ts";

/** Diacritics stay, as the leaderboard has it; numbers stay as they are written, which it spells. */
export const multilingualText = (text: string): string =>
  singleSpaces(
    withoutMarks(withoutBrackets(text.toLowerCase()))
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\p{White_Space}]/gu, ""),
  ).trim();

type Pair = { reference: string[]; hypothesis: string[] };

/** Both sides with one word for each stretch that differs in nothing but its spaces: "an Stelle" and "anstelle". */
export function withoutSplits(reference: string, hypothesis: string): Pair {
  const pair = { reference: wordsIn(reference), hypothesis: wordsIn(hypothesis) };
  const all: Pair = { reference: [], hypothesis: [] };
  let [i, j] = [0, 0];
  for (const block of [
    ...sharedBlocks(pair),
    { i: pair.reference.length, j: pair.hypothesis.length, length: 0 },
  ]) {
    const between = {
      reference: pair.reference.slice(i, block.i),
      hypothesis: pair.hypothesis.slice(j, block.j),
    };
    const [left, right] = [between.reference.join(""), between.hypothesis.join("")];
    all.reference.push(...(left === right && left !== "" ? [left] : between.reference));
    all.hypothesis.push(...(left === right && left !== "" ? [right] : between.hypothesis));
    [i, j] = [block.i + block.length, block.j + block.length];
    all.reference.push(...pair.reference.slice(block.i, i));
    all.hypothesis.push(...pair.hypothesis.slice(block.j, j));
  }
  return all;
}
