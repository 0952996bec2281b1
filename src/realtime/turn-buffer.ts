/**
 * Turns VAD windows into turns with their audio. Positions are in samples at 16 kHz.
 *
 *   samples  ···············▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒·········
 *                       ├pad┤started     stopped┤
 *
 * Only as much silence is kept as may become padding.
 */
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import { RecentAudio } from "../audio/recent-audio.ts";
import type { Silence, VadResult } from "../engine/protocol/vad.ts";
import { nextTurn, SPEAKING, silentSince, type Turn, type TurnRules } from "./endpointing.ts";

/**
 * `paused`: a pause was reported in the silence that ended the turn. `spokenMs`: from its first speech to its last until
 * now; `quietMs`: the silence since.
 */
export type VadEvent =
  | { event: "started"; at: number }
  | { event: "stopped"; at: number; paused: boolean }
  | { event: "audio"; samples: Float32Array; spokenMs: number; quietMs: number }
  | { event: "paused" | "waiting"; quietFrom: number }
  | { event: "idle"; from: number; at: number };

type Rules = TurnRules & { prefixMs: number };

export class TurnBuffer {
  #turn: Turn = silentSince(0);
  /** Audio that may still be needed. */
  readonly #recent = new RecentAudio();
  /** The position of the first window, and their number. */
  #windows = { origin: 0, count: 0 };
  /** Padding never reaches back before this. */
  #used = 0;
  /** Where the speech of the present turn began. */
  #speechFrom = 0;

  /** Without rules there is no turn detection: all of it is audio. */
  process(result: Omit<VadResult, "id">, rules: Rules | null): VadEvent[] {
    const { samples, probabilities, silent } = result;
    if (silent) this.#recent.skip(silent.received, samples);
    else this.#recent.append(samples);
    if (rules) {
      const all = [...new Float32Array(silent?.windows ?? 0), ...probabilities];
      return all.flatMap((each) => this.#window(each, result, rules));
    }
    this.#windows.count += probabilities.length;
    return samples.length > 0 ? [{ event: "audio", samples: this.rest(), spokenMs: 0, quietMs: 0 }] : [];
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
    const paused = this.#turn.pauses > 0;
    const { turn, event } = nextTurn(this.#turn, rules, { probability, start, end, lateSamples });
    this.#turn = turn;
    const padding = paddingOf(rules);
    const from = wasSpeaking ? start : Math.max(this.#used, start - padding);
    const events: VadEvent[] = [];
    if (event === "started") {
      this.#speechFrom = start;
      events.push({ event, at: from });
    }
    if (wasSpeaking || event === "started") {
      const spokenTo = event === "stopped" ? quietFrom : (turn.quietFrom ?? end);
      const spokenMs = toMs(spokenTo - this.#speechFrom);
      const quietMs = toMs(end - spokenTo);
      events.push({ event: "audio", samples: this.#recent.between(from, end), spokenMs, quietMs });
    }
    if (event === "paused" || event === "waiting") events.push({ event, quietFrom: turn.quietFrom! });
    if (event === "idle") events.push({ event, from: quietFrom, at: end });
    if (event === "stopped") {
      events.push({ event, at: end, paused });
      this.#used = end;
    }
    this.#recent.dropBefore(turn.speaking ? end : end - padding);
    return events;
  }

  /** What of the coming audio is not needed; null where all of it is. */
  silence(rules: Rules | null): Silence | null {
    if (!rules || this.#turn.speaking) return null;
    return { threshold: rules.threshold, paddingSamples: paddingOf(rules) };
  }

  /** Takes the audio that has not been handed out. */
  rest(): Float32Array {
    const samples = this.#recent.between(0, this.#recent.end);
    this.#recent.dropBefore(this.#recent.end);
    return samples;
  }

  /** Discards everything so far: the next turn starts after it. */
  startOver(): void {
    this.#used = this.#recent.end;
    this.#turn = silentSince(this.#used);
    this.#recent.dropBefore(this.#used);
  }

  /**
   * The turn detector has found the turn complete, or not, in the silence from this sample. Returns whether it is the
   * present one; speech has ended any other.
   */
  detected(quietFrom: number, finished: boolean): boolean {
    const isOfNow = this.#turn.speaking && this.#turn.quietFrom === quietFrom;
    if (isOfNow) this.#turn = { ...this.#turn, finished };
    return isOfNow;
  }

  /** The silence until now does not count as idle. */
  postponeIdle(): void {
    if (!this.#turn.speaking) this.#turn = silentSince(Math.max(this.#turn.quietFrom ?? 0, this.#recent.end));
  }

  /** Turn detection takes over an utterance that began without it. */
  resume(): void {
    this.#turn = SPEAKING;
  }

  /** Restarts counting windows. The detector has nothing of what came before. */
  reformat(): void {
    this.#used = this.#recent.end;
    this.#windows = { origin: this.#recent.end, count: 0 };
  }
}

const toMs = (samples: number) => (samples * 1000) / ASR_SAMPLE_RATE;

const paddingOf = ({ prefixMs }: Rules): number => Math.round((prefixMs * ASR_SAMPLE_RATE) / 1000);
