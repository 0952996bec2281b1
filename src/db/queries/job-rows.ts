/**
 * Rows of jobs. Every step depends on the state before it, in one statement, so that of two nodes, or of an end and a cancel, one
 * finds its row.
 *
 *   queued ──begin──> in progress ──checkpoint──> … ──last──> recognized ──complete──> completed ──expire──> expired
 *      └────────────────┴── fail, cancel: not once it is recognized
 */
import { and, asc, desc, eq, inArray, isNull, lt, not, or, type SQL, sql } from "drizzle-orm";
import { type JobStatus, UNFINISHED_STATUSES } from "../../job-statuses.ts";
import type { Database, Tables } from "../database.ts";
import { type BatchLine, jobOfLine } from "./batch-lines.ts";
import { type Raised, raisedBy } from "./event-rows.ts";
import { leftBy, readBy, storedPart, unusedParts } from "./file-rows.ts";
import { retentionOf } from "./job-retention.ts";
import { speechStepsOf } from "./speech-job-rows.ts";
import { unfinishedOf } from "./unfinished-jobs.ts";
import { addsOf, type NewWork } from "./work-rows.ts";

export type JobRow = Tables["job"]["$inferSelect"];
type JobPartRow = Tables["jobPart"]["$inferSelect"];

/** Whose jobs they are. `projectId` null: of all projects. */
export type JobOwner = { organizationId: string; projectId: string | null };

export type JobPlace = { status: JobStatus | null; after: string | null; limit: number };

/** `part`: what was received for it alone. `cover`: of a book, sealed; null: none. */
type NewJob = {
  row: JobRow;
  request: Buffer;
  cover?: Buffer | null;
  work: NewWork;
  part: { id: string; bytes: number } | null;
  /** Of a batch that it is made of. */
  line?: BatchLine | undefined;
};

/** Of one job that ends. `raised`: told in the same transaction. */
type JobEnd = Pick<JobRow, "completedAt"> &
  Partial<
    Pick<JobRow, "costMicros" | "errorCode" | "errorMessage" | "warnings" | "expiresAt" | "isReadOnce">
  > & {
    raised: Raised;
  };

export type JobRows = ReturnType<typeof openJobRows>;

export function openJobRows(database: Database) {
  const { query, tables, ifChanged } = database;
  const { job, jobPart } = tables;
  const isOf = ({ organizationId, projectId }: JobOwner) =>
    and(
      eq(job.organizationId, organizationId),
      projectId === null ? undefined : eq(job.projectId, projectId),
      isNull(job.deletedAt),
    );
  return {
    ...stepsOf(database),
    ...speechStepsOf(database),
    ...unfinishedOf(database),
    ...partsOf(database),
    ...retentionOf(database),
    /** False where its file is none of the project's, or what was received for it was given up meanwhile. */
    async add({ row, request, cover = null, work, part, line }: NewJob): Promise<boolean> {
      const added = [
        query.insert(job).values(row),
        query.insert(jobPart).values({ jobId: row.id, kind: "request", position: 0, sealed: request }),
        ...(cover === null
          ? []
          : [query.insert(jobPart).values({ jobId: row.id, kind: "cover", position: 0, sealed: cover })]),
        ...addsOf(database, [work]),
        ...(line ? [jobOfLine(database, line, row.id)] : []),
      ];
      const { fileId, createdAt: now } = row;
      if (fileId !== null) return ifChanged(readBy(database, row, { id: fileId, now }), added);
      if (part !== null) return ifChanged(storedPart(database, part), added);
      await database.atomically(added);
      return true;
    },
    /** Null where there is none, it is another project's, or it was deleted. */
    async find(owner: JobOwner, id: string): Promise<JobRow | null> {
      const [row] = await query
        .select()
        .from(job)
        .where(and(eq(job.id, id), isOf(owner)));
      return row ?? null;
    },
    /** The newest first. */
    async list(owner: JobOwner, { status, after, limit }: JobPlace): Promise<JobRow[]> {
      const isWanted = status === null ? undefined : eq(job.status, status);
      return query
        .select()
        .from(job)
        .where(and(isOf(owner), isWanted, after === null ? undefined : lt(job.id, after)))
        .orderBy(desc(job.id))
        .limit(limit);
    },
    /** The ids of an organization's jobs that wait, the oldest first; without those of batches. */
    async waiting(organizationId: string): Promise<string[]> {
      const rows = await query
        .select({ id: job.id })
        .from(job)
        .where(and(eq(job.organizationId, organizationId), eq(job.status, "queued"), isNull(job.batchId)))
        .orderBy(asc(job.id));
      return rows.map(({ id }) => id);
    },
  };
}

function partsOf(database: Database) {
  const { query, tables, ifChanged } = database;
  const { job, jobPart } = tables;
  return {
    /** The recording was fetched from its address. False where the job has ended, or another node has fetched it. */
    received: (id: string, part: { id: string; bytes: number }): Promise<boolean> =>
      ifChanged(
        query
          .update(job)
          .set({ bytes: part.bytes })
          .where(and(eq(job.id, id), inArray(job.status, UNFINISHED_STATUSES), isNull(job.bytes))),
        [storedPart(database, part)],
      ),
    async statuses(ids: string[]): Promise<Map<string, JobStatus>> {
      const rows = await query
        .select({ id: job.id, status: job.status })
        .from(job)
        .where(inArray(job.id, ids));
      return new Map(rows.map(({ id, status }) => [id, status]));
    },
    async part(jobId: string, kind: JobPartRow["kind"], position: number): Promise<Buffer | null> {
      const isIt = and(eq(jobPart.jobId, jobId), eq(jobPart.kind, kind), eq(jobPart.position, position));
      const [row] = await query.select({ sealed: jobPart.sealed }).from(jobPart).where(isIt);
      return row ? Buffer.from(row.sealed) : null;
    },
    /** Where each piece that is recognized begins, in order. */
    async pieces(jobId: string): Promise<number[]> {
      const rows = await query
        .select({ position: jobPart.position })
        .from(jobPart)
        .where(and(eq(jobPart.jobId, jobId), eq(jobPart.kind, "piece")))
        .orderBy(asc(jobPart.position));
      return rows.map(({ position }) => position);
    },
  };
}

/** What a node does with a job that it has the lease of. False, or null, where it has ended or another node has done it. */
function stepsOf(database: Database) {
  const { query, tables, ifChanged } = database;
  const { job, jobPart } = tables;
  const isUnfinished = (id: string) => and(eq(job.id, id), inArray(job.status, UNFINISHED_STATUSES));
  const isUnrecognized = (id: string) => and(isUnfinished(id), eq(job.isRecognized, false));
  return {
    async begin(id: string, now: number): Promise<JobRow | null> {
      const [row] = await query
        .update(job)
        .set({ status: "in_progress", startedAt: sql`coalesce(${job.startedAt}, ${now})` })
        .where(isUnfinished(id))
        .returning();
      return row ?? null;
    },
    /** The recording was decoded once. */
    async measured(id: string, samples: number): Promise<void> {
      await query.update(job).set({ samples }).where(isUnfinished(id));
    },
    /** A piece is recognized: the samples from `from` to `to`. */
    checkpoint: (
      id: string,
      { from, to, sealed }: { from: number; to: number; sealed: Buffer },
    ): Promise<boolean> =>
      ifChanged(
        query
          .update(job)
          .set({ doneSamples: to })
          .where(and(isUnrecognized(id), eq(job.doneSamples, from))),
        [query.insert(jobPart).values({ jobId: id, kind: "piece", position: from, sealed })],
      ),
    /** Everything is: from now on it cannot be cancelled. */
    recognized: (id: string, fields: Pick<JobRow, "samples" | "warnings">): Promise<boolean> =>
      ifChanged(
        query
          .update(job)
          .set({ isRecognized: true, ...fields })
          .where(isUnrecognized(id)),
        [],
      ),
    complete: (row: JobRow, fields: JobEnd): Promise<boolean> =>
      end(database, row, {
        ...{ ...fields, status: "completed", when: and(isUnfinished(row.id), eq(job.isRecognized, true)) },
      }),
    fail: (row: JobRow, fields: JobEnd): Promise<boolean> =>
      end(database, row, { ...fields, status: "failed", when: isUnrecognized(row.id) }),
    cancel: (row: JobRow, fields: JobEnd): Promise<boolean> =>
      end(database, row, { ...fields, status: "cancelled", when: isUnrecognized(row.id) }),
  };
}

/**
 * What it no longer needs goes in the same transaction: its input, and unless it is completed what was recognized. Chapters that
 * are spoken stay.
 */
function end(
  database: Database,
  { id, fileId }: Pick<JobRow, "id" | "fileId">,
  { raised, when, ...fields }: JobEnd & { status: JobStatus; when: SQL | undefined },
): Promise<boolean> {
  const { query, tables, ifChanged } = database;
  const { job, jobPart } = tables;
  const isKept = sql`exists (select 1 from job where id = ${id} and expires_at is not null)`;
  const isGone = or(eq(jobPart.kind, "request"), not(isKept));
  return ifChanged(
    query
      .update(job)
      .set({ ...fields, ...keptOf(fields), reservedMicros: 0 })
      .where(when),
    [
      ...(fileId === null ? [] : [leftBy(database, fileId)]),
      unusedParts(database, id),
      query.delete(jobPart).where(and(eq(jobPart.jobId, id), isGone)),
      ...raisedBy(database, raised),
    ],
  );
}

/** What did not complete is kept where it has a chapter that was charged. */
const keptOf = ({ status, expiresAt = null }: Partial<Pick<JobRow, "status" | "expiresAt">>) =>
  status === "completed" || expiresAt === null
    ? {}
    : {
        expiresAt: sql<number>`case when chapters like '%"isPaid":true%' then cast(${expiresAt} as bigint) end`,
      };
