/**
 * Turns VAD windows into turns with their audio. Positions are in samples at 16 kHz.
 *
 *   samples  ···············▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒·········
 *                       ├pad┤started     stopped┤
 *
 * Only as much silence is kept as may become padding.
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
  /** Audio that may still be needed, and the position of its first sample. */
  #recent: { samples: Float32Array; from: number } = { samples: new Float32Array(0), from: 0 };
  /** The position of the first window, and their number. */
  #windows = { origin: 0, count: 0 };
  /** Padding never reaches back before this. */
  #used = 0;

  get #end(): number {
    return this.#recent.from + this.#recent.samples.length;
  }

  /** Without rules there is no turn detection: all of it is audio. */
  process(result: Omit<VadResult, "id">, rules: Rules | null): VadEvent[] {
    const { samples, probabilities } = result;
    this.#recent.samples = join(this.#recent.samples, samples);
    if (rules) return [...probabilities].flatMap((each) => this.#window(each, result, rules));
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
    const events: VadEvent[] = [];
    if (event === "started") events.push({ event, at: from });
    if (wasSpeaking || event === "started")
      events.push({ event: "audio", samples: this.#between(from, end) });
    if (event === "paused") events.push({ event });
    if (event === "idle") events.push({ event, from: quietFrom, at: end });
    if (event === "stopped") {
      events.push({ event, at: end });
      this.#used = end;
    }
    this.#dropBefore(turn.speaking ? end : end - padding);
    return events;
  }

  /** Takes the audio that has not been handed out. */
  rest(): Float32Array {
    const { samples } = this.#recent;
    this.#dropBefore(this.#end);
    return samples;
  }

  /** Discards everything so far: the next turn starts after it. */
  startOver(): void {
    this.#used = this.#end;
    this.#turn = silentSince(this.#used);
    this.rest();
  }

  /** The turn detector has found the turn complete at this pause. */
  finish(): void {
    if (this.#turn.paused) this.#turn = { ...this.#turn, finished: true };
  }

  /** Turn detection takes over an utterance that began without it. */
  resume(): void {
    this.#turn = { speaking: true, quietFrom: null, paused: false };
  }

  /** Restarts counting windows. */
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
