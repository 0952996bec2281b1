/** Text planning on a worker thread, for texts that would block the server's own thread for too long. */
import type { Origins, OriginsTask, PlannedSegment, PlanTask } from "../../src/engine/protocol/plan.ts";
import { unknownKind } from "../../src/engine/protocol/task.ts";
import { planScript } from "../../src/speech/plan.ts";
import { originsOfSegments } from "../../src/speech/words/segment-origins.ts";

export default function plan(task: PlanTask | OriginsTask): PlannedSegment[] | Origins[] {
  switch (task.kind) {
    case "plan":
      return planScript(task.parts, task.language, task.delivery);
    case "origins":
      return originsOfSegments(task.parts, task.language, task.segments);
    default:
      return unknownKind(task);
  }
}
