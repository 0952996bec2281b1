/**
 * Steps of jobs that speak a text. Each depends on the state before it, as those of other jobs.
 *
 *   piece ──spoken──> … ──chapter──> it is owed ──paid──> the next chapter … ──last──> completed
 */
import { and, eq, inArray, isNull, type SQL } from "drizzle-orm";
import { UNFINISHED_STATUSES } from "../../job-statuses.ts";
import type { Database, Tables } from "../database.ts";
import { storedPart } from "./file-rows.ts";

type JobRow = Tables["job"]["$inferSelect"];
type StoredPart = { id: string; bytes: number };

/** Of the parts that a job has made: position 0 is the whole, others are chapters, from 1. */
export const soundOwner = (jobId: string): string => `${jobId}.sound`;

/** `chapters`: as they are after the step. */
type Step = Pick<JobRow, "chapters">;

export function speechStepsOf({ query, tables, ifChanged }: Database) {
  const { job, jobPart } = tables;
  const database = { query, tables } as Database;
  const unfinished = (id: string, isRecognized: boolean): SQL | undefined =>
    and(eq(job.id, id), inArray(job.status, UNFINISHED_STATUSES), eq(job.isRecognized, isRecognized));
  return {
    /** A piece is spoken: the one of this number. `sealed`: its captions; null: the engine knows none. */
    spoken: (
      id: string,
      { piece, chapters, part, sealed }: Step & { piece: number; part: StoredPart; sealed: Buffer | null },
    ): Promise<boolean> =>
      ifChanged(
        query
          .update(job)
          .set({ donePieces: piece + 1, chapters })
          .where(and(unfinished(id, false), eq(job.donePieces, piece), isNull(job.deletedAt))),
        [
          storedPart(database, part),
          ...(sealed === null
            ? []
            : [query.insert(jobPart).values({ jobId: id, kind: "piece", position: piece, sealed })]),
        ],
      ),
    /** A chapter is encoded: until it is paid, the job cannot be cancelled. */
    encoded: (
      id: string,
      { donePieces, chapters, part }: Step & Pick<JobRow, "donePieces"> & { part: StoredPart },
    ): Promise<boolean> =>
      ifChanged(
        query
          .update(job)
          .set({ isRecognized: true, chapters })
          .where(and(unfinished(id, false), eq(job.donePieces, donePieces))),
        [storedPart(database, part)],
      ),
    /** What a chapter costs is booked. */
    paid: (id: string, { chapters, costMicros }: Step & Pick<JobRow, "costMicros">): Promise<boolean> =>
      ifChanged(
        query.update(job).set({ isRecognized: false, chapters, costMicros }).where(unfinished(id, true)),
        [],
      ),
    /** All of it is one file; `part` null: its only chapter is. From now on it cannot be cancelled. */
    joined: (
      id: string,
      { part, ...fields }: Pick<JobRow, "samples" | "bytes"> & { part: StoredPart | null },
    ): Promise<boolean> =>
      ifChanged(
        query
          .update(job)
          .set({ isRecognized: true, ...fields })
          .where(unfinished(id, false)),
        part === null ? [] : [storedPart(database, part)],
      ),
  };
}
