/** How long results and rows of jobs are kept: what is deleted when, and by whom. */
import { and, asc, eq, inArray, isNotNull, isNull, lt, lte, or, type SQLWrapper, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { unusedParts } from "./file-rows.ts";
import { soundOwner } from "./speech-job-rows.ts";

export function retentionOf(database: Database) {
  const { query, tables, ifChanged } = database;
  const { job, jobPart } = tables;
  const hasChapters = and(inArray(job.status, ["failed", "cancelled"]), isNotNull(job.expiresAt));
  const contentOf = (id: string): SQLWrapper[] => [
    query.delete(jobPart).where(eq(jobPart.jobId, id)),
    unusedParts(database, soundOwner(id)),
  ];
  return {
    /** Deletes the result. False where it has no result any more. One that was not completed keeps its status. */
    async expire(id: string): Promise<boolean> {
      const isIt = eq(job.id, id);
      const completed = query.update(job).set({ status: "expired" });
      if (await ifChanged(completed.where(and(isIt, eq(job.status, "completed"))), contentOf(id)))
        return true;
      const inPart = query.update(job).set({ expiresAt: null });
      return ifChanged(inPart.where(and(isIt, hasChapters)), contentOf(id));
    },
    /** What is left of an ended job is its row, which no caller sees. */
    delete: (id: string, now: number): Promise<boolean> =>
      ifChanged(
        query
          .update(job)
          .set({ deletedAt: now })
          .where(and(eq(job.id, id), isNull(job.deletedAt))),
        [
          query
            .delete(jobPart)
            .where(
              and(
                eq(jobPart.jobId, id),
                sql`not exists (select 1 from job where id = ${id} and status in ('queued', 'in_progress'))`,
              ),
            ),
        ],
      ),
    /** Those whose results are kept no longer, and those that were deleted while they ended. */
    async expired(now: number, limit: number): Promise<string[]> {
      const rows = await query
        .select({ id: job.id })
        .from(job)
        .where(
          and(
            or(eq(job.status, "completed"), hasChapters),
            or(lte(job.expiresAt, now), isNotNull(job.deletedAt)),
          ),
        )
        .limit(limit);
      return rows.map(({ id }) => id);
    },
    /** Deletes rows of jobs that ended before then. */
    async forget(before: number, limit: number): Promise<void> {
      const old = query
        .select({ id: job.id })
        .from(job)
        .where(lt(job.completedAt, before))
        .orderBy(asc(job.completedAt))
        .limit(limit);
      await query.delete(job).where(inArray(job.id, old));
    },
  };
}
