/**
 * What a session hears, by place: windows to turns, and the audio that belongs to them. In samples of 16 kHz.
 *
 *   samples  ···············▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒·········
 *                       ├pad┤started     stopped┤
 *
 * Of silence only what may become padding is kept.
 */
import { join } from "../audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { VadResult } from "../engine/protocol/vad.ts";
import { nextTurn, silentSince, type Turn, type TurnRules } from "./endpointing.ts";

export type VadEvent =
  | { event: "started"; at: number }
  | { event: "stopped"; at: number }
  | { event: "audio"; samples: Float32Array }
  | { event: "paused" }
  | { event: "idle"; from: number; at: number };

type Rules = TurnRules & { prefixMs: number };

export class TurnBuffer {
  #turn: Turn = silentSince(0);
  /** What may still be needed, and the place of its first sample. */
  #recent: { samples: Float32Array; from: number } = { samples: new Float32Array(0), from: 0 };
  /** Where the windows are counted from, and how many there were. */
  #windows = { origin: 0, count: 0 };
  /** No padding reaches back behind it. */
  #used = 0;

  get #end(): number {
    return this.#recent.from + this.#recent.samples.length;
  }

  /** Without rules nobody looks for turns: all of it is audio. */
  hear(heard: Omit<VadResult, "id">, rules: Rules | null): VadEvent[] {
    const { samples, probabilities } = heard;
    this.#recent.samples = join(this.#recent.samples, samples);
    if (rules) return [...probabilities].flatMap((each) => this.#window(each, heard, rules));
    this.#windows.count += probabilities.length;
    return samples.length > 0 ? [{ event: "audio", samples: this.rest() }] : [];
  }

  #window(
    probability: number,
    { windowSamples, lateSamples }: Pick<VadResult, "windowSamples" | "lateSamples">,
    rules: Rules,
  ): VadEvent[] {
    const start = this.#windows.origin + this.#windows.count++ * windowSamples;
    const end = start + windowSamples;
    const quietFrom = this.#turn.quietFrom ?? start;
    const wasSpeaking = this.#turn.speaking;
    const { turn, event } = nextTurn(this.#turn, rules, { probability, start, end, lateSamples });
    this.#turn = turn;
    const padding = Math.round((rules.prefixMs * ASR_SAMPLE_RATE) / 1000);
    const from = wasSpeaking ? start : Math.max(this.#used, start - padding);
    const happenings: VadEvent[] = [];
    if (event === "started") happenings.push({ event, at: from });
    if (wasSpeaking || event === "started")
      happenings.push({ event: "audio", samples: this.#between(from, end) });
    if (event === "paused") happenings.push({ event });
    if (event === "idle") happenings.push({ event, from: quietFrom, at: end });
    if (event === "stopped") {
      happenings.push({ event, at: end });
      this.#used = end;
    }
    this.#dropBefore(turn.speaking ? end : end - padding);
    return happenings;
  }

  /** What was heard and not yet handed out. */
  rest(): Float32Array {
    const { samples } = this.#recent;
    this.#dropBefore(this.#end);
    return samples;
  }

  /** What was heard so far is used or unwanted: the next turn starts behind it. */
  startOver(): void {
    this.#used = this.#end;
    this.#turn = silentSince(this.#used);
    this.rest();
  }

  /** Nothing more is to come of what was said before this pause. */
  finish(): void {
    if (this.#turn.paused) this.#turn = { ...this.#turn, finished: true };
  }

  /** From here on an utterance that began without rules is somebody speaking. */
  resume(): void {
    this.#turn = { speaking: true, quietFrom: null, paused: false };
  }

  /** Windows are counted anew. */
  reformat(): void {
    this.#windows = { origin: this.#end, count: 0 };
  }

  #between(start: number, end: number): Float32Array {
    const { samples, from } = this.#recent;
    return samples.slice(Math.max(0, start - from), Math.max(0, end - from));
  }

  #dropBefore(sample: number): void {
    const { samples, from } = this.#recent;
    const count = Math.min(sample - from, samples.length);
    if (count > 0) this.#recent = { samples: samples.slice(count), from: from + count };
  }
}
