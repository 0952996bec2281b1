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

type Timing = { frameSeconds: number; offset: number };

/**
 * The words of emissions that come a few at a time: each is returned when the next one has begun, `rest` is the last.
 * `offset` is the time of frame 0, in seconds. A word ends where its last token does, or where the next word begins.
 */
export class GrowingWords {
  readonly #pieces: readonly string[];
  readonly #timing: Timing;
  #last: (TimedWord & { tokens: number }) | null = null;
  #startsWord = true; // also after a lone "▁"

  constructor(pieces: readonly string[], timing: Timing) {
    this.#pieces = pieces;
    this.#timing = timing;
  }

  add(emissions: readonly Emission[]): TimedWord[] {
    const complete: TimedWord[] = [];
    for (const emission of emissions) {
      const before = this.#last;
      this.#take(emission);
      if (before !== null && before !== this.#last) complete.push(timed(before));
    }
    return complete;
  }

  rest(): TimedWord[] {
    return this.#last ? [timed(this.#last)] : [];
  }

  #take({ token, frame, frames, confidence }: Emission): void {
    const piece = this.#pieces[token] ?? "";
    if (SPECIAL.test(piece)) return;
    const text = piece.replaceAll("▁", "");
    this.#startsWord ||= piece.startsWith("▁");
    if (text === "") return;
    const { frameSeconds, offset } = this.#timing;
    const start = offset + frame * frameSeconds;
    const end = start + Math.max(1, frames ?? 1) * frameSeconds;
    const last = this.#last;
    if (last) last.end = Math.min(last.end, Math.max(last.start, start));
    if (last && (!this.#startsWord || CLOSING.test(text))) {
      last.text += text;
      last.end = end;
      last.confidence += (confidence - last.confidence) / ++last.tokens;
    } else this.#last = { text, start, end, confidence, tokens: 1 };
    this.#startsWord = false;
  }
}

const timed = ({ tokens: _, ...word }: TimedWord & { tokens: number }): TimedWord => word;

export function wordsOf(emissions: Emission[], pieces: readonly string[], timing: Timing): TimedWord[] {
  const words = new GrowingWords(pieces, timing);
  return [...words.add(emissions), ...words.rest()];
}

/** The language that the model detected, or null. */
export function languageOf(emissions: Emission[], pieces: readonly string[]): string | null {
  for (const { token } of emissions) {
    const language = LANGUAGE.exec(pieces[token] ?? "")?.[1];
    if (language && !NO_LANGUAGE.has(language)) return language;
  }
  return null;
}
