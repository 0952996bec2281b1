/**
 * Text as Pocket TTS reads it: with a capital first and a mark last, and in chunks of at most 50 tokens, of whole
 * sentences where that is possible, else of clauses, else of words.
 *
 *   "hello. how are you"  ->  "Hello. how are you."  ->  sentences  ->  chunks with their tokens
 *
 * Source: kyutai-labs/pocket-tts.
 */
import type { Tokenizer } from "./sentencepiece.ts";

export type Writing = {
  tokensMax: number;
  /** Leading spaces make few words more tokens. */
  padsShort: boolean;
  /** Semicolons are read as commas. */
  removesSemicolons: boolean;
};

/** `framesAfterEnd`: what is spoken after the model says that it is at the end. */
export type Chunk = { tokens: number[]; framesAfterEnd: number };

const SENTENCE_MARKS = ".!...?";
const CLAUSE_MARKS = ",;:";
const PADDING = " ".repeat(8);
const FEW_WORDS = 4;

/** None where there is nothing to read. */
export function chunksOf(text: string, tokenizer: Tokenizer, writing: Writing): Chunk[] {
  const { tokensMax, padsShort } = writing;
  const prepared = prepare(text, writing);
  if (prepared === "") return [];
  const { encode } = tokenizer;
  const isShort = (each: string) => encode(each).length <= tokensMax;
  const clauses = dividedAt(SENTENCE_MARKS, prepared, tokenizer).flatMap((sentence) =>
    isShort(sentence) ? [sentence] : dividedAt(CLAUSE_MARKS, sentence, tokenizer),
  );
  const parts = clauses.flatMap((clause) => (isShort(clause) ? [clause] : cutAnywhere(clause, isShort)));
  return filled(parts, " ", isShort).map((chunk) => {
    const words = chunk.split(/\s+/).length;
    const padded = padsShort && words <= FEW_WORDS ? PADDING + chunk : chunk;
    return { tokens: encode(padded).slice(0, tokensMax), framesAfterEnd: (words <= FEW_WORDS ? 3 : 1) + 2 };
  });
}

function prepare(text: string, { removesSemicolons }: Writing): string {
  const spaced = text
    .trim()
    .replace(/[\n\r]/g, " ")
    .replaceAll("  ", " ");
  const plain = removesSemicolons ? spaced.replaceAll(";", ",") : spaced;
  if (plain === "") return "";
  const [first, ...rest] = plain;
  return first!.toUpperCase() + rest.join("") + (/[\p{L}\p{N}]$/u.test(plain) ? "." : "");
}

/** After each run of tokens that are marks. */
function dividedAt(marks: string, text: string, { encode, decode }: Tokenizer): string[] {
  const boundaries = new Set(encode(marks).slice(1));
  const tokens = encode(text.trim());
  const starts = tokens.flatMap((token, at) =>
    at > 0 && boundaries.has(tokens[at - 1]!) && !boundaries.has(token) ? [at] : [],
  );
  return [0, ...starts]
    .map((start, index) => decode(tokens.slice(start, starts[index])).trim())
    .filter((part) => part !== "");
}

/** Between words; within a word that is too long, between letters. */
function cutAnywhere(text: string, isShort: IsShort): string[] {
  const words = text.split(" ").map((word) => (isShort(word) ? [word] : filled([...word], "", isShort)));
  return filled(words.flat(), " ", isShort);
}

type IsShort = (text: string) => boolean;

/** As many parts in each as are short enough together. */
function filled(parts: readonly string[], separator: string, isShort: IsShort): string[] {
  const filled: string[] = [];
  for (const part of parts) {
    const longer = `${filled.at(-1)}${separator}${part}`;
    if (filled.length > 0 && isShort(longer)) filled[filled.length - 1] = longer;
    else filled.push(part);
  }
  return filled;
}
