/** Refuses to encode voices and to speak with encoded ones, for engines that cannot: before they synthesize anything. */
import { isOf } from "../../engine/protocol/task.ts";
import type { Runner } from "../../engine/runner.ts";
import { Refusal } from "../../errors.ts";

/** `name`: of the engine; what follows a colon describes it. */
export const withoutCloning = (runner: Runner, name: string): Runner => ({
  async run(task, transfer, claim) {
    if (isOf(task, "voice-encoding") || (isOf(task, "synthesis") && task.style)) throw uncloned(name);
    return runner.run(task, transfer, claim);
  },
  [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
});

const uncloned = (name: string) =>
  new Refusal(
    "voice_cloning_not_supported",
    `${name.split(":")[0]} speaks with its own voices only. A voice of your own needs an engine that can encode it, such as Pocket TTS.`,
    { param: "voice" },
  );
