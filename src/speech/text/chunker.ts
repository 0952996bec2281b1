/**
 * Divides the text of a language model, while it is written, into segments that are spoken one after another.
 *
 *   tokens    Good| morning|,| Ada|.| It| is| sunny| to|day|.
 *   segments  ├─ the first: soon ─┤├─ then whole sentences ─┤
 *
 * The first segment ends at a sentence, at a clause that is long enough, or where the model is slow. Short sentences are
 * joined, and longer ones while there is enough left to play: engines phrase a few words poorly. Joined, the segments are
 * the text.
 */
import { splitSentences } from "./sentences.ts";

/** Of the first segment. */
const CLAUSE_CHARACTERS = 12;
const CLAUSE_WORDS = 3;
const FIRST_WAIT_MS = 250;
const FIRST_WAIT_WORDS = 4;
/** Of the others: shorter ones wait for the next sentence, but not longer than this. */
const SHORT_CHARACTERS = 40;
const SHORT_WAIT_MS = 400;
/** While more than this is left to play, sentences are joined, up to so many characters: an interruption wastes no more. */
const PLAYBACK_LEFT_MS = 2000;
const JOINED_CHARACTERS = 200;
/** Where a text without an end is divided. */
const LONGEST = 600;
const CODE_LONGEST = 8000;
/** How much of what waits is looked at for an end. */
const WINDOW = 700;

const FENCE = "```";

export class Chunker {
  readonly #language: string;
  #pending = "";
  #isFirst = true;
  /** When the text that waits began to. */
  #sinceMs: number | null = null;
  /** When what was sent of the segments before it will have been played; 0: nothing is played. */
  #playsUntilMs = 0;

  /** `language`: a primary subtag, such as "en". */
  constructor(language: string) {
    this.#language = language;
  }

  /** The segments that this text completes. `aheadMs`: what was sent and is still to be played. */
  push(text: string, nowMs: number, aheadMs = 0): string[] {
    this.#playsUntilMs = nowMs + aheadMs;
    this.#pending += text;
    if (this.#pending.trim() !== "") this.#sinceMs ??= nowMs;
    return this.#take(nowMs);
  }

  /** When `wake` may complete a segment; null: only more text can. */
  get dueMs(): number | null {
    if (this.#sinceMs === null || isInCode(this.#pending)) return null;
    if (this.#isFirst) return this.#sinceMs + FIRST_WAIT_MS;
    return Math.max(this.#sinceMs + SHORT_WAIT_MS, this.#playsUntilMs - PLAYBACK_LEFT_MS);
  }

  wake(nowMs: number, aheadMs = 0): string[] {
    this.#playsUntilMs = nowMs + aheadMs;
    return this.#take(nowMs);
  }

  /** What is left, at the end of the text. */
  finish(): string[] {
    const rest = this.#pending;
    this.#pending = "";
    this.#sinceMs = null;
    return rest === "" ? [] : [rest];
  }

  #take(nowMs: number): string[] {
    const segments: string[] = [];
    for (let end = this.#end(nowMs); end > 0; end = this.#end(nowMs)) {
      segments.push(this.#pending.slice(0, end));
      this.#pending = this.#pending.slice(end);
      this.#isFirst = false;
      this.#sinceMs = this.#pending.trim() === "" ? null : nowMs;
    }
    return segments;
  }

  /** The end of the next segment; 0: it is not complete. */
  #end(nowMs: number): number {
    if (isInCode(this.#pending)) return this.#pending.length > CODE_LONGEST ? this.#pending.length : 0;
    const text = this.#pending.slice(0, WINDOW);
    return behindCode(this.#pending, this.#endIn(text, nowMs));
  }

  #endIn(text: string, nowMs: number): number {
    const isLate = this.dueMs !== null && nowMs >= this.dueMs;
    const hasTime = this.#playsUntilMs - nowMs > PLAYBACK_LEFT_MS;
    const least = this.#isFirst || isLate ? 1 : hasTime ? JOINED_CHARACTERS : SHORT_CHARACTERS;
    const sentence = this.#sentenceEnd(text, { least, most: isLate && !this.#isFirst });
    if (sentence > 0) return sentence;
    const first = this.#isFirst ? clauseEnd(text) || (isLate ? lastSpace(text) : 0) : 0;
    return first || (text.length > LONGEST ? spaceBefore(text, LONGEST) : 0);
  }

  /** Of as many sentences as make `least` characters; `most`: of all that are whole. The last one may go on. */
  #sentenceEnd(text: string, { least, most }: { least: number; most: boolean }): number {
    if (!/[.!?…。！？\n]/.test(text)) return 0;
    let end = 0;
    let found = 0;
    for (const line of text.split(/(?<=\n)/)) {
      const isWhole = line.endsWith("\n");
      const sentences = splitSentences(line, this.#language);
      if (sentences.join("").length !== line.length) sentences.splice(0, sentences.length, line);
      for (const [index, sentence] of sentences.entries()) {
        if (!isWhole && index === sentences.length - 1) return found;
        end += sentence.length;
        if (!isSpeakable(text.slice(0, end)) || end < least) continue;
        if (!most) return end;
        found = end;
      }
      if (sentences.length === 0) end += line.length;
    }
    return found;
  }
}

/** Within a block of code whose end is still to come. */
const isInCode = (text: string): boolean => text.includes(FENCE) && text.split(FENCE).length % 2 === 0;

/** An end within a block of code is behind it. All blocks of the text have an end. */
function behindCode(text: string, end: number): number {
  if (!isInCode(text.slice(0, end))) return end;
  const fence = text.indexOf(FENCE, end - FENCE.length + 1);
  return fence < 0 ? end : fence + FENCE.length;
}

/** Emoji and marks alone are not spoken. */
const isSpeakable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

const wordsIn = (text: string): number => text.split(/\s+/).filter(isSpeakable).length;

/** Behind the first clause that is long enough, if a word follows. */
function clauseEnd(text: string): number {
  for (const { 0: mark, index } of text.matchAll(/[,;:–—、，；：](?=\s)|\s[–—-](?=\s)/g)) {
    const end = index + mark.length;
    const clause = text.slice(0, end);
    if (clause.trim().length >= CLAUSE_CHARACTERS && wordsIn(clause) >= CLAUSE_WORDS) return end;
  }
  return 0;
}

/** The last word may go on. */
function lastSpace(text: string): number {
  const end = text.trimEnd().lastIndexOf(" ");
  return end > 0 && wordsIn(text.slice(0, end)) >= FIRST_WAIT_WORDS ? end : 0;
}

function spaceBefore(text: string, place: number): number {
  const space = text.lastIndexOf(" ", place);
  return space > 0 ? space : place;
}
