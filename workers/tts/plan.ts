/** Text planning on a worker thread, for texts that would block the server's own thread for too long. */
import { type PlannedSegment, planSpeech } from "../../src/speech/plan.ts";
import type { PlanTask } from "../../src/speech/planner.ts";

export default function plan({ text, language }: PlanTask): PlannedSegment[] {
  return planSpeech(text, language);
}
