/**
 * Rows of batches. Every step depends on the status before it, in one statement, so that of two nodes, or of an end and a cancel,
 * one finds its row.
 *
 *   validating ──> in progress ──> finalizing ──> completed, expired
 *        └── failed      └── cancelling ──> cancelled
 */
import { and, asc, desc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import { UNFINISHED_BATCH_STATUSES } from "../../batch-statuses.ts";
import { type JobStatus, UNFINISHED_STATUSES } from "../../job-statuses.ts";
import type { Database, Tables } from "../database.ts";
import { type Raised, raisedBy } from "./event-rows.ts";
import { leftBy, readBy } from "./file-rows.ts";
import type { JobOwner } from "./job-rows.ts";
import { addsOf, type NewWork } from "./work-rows.ts";

export type BatchRow = Tables["batch"]["$inferSelect"];
type BatchLineRow = Tables["batchLine"]["$inferSelect"];

/** A line and what became of its job; null: it was refused, or its job is gone. */
export type EndedLine = BatchLineRow & { status: JobStatus | null };

type BatchChange = Partial<
  Pick<
    BatchRow,
    | "status"
    | "lines"
    | "completedLines"
    | "failedLines"
    | "errors"
    | "inProgressAt"
    | "finalizingAt"
    | "cancellingAt"
    | "endedAt"
    | "outputFileId"
    | "errorFileId"
  >
>;

export type BatchRows = ReturnType<typeof openBatchRows>;

export function openBatchRows(database: Database) {
  const { query, tables, ifChanged } = database;
  const { batch } = tables;
  const isOf = ({ organizationId, projectId }: JobOwner) =>
    and(
      eq(batch.organizationId, organizationId),
      projectId === null ? undefined : eq(batch.projectId, projectId),
    );
  return {
    ...linesOf(database),
    ...stepsOf(database),
    /** Its file stays until the batch has ended. False where it is none of the project's. */
    add: (row: BatchRow, work: NewWork): Promise<boolean> =>
      ifChanged(readBy(database, row, { id: row.inputFileId, now: row.createdAt }), [
        query.insert(batch).values(row),
        ...addsOf(database, [work]),
      ]),
    /** Null where there is none, or it is another project's. */
    async find(owner: JobOwner, id: string): Promise<BatchRow | null> {
      const [row] = await query
        .select()
        .from(batch)
        .where(and(eq(batch.id, id), isOf(owner)));
      return row ?? null;
    },
    async get(id: string): Promise<BatchRow | null> {
      const [row] = await query.select().from(batch).where(eq(batch.id, id));
      return row ?? null;
    },
    /** The newest first. */
    list: (owner: JobOwner, { after, limit }: { after: string | null; limit: number }): Promise<BatchRow[]> =>
      Promise.resolve(
        query
          .select()
          .from(batch)
          .where(and(isOf(owner), after === null ? undefined : lt(batch.id, after)))
          .orderBy(desc(batch.id))
          .limit(limit),
      ),
    async unfinished(organizationId: string): Promise<number> {
      const isUnfinished = inArray(batch.status, UNFINISHED_BATCH_STATUSES);
      const [row] = await query
        .select({ count: sql<number>`count(*)` })
        .from(batch)
        .where(and(eq(batch.organizationId, organizationId), isUnfinished));
      return Number(row?.count ?? 0);
    },
    /** Deletes rows of batches that ended before then. */
    async forget(before: number, limit: number): Promise<void> {
      const old = query
        .select({ id: batch.id })
        .from(batch)
        .where(lt(batch.endedAt, before))
        .orderBy(asc(batch.endedAt))
        .limit(limit);
      await query.delete(batch).where(inArray(batch.id, old));
    },
  };
}

function stepsOf(database: Database) {
  const { query, tables, ifChanged } = database;
  const { batch } = tables;
  return {
    /** False where its status is another by now. */
    change: ({ id, status }: Pick<BatchRow, "id" | "status">, fields: BatchChange): Promise<boolean> =>
      ifChanged(
        query
          .update(batch)
          .set(fields)
          .where(and(eq(batch.id, id), eq(batch.status, status))),
        [],
      ),
    /** Its input is read no longer, and its event is told, in the same transaction. */
    end: (
      { id, status, inputFileId }: BatchRow,
      fields: BatchChange & { raised: Raised },
    ): Promise<boolean> => {
      const { raised, ...changed } = fields;
      return ifChanged(
        query
          .update(batch)
          .set(changed)
          .where(and(eq(batch.id, id), eq(batch.status, status))),
        [leftBy(database, inputFileId), ...raisedBy(database, raised)],
      );
    },
  };
}

function linesOf({ query, tables }: Database) {
  const { batchLine, job } = tables;
  return {
    /** A line that is refused. */
    async refuse(row: BatchLineRow): Promise<void> {
      await query.insert(batchLine).values(row).onConflictDoNothing();
    },
    /** A line whose answer is known once and for all. */
    async answered({ batchId, line }: Pick<BatchLineRow, "batchId" | "line">, answer: string): Promise<void> {
      const isIt = and(eq(batchLine.batchId, batchId), eq(batchLine.line, line));
      await query.update(batchLine).set({ answer }).where(isIt);
    },
    /** The last line of which a job was made, or which was refused; 0: none. */
    async lastLine(batchId: string): Promise<number> {
      const [row] = await query
        .select({ last: sql<number>`coalesce(max(${batchLine.line}), 0)` })
        .from(batchLine)
        .where(eq(batchLine.batchId, batchId));
      return Number(row?.last ?? 0);
    },
    /** How many lines have jobs of each status; null: refused, or gone. */
    async counts(batchId: string): Promise<{ status: JobStatus | null; count: number }[]> {
      const rows = await query
        .select({ status: job.status, count: sql<number>`count(*)` })
        .from(batchLine)
        .leftJoin(job, eq(job.id, batchLine.jobId))
        .where(eq(batchLine.batchId, batchId))
        .groupBy(job.status);
      return rows.map(({ status, count }) => ({ status, count: Number(count) }));
    },
    /** The lines behind one, in their order. */
    async lines(batchId: string, { after, limit }: { after: number; limit: number }): Promise<EndedLine[]> {
      const rows = await query
        .select({ line: batchLine, status: job.status })
        .from(batchLine)
        .leftJoin(job, eq(job.id, batchLine.jobId))
        .where(and(eq(batchLine.batchId, batchId), gt(batchLine.line, after)))
        .orderBy(asc(batchLine.line))
        .limit(limit);
      return rows.map(({ line, status }) => ({ ...line, status }));
    },
    /** The ids of jobs of a batch that have not ended. */
    async running(batchId: string, limit: number): Promise<string[]> {
      const rows = await query
        .select({ id: job.id })
        .from(batchLine)
        .innerJoin(job, eq(job.id, batchLine.jobId))
        .where(and(eq(batchLine.batchId, batchId), inArray(job.status, UNFINISHED_STATUSES)))
        .limit(limit);
      return rows.map(({ id }) => id);
    },
  };
}
