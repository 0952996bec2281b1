/**
 * What a stream's decoder attends to, made of its sound as that arrives.
 *
 *   features  ········├─ left context ─┤├── new ──┤├ lookahead ┤       one run of the encoder gives what is new
 *   memory                       ├─────────────────┤                   from the last cut on, places counted from there
 *
 * Sound enters the frontend 80 ms at a time, and the encoder runs when enough is new, so that nothing depends on how the
 * samples were divided. Source: moonshine-ai/moonshine.
 */
import { join } from "../../../src/audio/pcm.ts";
import type { MoonshineConfig } from "./config.ts";
import type { Cross, MoonshineDecoder } from "./decoder.ts";
import type { FrontState, MoonshineEncoder } from "./encoder.ts";

const CHUNK = 1280; // samples: 80 ms, as the published loop feeds them
export const FRAME_SECONDS = 0.02;
const CONTEXT_OF_LAYER = 16; // frames

/** `stepFrames`: new frames for which the encoder runs; infinite: it runs once, at the end. */
type Options = {
  encoder: MoonshineEncoder;
  decoder: MoonshineDecoder;
  config: MoonshineConfig;
  stepFrames: number;
};

export class Memory {
  readonly #options: Options;
  #state: FrontState;
  #waiting = new Float32Array(0);
  /** From `#first` on. */
  #features: Float32Array = new Float32Array(0);
  #first = 0;
  /** Frames that were encoded, and where the memory begins. */
  #encodedUntil = 0;
  #start = 0;
  /** From `#start` on. */
  #encoded: Float32Array = new Float32Array(0);
  #rows: Float32Array = new Float32Array(0);
  #cross: Cross | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#state = options.encoder.begin();
  }

  /** The frame of the stream that it begins with. */
  get start(): number {
    return this.#start;
  }

  get frames(): number {
    return this.#encodedUntil - this.#start;
  }

  /** Changes whenever the memory does. */
  get version(): number {
    return this.#encodedUntil;
  }

  async push(samples: Float32Array): Promise<void> {
    const all = join(this.#waiting, samples);
    const { stepFrames, config } = this.#options;
    let at = 0;
    for (; at + CHUNK <= all.length; at += CHUNK) {
      await this.#read(all.slice(at, at + CHUNK));
      const known = this.#featuresUntil() - config.total_lookahead;
      if (known - this.#encodedUntil >= stepFrames) await this.#encode(known);
    }
    this.#waiting = all.slice(at);
  }

  /** The rest of the sound, with silence to the end of its 80 ms. */
  async finish(): Promise<void> {
    if (this.#waiting.length > 0) {
      const last = new Float32Array(CHUNK);
      last.set(this.#waiting);
      this.#waiting = new Float32Array(0);
      await this.#read(last);
    }
    if (this.#featuresUntil() > this.#encodedUntil) await this.#encode(this.#featuresUntil());
  }

  /** Null: nothing yet. */
  async cross(): Promise<Cross | null> {
    if (this.frames === 0) return null;
    this.#cross ??= await this.#options.decoder.cross(this.#rows);
    return this.#cross;
  }

  /** Forgets the first so many frames; the places of the others are counted anew. */
  async forget(frames: number): Promise<void> {
    const { encoder, config } = this.#options;
    this.#start += frames;
    this.#encoded = this.#encoded.slice(frames * config.encoder_dim);
    this.#cross = null;
    this.#rows = this.frames === 0 ? new Float32Array(0) : await encoder.adapt(this.#encoded, 0);
  }

  #featuresUntil(): number {
    return this.#first + this.#features.length / this.#options.config.encoder_dim;
  }

  async #read(samples: Float32Array): Promise<void> {
    const { features, state } = await this.#options.encoder.front(this.#state, samples);
    this.#state = state;
    this.#features = join(this.#features, features);
  }

  async #encode(until: number): Promise<void> {
    const { encoder, config } = this.#options;
    const { encoder_dim: size, depth } = config;
    const from = Math.max(0, this.#encodedUntil - CONTEXT_OF_LAYER * depth);
    this.#features = this.#features.slice((from - this.#first) * size);
    this.#first = from;
    const encoded = await encoder.encode(this.#features);
    const fresh = encoded.slice((this.#encodedUntil - from) * size, (until - from) * size);
    const rows = await encoder.adapt(fresh, this.frames);
    this.#encoded = join(this.#encoded, fresh);
    this.#rows = join(this.#rows, rows);
    this.#encodedUntil = until;
    this.#cross = null;
  }
}
