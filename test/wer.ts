/**
 * Word error rate as the Open ASR leaderboard counts it (huggingface/open_asr_leaderboard at d1e99b2), so that a figure
 * here and a published one are one measure.
 *
 *   reference, hypothesis ──normalizer of the language──> words ──edit distance──> errors / words of the reference
 *
 * A word that the other side writes as two is no error. Name the normalizer (`normalizerOf`) beside every figure. Only
 * the bounds of the embedded recognizer, which knows no digits and no names, are kept in plain words.
 */
import { englishText } from "./wer/english.ts";
import { wordsIn } from "./wer/letters.ts";
import { multilingualText, withoutSplits } from "./wer/multilingual.ts";

/** `words`: of the reference. */
export type WordErrors = { errors: number; words: number };

/** Languages whose words nothing parts: their errors are those of characters. */
const UNSPACED = new Set(["ja", "zh"]);

/** The name of what texts of a language are compared by. */
export function normalizerOf(language: string): string {
  if (language === "en") return "Open ASR English";
  return UNSPACED.has(language) ? "Open ASR multilingual, characters" : "Open ASR multilingual";
}

/** `language`: its code without a region. */
export function wordErrors(reference: string, hypothesis: string, language = "en"): WordErrors {
  if (language === "en") return compared(wordsIn(englishText(reference)), wordsIn(englishText(hypothesis)));
  const [expected, actual] = [multilingualText(reference), multilingualText(hypothesis)];
  if (UNSPACED.has(language)) return compared(charactersOf(expected), charactersOf(actual));
  const sides = withoutSplits(expected, actual);
  return compared(sides.reference, sides.hypothesis);
}

/** In lower case without marks, and nothing else: for the bounds of the embedded recognizer. */
export const plainWordErrors = (reference: string, hypothesis: string): WordErrors =>
  compared(plainWords(reference), plainWords(hypothesis));

/** The errors of all in 100 words of all: a long text counts for more than a short one. */
export function percent(all: readonly WordErrors[]): number {
  const words = all.reduce((sum, each) => sum + each.words, 0);
  return words === 0 ? 0 : (100 * all.reduce((sum, each) => sum + each.errors, 0)) / words;
}

const charactersOf = (text: string): string[] => [...text].filter((character) => character !== " ");

function plainWords(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replace(/\bmr\b\.?/g, "mister")
    .replace(/[^\p{L}\p{N}']+/gu, " ");
  return wordsIn(plain);
}

/** The words to insert, delete and replace; neighbours that make one word of the other side together are that word. */
function compared(reference: string[], hypothesis: string[]): WordErrors {
  const rows: Uint32Array[] = [];
  for (let i = 0; i <= reference.length; i++) {
    const row = new Uint32Array(hypothesis.length + 1);
    rows.push(row);
    for (let j = 0; j <= hypothesis.length; j++) {
      const costs = [];
      if (i > 0) costs.push(rows[i - 1]![j]! + 1);
      if (j > 0) costs.push(row[j - 1]! + 1);
      if (i > 0 && j > 0) {
        costs.push(rows[i - 1]![j - 1]! + (reference[i - 1] === hypothesis[j - 1] ? 0 : 1));
        const split = joinedAt(hypothesis, j, reference[i - 1]!);
        if (split > 1) costs.push(rows[i - 1]![j - split]!);
        const joined = joinedAt(reference, i, hypothesis[j - 1]!);
        if (joined > 1) costs.push(rows[i - joined]![j - 1]!);
      }
      row[j] = Math.min(...(costs.length === 0 ? [0] : costs));
    }
  }
  return { errors: rows.at(-1)!.at(-1)!, words: reference.length };
}

/** How many words before a place make a word together; 0 where none do. */
function joinedAt(words: string[], to: number, word: string): number {
  let rest = word;
  for (let from = to - 1; from >= 0 && rest !== ""; from--) {
    const part = words[from]!;
    if (!rest.endsWith(part)) return 0;
    rest = rest.slice(0, rest.length - part.length);
    if (rest === "") return to - from;
  }
  return 0;
}
