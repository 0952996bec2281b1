/** Sentences of a line: `sentencex`, which knows abbreviations of many languages, or the runtime's own rules without it. */

type Splitter = (language: string, text: string) => string[];

let splitter: Splitter | null = null;

/** A capital with a stop is taken for an initial; before these words it ended a sentence. */
const AFTER_LETTER =
  /(?<=(?<![\p{L}\p{N}'])[A-Z]\.["')]?) (?=(?:The|This|That|It|He|She|They|We|You|I|There|Here|In|On|At|And|But|So|If|When|What|Who|How|Why|Then|Now|No|Yes|My|Our|His|Her)\b)/u;

/** In order. */
export function splitSentences(line: string, language: string): string[] {
  if (line.trim() === "") return [];
  splitter ??= load();
  const sentences = joinTrailing(splitter(language, line));
  return language === "en" ? sentences.flatMap((sentence) => sentence.split(AFTER_LETTER)) : sentences;
}

/** Dots in a row before a small letter do not end a sentence. */
function joinTrailing(sentences: string[]): string[] {
  const joined: string[] = [];
  for (const sentence of sentences) {
    const isContinued = /\.\.\.\s*$/.test(joined.at(-1) ?? "") && /^\s*["'(]?\p{Ll}/u.test(sentence);
    if (isContinued) joined.push(joined.pop() + sentence);
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
