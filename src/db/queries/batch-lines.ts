/** What rows of jobs have to do with batches: a job may be made of a line. */
import type { SQLWrapper } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

export type BatchLine = Pick<Tables["batchLine"]["$inferSelect"], "batchId" | "line" | "customId">;

/** A statement: a job is made of a line. Its key refuses a second one. */
export const jobOfLine = (
  { query, tables: { batchLine } }: Database,
  line: BatchLine,
  jobId: string,
): SQLWrapper => query.insert(batchLine).values({ ...line, jobId, answer: null });
