/**
 * The audio of an answer as samples at `TTS_SAMPLE_RATE`, checked while it arrives: it must be audio, it must be about as
 * long as its text, and it must not be silence.
 */

import { join } from "../../audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { Resampler } from "../../audio/resample/resample.ts";
import { checkSamples, speechSecondsMax } from "../../engine/answers/speech-bounds.ts";
import type { SynthesisTask } from "../../engine/protocol/synthesis.ts";
import { UpstreamFailure } from "../transport/failure.ts";
import type { SpeechFlags } from "./preset.ts";
import { WavReader } from "./wav-reader.ts";

const SHORTEST = 0.2 * TTS_SAMPLE_RATE; // some servers answer a blank clip where they fail

/** What servers send in place of PCM and WAV, with status 200. */
const OTHER_TYPES = /^(text\/|application\/(json|problem)|audio\/(mpeg|mp3|ogg|opus|flac|aac|mp4))/;

export class SpeechReader {
  readonly #reader: WavReader;
  readonly #edges = new SpeechEdges(TTS_SAMPLE_RATE);
  readonly #longest: number;
  #resampler: Resampler | null = null;
  #received = 0;
  /** Samples that are not delivered until the clip is long enough to be speech. */
  #first: Float32Array | null = new Float32Array(0);

  constructor(
    task: Pick<SynthesisTask, "text" | "language" | "speed">,
    { flags, contentType }: { flags: Pick<SpeechFlags, "audio" | "rate">; contentType: string },
  ) {
    if (OTHER_TYPES.test(contentType))
      throw new UpstreamFailure("faulty", `the server answered ${contentType} in place of audio`);
    this.#reader = new WavReader(flags.audio === "pcm" ? flags.rate : null);
    this.#longest = speechSecondsMax(task) * TTS_SAMPLE_RATE;
  }

  /** Samples that may be delivered; often none. */
  push(bytes: Uint8Array): Float32Array {
    return this.#deliverable(this.#edges.push(this.#resampled(this.#reader.push(bytes))));
  }

  /** Samples before the speech that are left out of it. */
  get dropped(): number {
    return this.#edges.dropped;
  }

  finish(): Float32Array {
    const rest = this.#resampled(this.#reader.finish());
    const tail = this.#resampler ? join(rest, this.#resampler.finish()) : rest;
    const certain = this.#edges.push(tail);
    const last = join(certain, this.#edges.finish());
    if (this.#first === null) return last;
    const all = join(this.#first, last);
    if (this.#received < SHORTEST || all.length === 0)
      throw new UpstreamFailure(
        "faulty",
        `${(this.#received / TTS_SAMPLE_RATE).toFixed(2)} seconds of audio have no speech`,
      );
    return all;
  }

  #resampled(samples: Float32Array): Float32Array {
    const { rate } = this.#reader;
    if (samples.length === 0 || rate === null) return new Float32Array(0);
    checkSamples(samples);
    if (rate !== TTS_SAMPLE_RATE) this.#resampler ??= new Resampler(rate, TTS_SAMPLE_RATE);
    this.#received += (samples.length * TTS_SAMPLE_RATE) / rate;
    if (this.#received > this.#longest)
      throw new UpstreamFailure(
        "faulty",
        `the audio is longer than ${Math.round(this.#longest / TTS_SAMPLE_RATE)} seconds, which its text cannot be`,
      );
    return this.#resampler ? this.#resampler.push(samples) : samples;
  }

  #deliverable(samples: Float32Array): Float32Array {
    if (this.#first === null) return samples;
    this.#first = join(this.#first, samples);
    if (this.#received < SHORTEST || this.#first.length === 0) return new Float32Array(0);
    const first = this.#first;
    this.#first = null;
    return first;
  }
}

const FLOOR = 10 ** (-45 / 20);
const KEPT_MS = 30;
const FADE_MS = 5;

/**
 * Trims the silence at both ends of speech that arrives in parts, and fades the ends so that joins do not click.
 *
 *   ____▁▂▅▇▆__▃▆▃____   ->   ╱▂▅▇▆__▃▆╲      silence is held until more speech follows it
 */
class SpeechEdges {
  readonly #kept: number;
  readonly #fade: number;
  /** Silence, and speech that may be faded out. */
  #held: Float32Array = new Float32Array(0);
  #hasBegun = false;
  /** Samples of silence that were dropped before the speech. */
  dropped = 0;

  constructor(sampleRate: number) {
    this.#kept = Math.round((KEPT_MS * sampleRate) / 1000);
    this.#fade = Math.round((FADE_MS * sampleRate) / 1000);
  }

  /** The samples that are certain to belong to the speech. */
  push(samples: Float32Array): Float32Array {
    this.#held = join(this.#held, samples);
    if (!this.#hasBegun && !this.#begin()) return new Float32Array(0);
    const end = this.#end();
    const certain = this.#held.slice(0, Math.max(0, end - this.#fade));
    this.#held = this.#held.slice(certain.length);
    return certain;
  }

  /** The rest; empty where all was silence. */
  finish(): Float32Array {
    if (!this.#hasBegun) return new Float32Array(0);
    const rest = this.#held.slice(0, this.#end() + this.#kept);
    const steps = Math.min(this.#fade, rest.length);
    for (let i = 0; i < steps; i++) rest[rest.length - 1 - i]! *= gainAt(i, steps);
    return rest;
  }

  /** Drops the silence before the first speech. */
  #begin(): boolean {
    const start = this.#held.findIndex((sample) => Math.abs(sample) >= FLOOR);
    if (start < 0) {
      this.#drop(Math.max(0, this.#held.length - this.#kept));
      return false;
    }
    this.#drop(Math.max(0, start - this.#kept));
    const steps = Math.min(this.#fade, this.#held.length);
    for (let i = 0; i < steps; i++) this.#held[i]! *= gainAt(i, steps);
    this.#hasBegun = true;
    return true;
  }

  #drop(count: number): void {
    this.#held = this.#held.slice(count);
    this.dropped += count;
  }

  /** After the last sample that is no silence. */
  #end(): number {
    let end = this.#held.length;
    while (end > 0 && Math.abs(this.#held[end - 1]!) < FLOOR) end--;
    return end;
  }
}

const gainAt = (index: number, steps: number) => 0.5 - 0.5 * Math.cos((Math.PI * index) / steps);
