/**
 * The words of one stream, as they become final: what two texts in a row agree on stays, up to its last word, which may
 * go on.
 *
 *   text 1   and so my fell
 *   text 2   and so my fellow amer            "and so my" is final, and later texts begin with it
 *
 * When there are 15 s of sound, what comes before the last final word is forgotten, and texts begin behind it.
 *
 * The work is in proportion to the sound: a text is decoded again when the sound since has paid for the one before, which it
 * has at each step where most of a text stays. What sounds like no words at all has another text each time.
 */
import type { Word } from "../../../src/engine/protocol/recognition.ts";
import type { Biasing } from "../keywords/bias.ts";
import type { MoonshineConfig } from "./config.ts";
import type { MoonshineDecoder } from "./decoder.ts";
import type { MoonshineEncoder } from "./encoder.ts";
import { FRAME_SECONDS, Memory } from "./memory.ts";
import type { MoonshinePieces } from "./pieces.ts";
import { type Decoded, decode } from "./search.ts";
import { evenTimes, type TokenWord, tokenWords, wordTimes } from "./words.ts";

export const LONGEST_SECONDS = 15; // as long as the lines of the published loop
const LONGEST_FRAMES = LONGEST_SECONDS / FRAME_SECONDS;
const ROWS_MIN = 2; // the exports know no memory of one row
/** Of a memory that is too long; where no word that is final ends behind it, all of them are made final. */
const FORGOTTEN_MIN = 3 / FRAME_SECONDS;

/** The work of texts that are decoded again, in tokens: the memory and the draft are read, then each token is chosen. */
const READING = 10;
const WORK_PER_FRAME = 50 * FRAME_SECONDS;
/** Frames that may pay later: speech is now and then understood in another way from its beginning. */
const UNSPENT_MAX = 5 / FRAME_SECONDS;

export type Model = {
  encoder: MoonshineEncoder;
  decoder: MoonshineDecoder;
  config: MoonshineConfig;
  pieces: MoonshinePieces;
};

/** `stepFrames`: see `Memory`. `aligned`: word times come from the attention. */
type Options = { biasing: Biasing; stepFrames: number; aligned: boolean };

export class Transcript {
  readonly memory: Memory;
  readonly #model: Model;
  readonly #options: Options;
  /** The text of the memory: its first words and tokens are final, and the last of these ends at a frame. */
  #tokens: number[] = [];
  #words = 0;
  #fixed = 0;
  #fixedFrame = 0;
  #version = 0;
  /** The frame that pays for the texts so far. */
  #paidAt = 0;

  constructor(model: Model, options: Options) {
    this.#model = model;
    this.#options = options;
    this.memory = new Memory({ ...model, stepFrames: options.stepFrames });
  }

  /** Words that became final; all of them where the stream is `finished`. Times are seconds of the stream. */
  async advance(finished: boolean): Promise<Word[]> {
    const { version, frames } = this.memory;
    const isLong = frames > LONGEST_FRAMES;
    const isDue = version !== this.#version && (isLong || version >= this.#paidAt);
    if (!isDue && !finished) return [];
    const decoded = await this.#decode();
    if (decoded === null) return [];
    const all = tokenWords(decoded.tokens, this.#model.pieces);
    const count = finished ? all.length : Math.max(this.#words, this.#agreedWords(all, decoded));
    const words = this.#timed(all, decoded, count);
    if (!isLong || finished) return words;
    const isStuck = this.#fixedFrame < FORGOTTEN_MIN;
    const rest = isStuck ? this.#timed(all, decoded, all.length) : [];
    await this.#forget(isStuck ? frames : Math.min(this.#fixedFrame, frames - ROWS_MIN));
    return [...words, ...rest];
  }

  async #decode(): Promise<Decoded | null> {
    this.#version = this.memory.version;
    const cross = await this.memory.cross();
    if (cross === null) return null;
    const { biasing, aligned } = this.#options;
    const known = { draft: this.#tokens, fixed: this.#fixed };
    const decoded = await decode(this.#model.decoder, {
      ...known,
      cross,
      bias: biasing?.() ?? null,
      aligned,
    });
    this.#tokens = decoded.tokens;
    this.#pay(READING + decoded.tokens.length - decoded.agreed);
    return decoded;
  }

  #pay(work: number): void {
    this.#paidAt = Math.max(this.#paidAt, this.#version - UNSPENT_MAX) + work / WORK_PER_FRAME;
  }

  /** A word is whole where the next token begins another one. */
  #agreedWords(words: readonly TokenWord[], { tokens, agreed }: Decoded): number {
    const { pieces } = this.#model;
    return words.filter(({ to }) => to <= agreed && to < tokens.length && pieces.beginsWord(tokens[to]!))
      .length;
  }

  /** Makes the first so many words final, and returns those that were not. */
  #timed(all: readonly TokenWord[], decoded: Decoded, count: number): Word[] {
    const fresh = all.slice(this.#words, count);
    if (fresh.length === 0) return [];
    const { start, frames } = this.memory;
    const { tokens, probabilities } = decoded;
    const times = this.#options.aligned
      ? wordTimes(fresh, decoded, { from: this.#fixedFrame, to: frames })
      : evenTimes(fresh, tokens.length, { from: this.#fixedFrame, to: frames });
    this.#words = count;
    this.#fixed = fresh.at(-1)!.to;
    this.#fixedFrame = Math.min(frames, Math.round(times.at(-1)!.end / FRAME_SECONDS));
    const offset = start * FRAME_SECONDS;
    return fresh.map(({ text, from, to, glued }, index) => ({
      text,
      start: offset + times[index]!.start,
      end: offset + times[index]!.end,
      confidence: meanOf(probabilities.slice(from, to)),
      ...(glued ? { glued } : {}),
    }));
  }

  async #forget(frames: number): Promise<void> {
    await this.memory.forget(frames);
    this.#tokens = this.#tokens.slice(this.#fixed);
    [this.#words, this.#fixed, this.#fixedFrame] = [0, 0, 0];
  }
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
