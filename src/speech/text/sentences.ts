/** Sentences of a line: `sentencex`, which knows abbreviations of many languages, or the runtime's own rules without it. */

type Splitter = (language: string, text: string) => string[];

let splitter: Splitter | null = null;

/** A capital with a stop is taken for an initial; before these words it ended a sentence. */
const AFTER_LETTER =
  /(?<=(?<![\p{L}\p{N}'])[A-Z]\.["')]?) (?=(?:The|This|That|It|He|She|They|We|You|I|There|Here|In|On|At|And|But|So|If|When|What|Who|How|Why|Then|Now|No|Yes|My|Our|His|Her)\b)/u;

/** A number with a stop is an ordinal before a small letter, or before a month of German. */
const ORDINAL = /(?<!\d)\d{1,4}\.\s*$/;
const BEHIND_ORDINAL =
  /^(?:\p{Ll}|(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?!\p{L}))/u;

/** In order. */
export function splitSentences(line: string, language: string): string[] {
  if (line.trim() === "") return [];
  splitter ??= load();
  const sentences = splitter(language, line);
  if (language !== "en") return joinTrailing(sentences, isContinued);
  return joinTrailing(sentences, hasDots).flatMap((sentence) => sentence.split(AFTER_LETTER));
}

/** Dots in a row before a small letter do not end a sentence. */
const hasDots = (before: string, sentence: string) =>
  /\.\.\.\s*$/.test(before) && /^\s*["'(]?\p{Ll}/u.test(sentence);

const isContinued = (before: string, sentence: string) =>
  hasDots(before, sentence) || (ORDINAL.test(before) && BEHIND_ORDINAL.test(sentence));

function joinTrailing(sentences: string[], isOneWith: (before: string, sentence: string) => boolean) {
  const joined: string[] = [];
  for (const sentence of sentences) {
    if (isOneWith(joined.at(-1) ?? "", sentence)) joined.push(joined.pop() + sentence);
    else joined.push(sentence);
  }
  return joined;
}

/** Its native part is not published for every platform. */
function load(): Splitter {
  try {
    return require("sentencex").segment as Splitter;
  } catch {
    return (language, text) =>
      Array.from(
        new Intl.Segmenter(language, { granularity: "sentence" }).segment(text),
        ({ segment }) => segment,
      );
  }
}
