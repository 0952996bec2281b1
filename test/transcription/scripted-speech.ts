/**
 * A recognizer of speech that a test scripts, as a model writes it: with words cut, stretched or left out at the edges of its
 * audio, and times that are off.
 */
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { RecognitionTask, Word } from "../../src/engine/protocol/recognition.ts";
import type { Engine } from "../../src/engine/registry.ts";

export type Spoken = { text: string; start: number; end: number };
export type Habits = {
  /** Leaves out the word at which its audio begins. */
  dropsFirst: boolean;
  /** Seconds by which its times are off, and the times of the last word of incomplete audio stretch to its end. */
  jitter: number[];
  marks: boolean;
  /** The last word lasts to the end of the audio, whatever comes after it. */
  stretches: boolean;
  /** Times are those of tokens, in frames: a word ends with its last token, before its sound does. */
  frames?: { seconds: number; tokens: number };
  /** Of each word, in turn. */
  confidence?: number[];
};

export const ACCURATE: Habits = { dropsFirst: false, jitter: [0], marks: false, stretches: false };

const FIRST_SOUND = 0.1; // seconds of a word that are enough to recognize it, in part

/** Sound whose samples are their own positions, so that the engine knows which part it is given. */
export const sound = (from: number, to: number) =>
  Float32Array.from({ length: to - from }, (_, index) => from + index);

/** Each run waits for `release`. `longest`: samples in the longest run. */
export function scripted(words: Spoken[], habits: Habits) {
  const { dropsFirst, jitter, marks, stretches, frames, confidence = [1] } = habits;
  let run = 0;
  let longest = 0;
  const waiting: (() => void)[] = [];
  const engine: Engine = {
    async run<T>(task: object): Promise<T> {
      const { samples, port } = task as RecognitionTask;
      const [from, end] = [samples[0]! / ASR_SAMPLE_RATE, (samples.at(-1)! + 1) / ASR_SAMPLE_RATE];
      const all = hear(words, from, end);
      const [first, ...rest] = all;
      const isAtEdge = first !== undefined && from > 0 && first.start - from < FIRST_SOUND;
      run++;
      longest = Math.max(longest, samples.length);
      await new Promise<void>((resolve) => waiting.push(resolve));
      const hypothesis = (dropsFirst && isAtEdge ? rest : all).map((word, index): Word => {
        const off = jitter[(run + index) % jitter.length]!;
        const mark = marks && (run + index) % 3 === 0 ? "," : "";
        const isStretched = stretches && word === all.at(-1);
        const times = {
          start: word.start - from + off,
          end: isStretched ? end - from : word.end - from + off,
        };
        return {
          text: word.text + mark,
          ...(frames ? inFrames(times, frames) : times),
          confidence: confidence[(run + index) % confidence.length]!,
        };
      });
      port.postMessage({ start: 0, end: end - from, words: hypothesis });
      return 1 as T;
    },
  };
  const release = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { engine, release, waits: () => waiting.length > 0, longest: () => longest };
}

/** The last of the tokens of a word begins so long before its end, and takes one frame. */
function inFrames({ start, end }: Omit<Spoken, "text">, { seconds, tokens }: NonNullable<Habits["frames"]>) {
  const frameOf = (time: number) => Math.floor(time / seconds);
  const last = start + ((end - start) * (tokens - 1)) / tokens;
  return { start: frameOf(start) * seconds, end: (frameOf(last) + 1) * seconds };
}

/** The words of a part of the recording; at its end half a word, stretched to the end, or another one. */
function hear(words: Spoken[], from: number, end: number): Spoken[] {
  return words
    .filter((word) => word.start >= from - FIRST_SOUND && word.start + FIRST_SOUND < end)
    .map((word) => {
      if (word.end + FIRST_SOUND <= end) return word;
      const text = word.end <= end ? word.text : `${word.text.slice(0, 2)}x`;
      return { ...word, text, end };
    });
}

export const plain = (text: string) => text.toLowerCase().replaceAll(",", "");

/** Until results have arrived: they need a few turns of the event loop. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
}
