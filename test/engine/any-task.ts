/** Tasks for tests of what carries tasks without looking at them. */
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import type { Task } from "../../src/engine/protocol/task.ts";

/** Of a pool whose threads are written for a test. */
export type AnyWork = { task: object; result: unknown };

export const SPEECH: SynthesisTask = {
  kind: "synthesis",
  text: "Hello.",
  speaker: "slt",
  language: "en",
  speed: 1,
  instructions: "",
};

/** Its result may be that of any kind. */
export const ANY_TASK: Task = { ...SPEECH };
