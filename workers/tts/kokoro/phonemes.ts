/**
 * Kokoro's own alphabet: IPA in which a diphthong or an affricate is one capital letter or ligature, and its token ids.
 *
 * Units are phonemes as eSpeak NG tells them apart ("d ʒ" is two of them in "nutshell", one in "joy"), so nothing has
 * to be guessed. Source: the tables of hexgrad/misaki, and the model's published configuration.
 */

import { dividedInRuns, type PhonemeRun } from "../runs.ts";

/** The symbols in the order of their ids; a space stands for an id that is not used. */
const SYMBOLS: [first: number, symbols: string][] = [
  [1, ";:,.!?"],
  [9, '—…"()“” ̃ʣʥʦʨᵝꭧAI'],
  [31, "O"],
  [33, "Q"],
  [35, "ST"],
  [39, "W"],
  [41, "Yᵊabcdef"],
  [50, "hijklmnopqrstuvwxyzɑɐɒæ"],
  [75, "βɔɕç"],
  [80, "ɖðʤə"],
  [85, "ɚɛɜ"],
  [90, "ɟ"],
  [92, "ɡ"],
  [99, "ɥ"],
  [101, "ɨɪʝ"],
  [110, "ɯɰŋɳɲɴø"],
  [118, "ɸθœ"],
  [123, "ɹ"],
  [125, "ɾɻ"],
  [128, "ʁɽʂʃʈʧ"],
  [135, "ʊʋ"],
  [138, "ʌɣɤ"],
  [142, "χʎ"],
  [147, "ʒʔ"],
  [156, "ˈˌː"],
  [162, "ʰ"],
  [164, "ʲ"],
  [169, "↓"],
  [171, "→↗↘"],
  [177, "ᵻ"],
];

const IDS = new Map(
  SYMBOLS.flatMap(([first, symbols]) => [...symbols].map((symbol, index) => [symbol, first + index])),
);

/** The longest text one run takes, without the padding at both ends. */
const PHONEMES_MAX = 510;

/**
 * Symbols without an id are dropped.
 *
 * @internal
 */
export const kokoroIds = (phonemes: string): number[] =>
  [...phonemes].flatMap((symbol) => IDS.get(symbol) ?? []);

/** One run, unless the text is longer than a run takes. */
export const kokoroRuns = (phonemes: string): PhonemeRun[] =>
  dividedInRuns(
    [...phonemes.matchAll(/./gsu)].flatMap(({ 0: symbol, index: place }) => {
      const id = IDS.get(symbol);
      return id === undefined ? [] : [{ symbol, id, place }];
    }),
    PHONEMES_MAX,
  );

type Table = [from: RegExp, to: string][];

/** Diphthongs and affricates, in every language. */
const TOGETHER: Table = [
  [/aɪ/g, "I"],
  [/aʊ/g, "W"],
  [/dz/g, "ʣ"],
  [/dʒ/g, "ʤ"],
  [/eɪ/g, "A"],
  [/oʊ/g, "O"],
  [/əʊ/g, "Q"],
  [/ts/g, "ʦ"],
  [/tʃ/g, "ʧ"],
  [/ɔɪ/g, "Y"],
];

const ENGLISH: Table = [
  [/aɪ/g, "I"],
  [/aʊ/g, "W"],
  [/dʒ/g, "ʤ"],
  [/eɪ/g, "A"],
  [/e/g, "A"],
  [/tʃ/g, "ʧ"],
  [/ɔɪ/g, "Y"],
  [/əl/g, "ᵊl"],
  [/ʲ/g, ""],
  [/ɚ/g, "əɹ"],
  [/r/g, "ɹ"],
  [/[xç]/g, "k"],
  [/ɬ/g, "l"],
  [/\u0303/g, ""],
];
const AMERICAN: Table = [
  [/oʊ/g, "O"],
  [/ɜːɹ/g, "ɜɹ"],
  [/ɜː/g, "ɜɹ"],
  [/ɪə/g, "iə"],
  [/ː/g, ""],
];
const BRITISH: Table = [
  [/eə/g, "ɛː"],
  [/iə/g, "ɪə"],
  [/əʊ/g, "Q"],
];
const LAST: Table = [
  [/ɐ/g, "ə"],
  [/o/g, "ɔ"],
  [/ɾ/g, "T"],
  [/ʔ/g, "t"],
  [/(\S)\u0329/g, "ᵊ$1"],
];

const apply = (unit: string, table: Table) =>
  table.reduce((text, [from, to]) => text.replace(from, to), unit);

/** Words of units, as eSpeak NG reads another language than English. */
export function kokoroOf(words: string[][]): string {
  return words
    .map((units) => units.map((unit) => apply(unit.replaceAll("-", ""), TOGETHER)).join(""))
    .join(" ");
}

/** One English word that no dictionary has. */
export function englishOf(units: string[], british: boolean): string {
  const rules = british ? [...BRITISH, ...ENGLISH] : [...ENGLISH, ...AMERICAN];
  const phonemes = units.map((unit) => apply(unit, rules)).join("");
  return apply(british ? phonemes : apply(phonemes, AMERICAN), LAST);
}
