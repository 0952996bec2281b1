/**
 * A rule of how written English is read aloud: a pattern and its reading, with a sentence and an example that document it.
 *
 * Every repetition in a pattern is bounded, so a pattern takes a bounded time at each position of a text.
 */

/** What a reading depends on besides its match: the American order of dates is month, day, year. */
export type Accent = { isMonthFirst: boolean };

/** The match and its groups; a group that took no part is undefined. */
type Match = [string, ...string[]];

export type Rule = {
  name: string;
  what: string;
  /** Written, and what this rule alone makes of it for an American voice. */
  example: [written: string, read: string];
  pattern: RegExp;
  read: (match: Match, accent: Accent) => string;
};

/** What a step changed: code units of the text before it, and what is read for them. */
export type Edit = { from: number; to: number; by: string };

/** Called after each step that changed something, with its edits in order. */
export type Changed = (edits: readonly Edit[]) => void;

/** The rules in order, each over the whole text. Most match nothing, so a rule alone allocates nothing. */
export function applyRules(
  rules: readonly Rule[],
  text: string,
  { changed, ...accent }: Accent & { changed?: Changed | undefined },
): string {
  let read = text;
  let edits: Edit[] = [];
  let readMatch: Rule["read"];
  const replace = (...match: unknown[]) => {
    const by = readMatch(match as unknown as Match, accent);
    if (changed && by !== match[0]) edits.push(editOf(match, by));
    return by;
  };
  for (const rule of rules) {
    readMatch = rule.read;
    read = read.replace(rule.pattern, replace);
    if (edits.length === 0) continue;
    changed?.(edits);
    edits = [];
  }
  return read;
}

/** Behind the groups of a match stand its place and the whole text; no rule names a group. */
function editOf(match: readonly unknown[], by: string): Edit {
  const from = match.at(-2) as number;
  return { from, to: from + (match[0] as string).length, by };
}

/** A whole or decimal number, as written. */
export const NUMBER = "\\d{1,3}(?:,\\d{3}){1,6}(?:\\.\\d{1,20})?|\\d{1,20}(?:\\.\\d{1,20})?|\\.\\d{1,20}";

/** Words that begin a sentence: after an abbreviation, its stop is also the end of the sentence before. */
const OPENERS =
  "Mr|Mrs|Ms|Dr|Mister|Missus|Miz|Doctor|The|This|That|These|Those|It|He|She|They|We|You|I|There|Here|In|On|At|And|But|So|If|When|While|After|Before|What|Who|How|Why|Where|Then|Now|No|Yes|My|Our|His|Her|Its|Their|An|Please|For|To|By|With|From|Let|Not|Do|Does|Did|Is|Are|Was|Were|Will|Can|Could|Would|Should|As|All|Some|Most|Many|One|Two|However|Also";

/** Follows an abbreviation whose stop also ends a sentence. */
export const ENDS = `["')\\]]{0,2}(?: {0,3}(?![^\\n])| {1,3}["'(]{0,2}(?:A|${OPENERS})\\b)`;

/** Behind these, groups of digits are a telephone number; part of a pattern that ignores capitals. */
export const PHONE_WORDS = "call|dial|phone|ring|text|tel|telephone|mobile|cell|fax|whatsapp";

/** `text` as a pattern that matches itself. */
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** The longest first: a pattern takes the first that matches. */
export const anyOf = (texts: Iterable<string>): string =>
  [...texts]
    .toSorted((a, b) => b.length - a.length)
    .map(literal)
    .join("|");
