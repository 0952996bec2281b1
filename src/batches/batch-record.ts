/** A batch as OpenAI's clients read it. Times are Unix seconds; what has not happened is null. */
import type { BatchRow } from "../db/queries/batch-rows.ts";
import type { BatchFault } from "./input-lines.ts";

export function batchRecord(row: BatchRow) {
  const { id, endpoint, inputFileId, outputFileId, errorFileId, status, lines, completedLines, failedLines } =
    row;
  const endedAs = (ended: BatchRow["status"]) => (status === ended ? row.endedAt : null);
  return {
    ...{ id, object: "batch" as const, endpoint, model: null, completion_window: "24h" as const, status },
    errors: row.errors && { object: "list" as const, data: JSON.parse(row.errors) as BatchFault[] },
    ...{ input_file_id: inputFileId, output_file_id: outputFileId, error_file_id: errorFileId },
    ...{ created_at: row.createdAt, in_progress_at: row.inProgressAt, expires_at: row.expiresAt },
    ...{ finalizing_at: row.finalizingAt, completed_at: endedAs("completed"), failed_at: endedAs("failed") },
    ...{
      expired_at: endedAs("expired"),
      cancelling_at: row.cancellingAt,
      cancelled_at: endedAs("cancelled"),
    },
    request_counts: { total: lines, completed: completedLines, failed: failedLines },
    metadata: JSON.parse(row.metadata) as Record<string, string>,
  };
}
