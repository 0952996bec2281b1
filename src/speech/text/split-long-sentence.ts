/**
 * Cutting a sentence that is too long for one run: at clauses, else before a small word, else at spaces, and inside
 * a word only when it alone is too long.
 */
export type Limits = { first: number; rest: number };

const CLAUSE_END = /[;:,]["')\]]*\s|[，、；：]/g;
const PHRASE_START =
  /\s(?=(?:and|or|but|because|which|that|who|when|where|while|with|for|from|into|to|of|in|on|at|by|as|y|que|et|und|e|и|что|और)\s)/gi;
const SPACE = /\s+/g;
const LEAST = 0.35; // a piece shorter than this part of the limit is not worth a pause

/** Pieces in order, each at most its limit in code points; the sentence itself where it fits. */
export function splitLongSentence(sentence: string, limits: Limits): string[] {
  const pieces: string[] = [];
  let rest = sentence.trim();
  while (rest !== "") {
    const limit = pieces.length === 0 ? limits.first : limits.rest;
    const cut = countPoints(rest, limit) ? rest.length : placeToCut(rest, limit);
    const piece = rest.slice(0, cut).trim();
    if (piece !== "") pieces.push(piece);
    rest = rest.slice(cut).trim();
  }
  return pieces;
}

/** Does the text fit? Code units bound code points, so most answers need no counting. */
function countPoints(text: string, limit: number): boolean {
  if (text.length <= limit) return true;
  return text.length <= 2 * limit && [...text].length <= limit;
}

function placeToCut(text: string, limit: number): number {
  const reach = [...text.slice(0, 2 * limit)].slice(0, limit).join("").length;
  const window = text.slice(0, reach + 1);
  const least = reach * LEAST;
  const last = (pattern: RegExp) =>
    [...window.matchAll(pattern)]
      .map((match) => match.index + match[0].length)
      .filter((position) => position <= reach)
      .at(-1) ?? 0;
  const clause = last(CLAUSE_END);
  if (clause >= least) return clause;
  const phrase = last(PHRASE_START);
  if (phrase >= least) return phrase;
  return last(SPACE) || lastGrapheme(text, reach);
}

/** Never inside what a reader sees as one character. */
function lastGrapheme(text: string, reach: number): number {
  const window = text.slice(0, reach + 32);
  let cut = 0;
  for (const { index } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(window)) {
    if (index > reach) break;
    cut = index;
  }
  return cut || reach;
}
