/**
 * Which phones of a sentence belong to which word, for an engine that names its phones and not its words: letters and
 * phones are aligned, each letter with the phones that it is usually written for.
 *
 *   letters  h e l l o   t h e r e
 *   phones   hh ax l ow  dh eh r        (Carnegie Mellon's names)
 *
 * Times are then those of the phones; only at an edge that the spelling leaves open may a phone go to the neighbour.
 */
import type { SpokenWord } from "../../../src/engine/protocol/synthesis.ts";
import { wordsOf } from "./tokens.ts";

/** `end` in samples; a phone begins where the one before it ends. */
export type Phone = { name: string; end: number };

const SOUNDS: Record<string, string> = {
  a: "aa ae ah ao aw ax ay ey eh er",
  b: "b",
  c: "k s ch sh",
  d: "d t jh",
  e: "eh iy ax ih ey er ah uw",
  f: "f v",
  g: "g jh zh ng f",
  h: "hh dh th sh ch f",
  i: "ih iy ay ax y er",
  j: "jh",
  k: "k",
  l: "l",
  m: "m",
  n: "n ng",
  o: "aa ow ao ah uw uh ax oy aw w er",
  p: "p f",
  q: "k",
  r: "r er",
  s: "s z sh zh",
  t: "t ch sh th dh d",
  u: "ah uw uh ax w y er ih",
  v: "v f",
  w: "w v aw ow uw",
  x: "k s z g",
  y: "y iy ay ih ax",
  z: "z s zh t",
};
const WRITTEN = new Map(Object.entries(SOUNDS).map(([letter, names]) => [letter, new Set(names.split(" "))]));
const PAUSE = "pau";
const VOWEL = /^[aeiou]/;
const COST = { alike: 0.5, other: 1.4, letter: 0.6, phone: 0.8, pause: 0.3, mark: 0.5, never: 1000 };

/** A letter of a word by its number; a mark, behind which a pause may be, has no word. */
type Letter = { sign: string; word: number | null };

/** The words of a text; those without a phone are left out. */
export function wordsOfPhones(text: string, phones: readonly Phone[]): SpokenWord[] {
  const words = wordsOf(text);
  const letters = words.flatMap(({ from, to, mark }, word): Letter[] => [
    ...signsOf(text.slice(from, to)).map((sign) => ({ sign, word })),
    ...(mark ? [{ sign: ",", word: null }] : []),
  ]);
  const owners = ownersOf(letters, phones);
  return words.flatMap(({ from, to }, word) => {
    const [first, last] = [owners.indexOf(word), owners.lastIndexOf(word)];
    return first === -1 ? [] : [{ from, to, start: phones[first - 1]?.end ?? 0, end: phones[last]!.end }];
  });
}

/** Letters without their marks, and digits. */
const signsOf = (word: string) =>
  word
    .toLowerCase()
    .normalize("NFD")
    .match(/[\p{L}\p{N}]/gu) ?? [];

function costOf({ sign, word }: Letter, { name }: Phone): number {
  if (word === null) return name === PAUSE ? 0 : COST.never;
  if (name === PAUSE) return COST.never;
  if (WRITTEN.get(sign)?.has(name)) return 0;
  return VOWEL.test(sign) === VOWEL.test(name) ? COST.alike : COST.other;
}

const skipped = ({ name }: Phone) => (name === PAUSE ? COST.pause : COST.phone);
const silent = ({ word }: Letter) => (word === null ? COST.mark : COST.letter);

/** The word of each phone; null for pauses. */
function ownersOf(letters: readonly Letter[], phones: readonly Phone[]): (number | null)[] {
  const width = phones.length + 1;
  const costs = new Float64Array((letters.length + 1) * width);
  for (let p = 1; p < width; p++) costs[p] = costs[p - 1]! + skipped(phones[p - 1]!);
  for (let l = 1; l <= letters.length; l++) {
    const letter = letters[l - 1]!;
    costs[l * width] = costs[(l - 1) * width]! + silent(letter);
    for (let p = 1; p < width; p++) {
      const phone = phones[p - 1]!;
      const both = costs[(l - 1) * width + p - 1]! + costOf(letter, phone);
      const letterAlone = costs[(l - 1) * width + p]! + silent(letter);
      const phoneAlone = costs[l * width + p - 1]! + skipped(phone);
      costs[l * width + p] = Math.min(both, letterAlone, phoneAlone);
    }
  }
  const owners: (number | null)[] = new Array(phones.length).fill(null);
  for (let [l, p] = [letters.length, phones.length]; p > 0; ) {
    const [letter, phone] = [letters[l - 1], phones[p - 1]!];
    const cost = costs[l * width + p]!;
    if (letter && cost === costs[(l - 1) * width + p - 1]! + costOf(letter, phone)) {
      owners[--p] = letter.word;
      l--;
    } else if (letter && cost === costs[(l - 1) * width + p]! + silent(letter)) l--;
    else owners[--p] = phone.name === PAUSE ? null : (letter?.word ?? letters[l]?.word ?? null);
  }
  return owners;
}
