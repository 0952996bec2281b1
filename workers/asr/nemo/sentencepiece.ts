/**
 * SentencePiece's pieces as words: a piece that begins with "▁" begins a word, and what has no letter belongs to the
 * word before it.
 *
 *   ▁Hel lo , ▁wor ld .        Hello,  world.
 */
import type { Emission } from "./transducer.ts";

/** A word of a recording; times in seconds. */
export type TimedWord = { text: string; start: number; end: number; confidence: number };

/** The pieces of a vocabulary file: a piece and its id, a line each. */
export function readPieces(text: string): string[] {
  const pieces: string[] = [];
  for (const line of text.split("\n")) {
    const cut = line.lastIndexOf(" ");
    if (cut > 0) pieces[Number(line.slice(cut + 1))] = line.slice(0, cut);
  }
  return pieces;
}

const SPECIAL = /^<.*>$/;
const LANGUAGE = /^<([a-z]{2,3})(-[A-Za-z]+)?>$/;
const NO_LANGUAGE = new Set(["unk", "pad", "blk", "eos", "bos", "sos"]);
/** What closes; it belongs to the word before it, whatever is said of a space. */
const CLOSING = /^[.,!?;:%…)\]}»”’"]+$/u;

/** `offset` is where frame 0 is, in seconds. A word ends where its last token does, or where the next begins. */
export function wordsOf(
  emissions: Emission[],
  pieces: readonly string[],
  { frameSeconds, offset }: { frameSeconds: number; offset: number },
): TimedWord[] {
  const words: (TimedWord & { tokens: number })[] = [];
  let apart = true; // a lone "▁" says so of the piece after it
  for (const { token, frame, frames, confidence } of emissions) {
    const piece = pieces[token] ?? "";
    if (SPECIAL.test(piece)) continue;
    const text = piece.replaceAll("▁", "");
    apart ||= piece.startsWith("▁");
    if (text === "") continue;
    const start = offset + frame * frameSeconds;
    const end = start + Math.max(1, frames ?? 1) * frameSeconds;
    const last = words.at(-1);
    if (last) last.end = Math.min(last.end, Math.max(last.start, start));
    if (last && (!apart || CLOSING.test(text))) {
      last.text += text;
      last.end = end;
      last.confidence += (confidence - last.confidence) / ++last.tokens;
    } else {
      words.push({ text, start, end, confidence, tokens: 1 });
    }
    apart = false;
  }
  return words.map(({ tokens: _, ...word }) => word);
}

/** The language a model that finds it out says it heard, or null. */
export function languageOf(emissions: Emission[], pieces: readonly string[]): string | null {
  for (const { token } of emissions) {
    const language = LANGUAGE.exec(pieces[token] ?? "")?.[1];
    if (language && !NO_LANGUAGE.has(language)) return language;
  }
  return null;
}
