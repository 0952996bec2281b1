/**
 * What one answer of an engine node may hold: every message goes through the gate of its task, which is made for what was
 * asked. What comes out has the fields that the protocol names; whatever else came is dropped.
 *
 *   message ──bytes──> allowed? ──value──> gate ──> caller
 *                        └ no               └ `FaultyAnswer`
 */
import type { Hypothesis } from "../protocol/recognition.ts";
import { FaultyAnswer } from "./faulty-answer.ts";

/** Each throws `FaultyAnswer` where it cannot be an answer to the task. */
export type Gate = {
  /** Of the audio that the task is about, or about as many: the work takes as long as they are. */
  seconds: number;
  /** Of the samples that may still come. */
  bytesMax(): number;
  /** Samples of speech while it is made. */
  early(samples: unknown): Float32Array;
  hypothesis(value: unknown): Hypothesis;
  result(value: unknown): unknown;
};

const unasked = (what: string) => (): never => {
  throw new FaultyAnswer(`${what} were not asked for`);
};

/** The gate of a task whose result is all of its answer. */
export const resultOnly = (seconds: number, bytesMax: number, result: (value: unknown) => unknown): Gate => ({
  seconds,
  bytesMax: () => bytesMax,
  early: unasked("early samples"),
  hypothesis: unasked("hypotheses"),
  result,
});
