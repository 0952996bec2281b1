/**
 * What differs between a text and how a step reads it, word by word: for steps that do not tell what they replace.
 *
 * Words that stay hold the two texts together. After one that does not, the next that is in both within a few words is
 * looked for, so the time is linear in the length.
 */
import type { Edit } from "./lexicon/rule.ts";

type Word = { from: number; to: number; key: string };

const AHEAD = 24; // words
/** A letter of a script without spaces is a word. */
const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;

export function differences(before: string, after: string): Edit[] {
  const [old, read] = [wordsOf(before), wordsOf(after)];
  const edits: Edit[] = [];
  const at = { old: 0, read: 0 }; // code units up to which both are compared
  const compare = (oldTo: number, readTo: number) => {
    const by = after.slice(at.read, readTo);
    if (before.slice(at.old, oldTo) !== by) edits.push({ from: at.old, to: oldTo, by });
    [at.old, at.read] = [oldTo, readTo];
  };
  let [i, j] = [0, 0];
  while (i < old.length && j < read.length) {
    const next = meeting(old, read, { i, j });
    if (next === null) break;
    [i, j] = [next.i, next.j];
    compare(old[i]!.from, read[j]!.from);
    compare(old[i++]!.to, read[j++]!.to);
  }
  compare(before.length, after.length);
  return edits;
}

/** Alike without marks and capitals, if anything is left of them. */
function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(WORDS), ({ 0: word, index }) => {
    const key = word
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "");
    return { from: index, to: index + word.length, key: key || word };
  });
}

/** The nearest words from here on that are alike; of equally many words on both sides, the first pair. */
function meeting(
  old: readonly Word[],
  read: readonly Word[],
  { i, j }: { i: number; j: number },
): { i: number; j: number } | null {
  const isAlike = (a: number, b: number) => a < old.length && b < read.length && old[a]!.key === read[b]!.key;
  for (let distance = 0; distance <= 2 * AHEAD; distance++)
    for (let a = Math.max(0, distance - AHEAD); a <= Math.min(distance, AHEAD); a++)
      if (isAlike(i + a, j + distance - a)) return { i: i + a, j: j + distance - a };
  return null;
}
