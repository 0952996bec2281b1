/** A job as clients and commands show it. Times are Unix seconds. */
import type { JobRow } from "../db/queries/job-rows.ts";
import { secondsIn } from "./job-recording.ts";
import type { Job } from "./jobs.ts";

export function jobRecord({ row, url, position }: Job) {
  const { id, kind, status, model, createdAt, startedAt, completedAt, expiresAt } = row;
  const isDone = status === "completed" || status === "expired";
  return {
    ...{ id, object: "audio.job" as const, kind, status, progress: progressOf(row), model },
    ...{ response_format: row.responseFormat, metadata: JSON.parse(row.metadata) as Record<string, string> },
    ...{ created_at: createdAt, started_at: startedAt, completed_at: completedAt, expires_at: expiresAt },
    input: {
      ...{ file_id: row.fileId, url, bytes: row.bytes },
      duration_seconds: row.samples === null ? null : secondsIn(row),
    },
    position,
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? "" },
    usage: isDone ? { type: "duration" as const, seconds: secondsIn(row) } : null,
    ...{ cost_micros: row.costMicros, request_id: row.requestId },
  };
}

function progressOf({ status, samples, doneSamples }: JobRow): number {
  if (status === "completed" || status === "expired") return 100;
  return samples ? Math.min(99, Math.floor((100 * doneSamples) / samples)) : 0;
}
