/** The tables of batches: files of lines, each of which becomes a job. Times are Unix seconds. */
import { sql } from "drizzle-orm";
import { BATCH_STATUSES } from "../../batch-statuses.ts";
import type { Organizations } from "./account-tables.ts";
import type { Kit } from "./kit-sqlite.ts";

const timeColumns = ({ seconds }: Kit) => ({
  createdAt: seconds("created_at").notNull(),
  /** When what has not ended is cancelled. */
  expiresAt: seconds("expires_at").notNull(),
  inProgressAt: seconds("in_progress_at"),
  finalizingAt: seconds("finalizing_at"),
  cancellingAt: seconds("cancelling_at"),
  /** When it was completed, failed, expired or was cancelled. */
  endedAt: seconds("ended_at"),
});

export function batchTables(kit: Kit, { organization }: Organizations) {
  const { table, index, primaryKey, text, bigint } = kit;
  const batch = table(
    "batch",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      projectId: text("project_id").notNull(),
      keyId: text("key_id").notNull(),
      endpoint: text().notNull(),
      inputFileId: text("input_file_id").notNull(),
      outputFileId: text("output_file_id"),
      errorFileId: text("error_file_id"),
      /** The caller's own, as JSON. */
      metadata: text().notNull(),
      status: text({ enum: [...BATCH_STATUSES] }).notNull(),
      /** Of the input, once it was read. */
      lines: bigint().notNull().default(0),
      completedLines: bigint("completed_lines").notNull().default(0),
      failedLines: bigint("failed_lines").notNull().default(0),
      /** Why it failed: a list as JSON. */
      errors: text(),
      ...timeColumns(kit),
    },
    (table) => [
      index("batch_by_project").on(table.projectId, table.id),
      index("batch_by_organization").on(table.organizationId, table.id),
      index("batch_ended").on(table.endedAt).where(sql`ended_at is not null`),
    ],
  );

  /** Lines of which jobs were made, or which were refused. */
  const batchLine = table(
    "batch_line",
    {
      batchId: text("batch_id")
        .notNull()
        .references(() => batch.id, { onDelete: "cascade" }),
      /** From 1. */
      line: bigint().notNull(),
      customId: text("custom_id").notNull(),
      /** Null: it was refused. */
      jobId: text("job_id"),
      /** As JSON, its status and its body, where it was refused, or its speech has become a file. */
      answer: text("refusal"),
    },
    (table) => [
      primaryKey({ columns: [table.batchId, table.line] }),
      index("batch_line_by_job").on(table.jobId),
    ],
  );
  return { batch, batchLine };
}
