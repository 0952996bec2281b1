/**
 * Text as runs of words and the marks between them: the conversion to phonemes ignores marks, and a voice model needs both.
 *
 *   "Hello, world!"  ->  words "Hello"  mark ","  words "world"  mark "!"
 */

/** `space`: whether whitespace stood before it. */
export type Run = { kind: "words" | "mark"; text: string; space: boolean };

const MARKS = /[;:,.!?¡¿—…"«»“”(){}[\]]+/gu;

/** What Chinese and Japanese write, as the others do. */
const NARROW: Record<string, string> = {
  "、": ", ",
  "，": ", ",
  "。": ". ",
  "．": ". ",
  "！": "! ",
  "？": "? ",
  "：": ": ",
  "；": "; ",
  "（": " (",
  "）": ") ",
  "「": " “",
  "」": "” ",
  "『": " “",
  "』": "” ",
  "《": " “",
  "》": "” ",
  "【": " “",
  "】": "” ",
};

/**
 * `dots`: a full stop before a small letter ends an abbreviation or an ordinal and no sentence, as eSpeak NG has it; in
 * English both are written out before, and many people begin sentences with small letters.
 */
export function splitMarks(wide: string, { dots = false } = {}): Run[] {
  const text = wide.replace(/[、，。．！？：；（）「」『』《》【】]/g, (mark) => NARROW[mark]!);
  const runs: Run[] = [];
  let from = 0;
  const add = (kind: Run["kind"], raw: string) => {
    const trimmed = raw.trim();
    if (trimmed !== "") runs.push({ kind, text: trimmed, space: /^\s/.test(raw) });
  };
  const apart = (position: number) => position > 0 && /\s/.test(text[position - 1]!);
  for (const match of text.matchAll(MARKS)) {
    const [mark] = match;
    if (isInside(text, match.index, mark) || isDotOfWord(text, match.index, { mark, dots })) continue;
    const words = text.slice(from, match.index);
    add("words", words);
    runs.push({ kind: "mark", text: mark, space: apart(match.index) });
    from = match.index + mark.length;
  }
  add("words", text.slice(from));
  return runs;
}

/** "3.5", "U.S": a mark between two letters or digits is no pause. */
function isInside(text: string, position: number, mark: string): boolean {
  const [before, after] = [text[position - 1] ?? " ", text[position + mark.length] ?? " "];
  return /^[.,:]$/.test(mark) && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
}

const DOTTED = /\p{L}\.\p{L}$|(?<![\p{L}\p{N}])[A-HJ-Z]$/u;
const NEXT_SENTENCE =
  /^\s+(?:the|an?|he|she|it|we|they|i|you|his|her|its|our|their|this|that|these|those|there|in|on|at|but|and|then|when|while|after|if|so|no|yes)\b/i;

/** "U.S. Army", "J. Smith", and where `dots` says so "am 3. war", "bzw. ein". */
function isDotOfWord(
  text: string,
  position: number,
  { mark, dots }: { mark: string; dots: boolean },
): boolean {
  if (mark !== ".") return false;
  const [before, after] = [
    text.slice(Math.max(0, position - 3), position),
    text.slice(position + 1, position + 12),
  ];
  if (!/^\s+[\p{L}\p{N}]/u.test(after)) return false;
  if (dots && /^\s+\p{Ll}/u.test(after)) return true;
  return DOTTED.test(before) && !(/^\s+\p{Lu}/u.test(after) && NEXT_SENTENCE.test(after));
}

/** The runs again as one text, each run of words as `say` has it. */
export function joinRuns(runs: Run[], say: (run: Run) => string): string {
  return runs
    .map((run, index) => `${run.space && index > 0 ? " " : ""}${run.kind === "mark" ? run.text : say(run)}`)
    .join("")
    .trim();
}
