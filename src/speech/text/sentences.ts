/** Sentences of a line: `sentencex`, which knows abbreviations of many languages, or the runtime's own rules without it. */
import { createRequire } from "node:module";

type Splitter = (language: string, text: string) => string[];

let splitter: Splitter | null = null;

export function splitSentences(line: string, language: string): string[] {
  if (line.trim() === "") return [];
  splitter ??= load();
  return splitter(language, line);
}

/** Its native part is not published for every platform. */
function load(): Splitter {
  try {
    return createRequire(import.meta.url)("sentencex").segment as Splitter;
  } catch {
    return (language, text) =>
      Array.from(
        new Intl.Segmenter(language, { granularity: "sentence" }).segment(text),
        ({ segment }) => segment,
      );
  }
}
