/**
 * SentencePiece tokens as words: a piece that begins with "▁" begins a word; closing punctuation belongs to the word
 * before it.
 *
 *   ▁Hel lo , ▁wor ld .        Hello,  world.
 */
/** A token, its frame, its duration in frames where the model predicts it, and its confidence, 0 to 1. */
export type Emission = { token: number; frame: number; frames: number | null; confidence: number };

/** A word of a recording; times in seconds. */
export type TimedWord = { text: string; start: number; end: number; confidence: number };

/** The pieces of a vocabulary file, whose lines are a piece and its id. */
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
/** Closing punctuation; it belongs to the word before it, even after a space. */
const CLOSING = /^[.,!?;:%…)\]}»”’"]+$/u;

/** `offset` is the time of frame 0, in seconds. A word ends where its last token does, or where the next word begins. */
export function wordsOf(
  emissions: Emission[],
  pieces: readonly string[],
  { frameSeconds, offset }: { frameSeconds: number; offset: number },
): TimedWord[] {
  const words: (TimedWord & { tokens: number })[] = [];
  let startsWord = true; // also after a lone "▁"
  for (const { token, frame, frames, confidence } of emissions) {
    const piece = pieces[token] ?? "";
    if (SPECIAL.test(piece)) continue;
    const text = piece.replaceAll("▁", "");
    startsWord ||= piece.startsWith("▁");
    if (text === "") continue;
    const start = offset + frame * frameSeconds;
    const end = start + Math.max(1, frames ?? 1) * frameSeconds;
    const last = words.at(-1);
    if (last) last.end = Math.min(last.end, Math.max(last.start, start));
    if (last && (!startsWord || CLOSING.test(text))) {
      last.text += text;
      last.end = end;
      last.confidence += (confidence - last.confidence) / ++last.tokens;
    } else {
      words.push({ text, start, end, confidence, tokens: 1 });
    }
    startsWord = false;
  }
  return words.map(({ tokens: _, ...word }) => word);
}

/** The language that the model detected, or null. */
export function languageOf(emissions: Emission[], pieces: readonly string[]): string | null {
  for (const { token } of emissions) {
    const language = LANGUAGE.exec(pieces[token] ?? "")?.[1];
    if (language && !NO_LANGUAGE.has(language)) return language;
  }
  return null;
}
