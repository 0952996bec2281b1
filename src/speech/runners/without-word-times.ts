/** Refuses to tell when words are heard, for engines that cannot: before they synthesize anything. */
import { type Runner, withKind } from "../../engine/runner.ts";
import { Refusal } from "../../errors.ts";

export const withoutWordTimes = (runner: Runner, name: string): Runner =>
  withKind(runner, "synthesis", async (task, ...rest) => {
    if (task.words) throw untimed(name);
    return runner.run(task, ...rest);
  });

/** `name`: of the engine, where it is known. */
export const untimed = (name = "The engine of this voice") =>
  new Refusal(
    "word_times_not_supported",
    `${name} does not tell when words are heard. Leave out return_timing, or use a voice of Kokoro, Piper, eSpeak NG or Flite.`,
    { param: "return_timing" },
  );
