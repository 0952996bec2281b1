/**
 * The part of speech of a word that is pronounced in several ways, by the few words around it.
 *
 *   to record · they record · record the call   ->  VERB        the record · my use · in use  ->  NOUN
 *   a minute detail · is deliberate             ->  ADJ         has read · she read           ->  past
 *
 * Where no rule is sure the answer is null, and the dictionary's most common pronunciation is used. Words are in small
 * letters; those before and after it are of the same clause.
 */
import {
  ADJECTIVES,
  ADVERBS,
  AUXILIARIES,
  BE,
  DETERMINERS,
  FUNCTION_WORDS,
  HAVE,
  OBJECTS,
  PLURALS,
  PREPOSITIONS,
  SUBJECTS,
} from "./function-words.ts";

export type Part = "NOUN" | "VERB" | "ADJ" | "VBD" | "VBN" | "DT";

/** `before` ends with the previous word, `after` begins with the next. `isName`: the previous word is capitalized. */
export type Clause = { word: string; before: string[]; after: string[]; isName: boolean };

type Rule = (clause: Clause, parts: ReadonlySet<string>) => Part | null | undefined;

/** Null: unknown. */
export function partOf(clause: Clause, parts: ReadonlySet<string>): Part | null {
  for (const rule of [ownRule, pastRule, verbRule, nominalRule, predicateRule, objectRule]) {
    const part = rule(clause, parts);
    if (part !== undefined) return part;
  }
  return null;
}

const isPlural = (word: string | undefined): boolean =>
  word !== undefined && (PLURALS.has(word) || (/[^sui']s$/.test(word) && !FUNCTION_WORDS.has(word)));
const isContent = (word: string | undefined): boolean => word !== undefined && !FUNCTION_WORDS.has(word);

/** The nearest word before that is no adverb: "to quickly [record]", "they all [record]". */
function governor(before: string[]): string | undefined {
  const isAdverb = (word: string, index: number) =>
    ADVERBS.has(word) ||
    (word.endsWith("ly") && word.length > 4) ||
    (/^(?:all|both|each)$/.test(word) && SUBJECTS.has(before[index - 1] ?? ""));
  return before.findLast((word, index) => !isAdverb(word, index));
}

/** Words with their own rules; a rule that returns undefined leaves the word to the others, null to its default. */
const OWN: Record<string, Rule> = {
  used({ before, after }) {
    if (after[0] !== "to") return null;
    const isPassive = BE.has(governor(before) ?? "");
    const object = after[1];
    const isNominal =
      object === undefined || object.endsWith("ing") || DETERMINERS.has(object) || OBJECTS.has(object);
    return isPassive && !isNominal ? null : "VBD";
  },
  that({ before, after }) {
    const previous = before.at(-1);
    const isAlone = after.length === 0 || (previous !== undefined && PREPOSITIONS.has(previous));
    return isAlone || (previous === undefined && BE.has(after[0]!)) ? "DT" : null;
  },
  minute: ({ before, after }) =>
    /^(?:very|so|too|extremely|most|more)$/.test(before.at(-1) ?? "") || MINUTE_THINGS.test(after[0] ?? "")
      ? "ADJ"
      : null,
  learned: ({ after }) =>
    /^(?:m[ae]n|wom[ae]n|person|scholars?|judge|society|colleagues?|friends?)$/.test(after[0] ?? "")
      ? "ADJ"
      : null,
  content({ before, after }) {
    const previous = before.at(-1) ?? "";
    const isFeeling =
      BE.has(previous) ||
      /^(?:feels?|felt|perfectly|quite|very|not|so|seems?|seemed|looks?|looked|remains?|remained)$/.test(
        previous,
      );
    return isFeeling && !/^(?:is|creators?|management)$/.test(after[0] ?? "") ? null : "NOUN";
  },
  contents: () => "NOUN",
  wound({ before, after }) {
    const previous = governor(before) ?? "";
    if (SUBJECTS.has(previous) || HAVE.has(previous) || previous === "it") return "VBD";
    return !DETERMINERS.has(previous) && /^(?:up|down|around|through|its|tight|back)$/.test(after[0] ?? "")
      ? "VBD"
      : null;
  },
  close({ before, after }) {
    if (after[0] === "of" || (DETERMINERS.has(before.at(-1) ?? "") && !isContent(after[0]))) return "NOUN";
    return undefined;
  },
  tear: ({ before, after }) =>
    before.at(-1) === "and" && before.at(-2) === "wear" ? "VERB" : after[0] === "gas" ? null : undefined,
  lives({ before, after, isName }) {
    const [previous, first] = [before.at(-1) ?? "", after[0] ?? ""];
    const isSingular = isContent(previous) && !ADJECTIVES.has(previous) && !isPlural(previous);
    if (BE.has(first) || !isSingular || isPossessive(previous)) return undefined;
    if (isName && before.length > 1) return "VERB";
    const article =
      before.findLast((word, index) => index < before.length - 1 && !ADJECTIVES.has(word)) ?? "";
    return PLACE.test(first) && (isName || DETERMINERS.has(article)) ? "VERB" : undefined;
  },
  use: ({ after }) => (/^cases?$/.test(after[0] ?? "") ? "NOUN" : undefined),
  uses: ({ after }) => (/^(?:for|of|include)$/.test(after[0] ?? "") ? "NOUN" : undefined),
  dove: ({ before }) => (/^(?:he|she|it)$/.test(before.at(-1) ?? "") ? "VERB" : undefined),
};

/** What stands behind "lives" where it is the verb. */
const PLACE =
  /^(?:in|at|on|near|nearby|here|there|alone|with|next|by|under|across|upstairs|downstairs|far|close|together|abroad|off|outside|inside|above|below|behind|between|among|without)$/;

const MINUTE_THINGS =
  /^(?:details?|amounts?|quantit(?:y|ies)|particles?|differences?|changes?|traces?|fractions?|variations?|cracks?)$/;

function ownRule(clause: Clause, parts: ReadonlySet<string>): Part | null | undefined {
  return Object.hasOwn(OWN, clause.word) ? OWN[clause.word]!(clause, parts) : undefined;
}

const PAST_TIME = /^(?:yesterday|ago|earlier|already)$/;

/** "read": after have and be, and where a present would end in s. */
function pastRule({ word, before, after, isName }: Clause, parts: ReadonlySet<string>): Part | undefined {
  if (!parts.has("VBN")) return undefined;
  const previous = governor(before) ?? "";
  if (HAVE.has(previous) || (BE.has(previous) && after[0] !== "only")) return "VBN";
  if (before.at(-1) === "well") return "VBN";
  if (/^(?:he|she|it|who)$/.test(previous)) return "VBD";
  const hasObject = OBJECTS.has(after[0] ?? "") || /^(?:about|aloud|out|from|through)$/.test(after[0] ?? "");
  if (isName && hasObject && isContent(previous) && !isPlural(previous)) return "VBD";
  const isSingular = DETERMINERS.has(before.at(-2) ?? "") && isContent(previous) && !isPlural(previous);
  if (isSingular && hasObject && !ADJECTIVES.has(previous) && word === "read") return "VBD";
  return SUBJECTS.has(previous) && after.some((each) => PAST_TIME.test(each)) ? "VBD" : undefined;
}

/** Third persons, as far as a word can be one beside a plural: "records", not "process". */
const hasEndingS = (word: string) => /[^s]s$/.test(word);

/** After to, an auxiliary or a subject. */
function verbRule({ word, before, after }: Clause): Part | undefined {
  const previous = governor(before);
  if (previous === undefined) return undefined;
  if (previous === "to") {
    const isPreposition = /^(?:prior|according|addition|thanks|contrast|respect|due)$/.test(
      before.at(-2) ?? "",
    );
    return hasEndingS(word) || isPreposition ? "NOUN" : "VERB";
  }
  const isNoun = DETERMINERS.has(before.at(-2) ?? "") && /^(?:will|can|might|do)$/.test(previous);
  if (AUXILIARIES.has(previous) && !isNoun && !hasEndingS(word)) return "VERB";
  if (/^(?:that|which)$/.test(previous)) return isPlural(before.at(-2)) ? "VERB" : undefined;
  if (!hasEndingS(word)) {
    if (SUBJECTS.has(previous) && !BE.has(after[0] ?? "")) return "VERB";
    return /^(?:me|him|us|them)$/.test(previous) && isHelped(before) ? "VERB" : undefined;
  }
  return /^(?:he|she|it|who|nobody|everyone|everybody|someone|somebody)$/.test(previous) ? "VERB" : undefined;
}

/** "let us", "help me", "make them". */
const isHelped = (before: string[]) =>
  /^(?:let|lets|help|helps|helped|make|makes|made|see|saw|watch|watched|hear|heard|had|have)$/.test(
    before.at(-2) ?? "",
  );

/** After a determiner, a possessive, a preposition, or an adjective behind one of them. */
function nominalRule({ word, before, after }: Clause, parts: ReadonlySet<string>): Part | null | undefined {
  const previous = before.at(-1);
  if (previous === undefined) return undefined;
  const opens = (each: string | undefined) =>
    each !== undefined && (DETERMINERS.has(each) || PREPOSITIONS.has(each) || isPossessive(each));
  const isOpen =
    opens(previous) ||
    (ADJECTIVES.has(previous) &&
      (before.length < 2 || opens(before.at(-2)) || ADJECTIVES.has(before.at(-2)!)));
  if (!isOpen) return undefined;
  if (parts.has("ADJ") && word !== "read" && isContent(after[0])) return "ADJ";
  return ADJECTIVAL.has(word) && isContent(after[0]) ? null : "NOUN";
}

/** Nouns too, but adjectives before another noun: "a close friend". */
const ADJECTIVAL = new Set("close invalid live covert intimate".split(" "));

/** "Tom's", not "it's". */
const isPossessive = (word: string) =>
  /(?:'s|s')$/.test(word) && !/^(?:it|that|he|she|there|here|what|who|let|where|how)'s$/.test(word);

/** "is deliberate", "very deliberate"; "the use of", "estimates are". */
function predicateRule({ before, after }: Clause, parts: ReadonlySet<string>): Part | undefined {
  const previous = governor(before) ?? "";
  if (parts.has("ADJ") && (BE.has(previous) || /^(?:very|so|too|quite|more|most)$/.test(before.at(-1) ?? "")))
    return "ADJ";
  if (BE.has(previous)) return undefined;
  return /^(?:of|is|are|was|were)$/.test(after[0] ?? "") && parts.has("NOUN") ? "NOUN" : undefined;
}

/** "Record the call", "and close it", "people present their work", "the company records a call". */
function objectRule({ word, before, after }: Clause): Part | undefined {
  if (!OBJECTS.has(after[0] ?? "")) return undefined;
  const previous = before.at(-1);
  if (previous === undefined || /^(?:please|and|or|but|then|now|just|always|never|also)$/.test(previous))
    return hasEndingS(word) && previous === undefined ? undefined : "VERB";
  if (hasEndingS(word)) return isContent(previous) && !isPlural(previous) ? "VERB" : undefined;
  return isPlural(previous) && after[0] !== "the" ? "VERB" : undefined;
}
