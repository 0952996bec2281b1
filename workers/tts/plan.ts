/** Text planning on a worker thread, for texts that would block the server's own thread for too long. */
import type { PlannedSegment } from "../../src/speech/plan.ts";
import { type PlanTask, planScript } from "../../src/speech/planner.ts";
import type { Origins } from "../../src/speech/text/origins.ts";
import { originsOfSegments } from "../../src/speech/words/segment-origins.ts";

export default function plan({
  parts,
  language,
  delivery,
  segments,
}: PlanTask): PlannedSegment[] | Origins[] {
  return segments ? originsOfSegments(parts, language, segments) : planScript(parts, language, delivery);
}
