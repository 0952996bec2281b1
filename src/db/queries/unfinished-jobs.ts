/** Jobs that have not ended, and what they will cost: each of them reserves it, so that together they cost no more than there is. */
import { and, count, eq, inArray, isNull, min, or, type SQL, sql } from "drizzle-orm";
import { UNFINISHED_STATUSES } from "../../job-statuses.ts";
import type { Database, Tables } from "../database.ts";

type JobRow = Tables["job"]["$inferSelect"];

/** What is left, at most, for the jobs of an organization, a project or a key together. */
export type JobBound = { of: "organization" | "project" | "key"; micros: number };

export type UnfinishedJobs = Pick<JobRow, "status"> & { count: number; oldestAt: number | null };

type Whose = Pick<JobRow, "id" | "organizationId" | "projectId" | "keyId">;

export function unfinishedOf(database: Database) {
  const { query, tables } = database;
  const { job, organization } = tables;
  return {
    /** How many have not ended, by status, and when the oldest of each was made. */
    unfinished: (): Promise<UnfinishedJobs[]> =>
      query
        .select({ status: job.status, count: count(), oldestAt: min(job.createdAt) })
        .from(job)
        .where(sql`${job.status} in ('queued', 'in_progress')`) // as the index has it
        .groupBy(job.status),
    /** How many of an organization wait, without those of batches, and how many run. */
    async unfinishedBy(organizationId: string): Promise<{ waiting: number; running: number }> {
      const isCounted = or(eq(job.status, "in_progress"), and(eq(job.status, "queued"), isNull(job.batchId)));
      const rows = await query
        .select({ status: job.status, count: count() })
        .from(job)
        .where(and(eq(job.organizationId, organizationId), isCounted))
        .groupBy(job.status);
      const countOf = (status: JobRow["status"]) => rows.find((row) => row.status === status)?.count ?? 0;
      return { waiting: countOf("queued"), running: countOf("in_progress") };
    },
    /** Reserves what a job will cost where it fits each bound beside the others. Otherwise the first bound that it does not fit. */
    async reserve<B extends JobBound>(
      row: Whose,
      costMicros: number,
      bounds: readonly B[],
    ): Promise<B | null> {
      const { id, organizationId } = row;
      const isJob = eq(job.id, id);
      const fits = bounds.map(
        ({ of, micros }) => sql`${reservedBeside(row, of)} + ${costMicros} <= ${Math.floor(micros)}`,
      );
      await database.atomically([
        query.update(organization).set({ id: organizationId }).where(eq(organization.id, organizationId)), // locks the row: one job after another
        query
          .update(job)
          .set({ reservedMicros: costMicros })
          .where(and(isJob, inArray(job.status, UNFINISHED_STATUSES), ...fits)),
      ]);
      const [now] = await query.select({ micros: job.reservedMicros }).from(job).where(isJob);
      if (now?.micros === costMicros) return null;
      for (const [index, bound] of bounds.entries()) {
        const [fitting] = await query.select({ id: job.id }).from(job).where(and(isJob, fits[index]));
        if (!fitting) return bound;
      }
      return bounds[0] ?? null; // there is room by now
    },
  };
}

/** What the unfinished jobs of the same organization, project or key, other than this one, will cost. */
function reservedBeside({ id, organizationId, projectId, keyId }: Whose, of: JobBound["of"]): SQL {
  const within = {
    organization: sql``,
    project: sql` and other.project_id = ${projectId}`,
    key: sql` and other.key_id = ${keyId}`,
  }[of];
  return sql`(select coalesce(sum(other.reserved_micros), 0) from job as other
    where other.organization_id = ${organizationId}${within} and other.status in ('queued', 'in_progress') and other.id <> ${id})`;
}
