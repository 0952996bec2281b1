/** Text planning on a thread: what the server's own thread would be too long about. */
import { type PlannedSegment, planSpeech } from "../../src/speech/plan.ts";
import type { PlanTask } from "../../src/speech/planner.ts";

export default function plan({ text, language }: PlanTask): PlannedSegment[] {
  return planSpeech(text, language);
}
