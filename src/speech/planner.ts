/** Plans texts: short ones at once, long ones on a worker thread, because a long text of digits takes 100 ms. */
import type { Engine } from "../engine/registry.ts";
import { type PlannedSegment, planSpeech } from "./plan.ts";
import type { SynthesisRequest } from "./synthesize.ts";

/** What crosses to the worker thread. */
export type PlanTask = { text: string; language: string };

const HERE_MAX = 600; // code units; 10 ms at worst

export async function planOf(
  planner: Engine,
  { text, language, claim }: SynthesisRequest,
): Promise<PlannedSegment[]> {
  if (text.length <= HERE_MAX) return planSpeech(text, language);
  const task: PlanTask = { text, language };
  return planner.run<PlannedSegment[]>(task, claim);
}
