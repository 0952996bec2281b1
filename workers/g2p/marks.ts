/**
 * Text as runs of words and the marks between them: what reads words aloud knows no marks, and a voice model wants both.
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

export function splitMarks(wide: string): Run[] {
  const text = wide.replace(/[、，。．！？：；（）「」『』《》【】]/g, (mark) => NARROW[mark]!);
  const runs: Run[] = [];
  let from = 0;
  const add = (kind: Run["kind"], raw: string) => {
    const trimmed = raw.trim();
    if (trimmed !== "") runs.push({ kind, text: trimmed, space: /^\s/.test(raw) });
  };
  const apart = (at: number) => at > 0 && /\s/.test(text[at - 1]!);
  for (const match of text.matchAll(MARKS)) {
    const [mark] = match;
    if (isInside(text, match.index, mark)) continue;
    const words = text.slice(from, match.index);
    add("words", words);
    runs.push({ kind: "mark", text: mark, space: apart(match.index) });
    from = match.index + mark.length;
  }
  add("words", text.slice(from));
  return runs;
}

/** "3.5", "U.S": a mark between two letters or digits is no pause. */
function isInside(text: string, at: number, mark: string): boolean {
  const [before, after] = [text[at - 1] ?? " ", text[at + mark.length] ?? " "];
  return /^[.,:]$/.test(mark) && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
}

/** The runs again as one text, each run of words said by `say`. */
export function sayRuns(runs: Run[], say: (words: string) => string): string {
  return runs
    .map(({ kind, text, space }, at) => {
      const said = kind === "mark" ? text : say(text);
      return `${space && at > 0 ? " " : ""}${said}`;
    })
    .join("")
    .trim();
}
