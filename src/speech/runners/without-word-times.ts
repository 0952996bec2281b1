/** Refuses to tell when words are heard, for engines that cannot: before they synthesize anything. */
import type { SynthesisTask } from "../../engine/protocol/synthesis.ts";
import type { Runner } from "../../engine/runner.ts";
import { Refusal } from "../../errors.ts";

export const withoutWordTimes = (runner: Runner, name: string): Runner => ({
  async run(task, transfer, claim) {
    if ((task as SynthesisTask).words) throw untimed(name);
    return runner.run(task, transfer, claim);
  },
  [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
});

/** `name`: of the engine, where it is known. */
export const untimed = (name = "The engine of this voice") =>
  new Refusal(
    "word_times_not_supported",
    `${name} does not tell when words are heard. Leave out return_timing, or use a voice of Kokoro, Piper, eSpeak NG or Flite.`,
    { param: "return_timing" },
  );
