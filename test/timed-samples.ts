/** The result of a synthesis whose task asked for the times of its words, of an engine that tells them. */
import { isTimed, type SynthesisResult, type TimedSamples } from "../src/engine/protocol/synthesis.ts";

export function timedOf(result: SynthesisResult): TimedSamples {
  if (!isTimed(result)) throw new Error("the result has no times of words");
  return result;
}
