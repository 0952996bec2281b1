/** The tables of jobs: long work that ends whatever happens to its caller or its node. Times are Unix seconds. */
import { sql } from "drizzle-orm";
import { JOB_KINDS, JOB_STATUSES } from "../../job-statuses.ts";
import type { Organizations } from "./account-tables.ts";
import type { Kit } from "./kit-sqlite.ts";

/** What is asked for. */
const askedColumns = ({ text, bigint, micros, bytes, flag }: Kit) => ({
  kind: text({ enum: [...JOB_KINDS] }).notNull(),
  model: text().notNull(),
  priceMicros: micros("price_micros").notNull(),
  responseFormat: text("response_format").notNull(),
  /** How its result is read, as JSON. */
  reading: text().notNull(),
  /** The caller's own, as JSON. */
  metadata: text().notNull(),
  /** Of the file that it reads; null: it has one of its own. */
  fileId: text("file_id"),
  /** The address of its recording, encrypted. */
  url: bytes(),
  /** That it is part of. */
  batchId: text("batch_id"),
  /** Of the recording, or of the speech that was made; null: not known yet. */
  bytes: bigint(),
  /** Of the text to be spoken, in code points; null: it is a recording. */
  characters: bigint(),
  /** The titles of a text and of its chapters, encrypted. */
  labels: bytes(),
  /** Its result is deleted once it was read. */
  isReadOnce: flag("is_read_once").notNull().default(false),
});

/** What has become of it. */
const stateColumns = ({ text, bigint, micros, seconds, flag }: Kit) => ({
  status: text({ enum: [...JOB_STATUSES] }).notNull(),
  /** Of the recording, once it was decoded; of speech, once all of it is made. */
  samples: bigint(),
  /** Those that are recognized. */
  doneSamples: bigint("done_samples").notNull().default(0),
  /** How far each chapter of a text is, as JSON. */
  chapters: text(),
  /** Pieces of a text that are spoken. */
  donePieces: bigint("done_pieces").notNull().default(0),
  /** All of it is, or a chapter of a text is spoken; what is left of that is its charge. */
  isRecognized: flag("is_recognized").notNull().default(false),
  /** What it will cost, until it ends. */
  reservedMicros: micros("reserved_micros").notNull().default(0),
  costMicros: micros("cost_micros").notNull().default(0),
  errorCode: text("error_code"),
  errorMessage: text("error_message"),
  /** What of the recording is missing: a list of sentences as JSON. */
  warnings: text(),
  createdAt: seconds("created_at").notNull(),
  startedAt: seconds("started_at"),
  completedAt: seconds("completed_at"),
  /** When its result is deleted. */
  expiresAt: seconds("expires_at"),
  deletedAt: seconds("deleted_at"),
});

export function jobTables(kit: Kit, { organization }: Organizations) {
  const { table, index, primaryKey, text, bigint, bytes } = kit;
  const job = table(
    "job",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      projectId: text("project_id").notNull(),
      keyId: text("key_id").notNull(),
      environment: text({ enum: ["live", "test"] }).notNull(),
      /** What its request was admitted under. */
      plan: text({ enum: ["unmetered", "prepaid"] }).notNull(),
      /** The request that made it. */
      requestId: text("request_id").notNull(),
      ...askedColumns(kit),
      ...stateColumns(kit),
    },
    (table) => [
      index("job_by_project").on(table.projectId, table.id),
      index("job_by_organization").on(table.organizationId, table.id),
      index("job_unfinished")
        .on(table.organizationId, table.status, table.batchId)
        .where(sql`status in ('queued', 'in_progress')`),
      index("job_expiring").on(table.expiresAt).where(sql`status = 'completed'`),
      index("job_ended").on(table.completedAt).where(sql`completed_at is not null`),
    ],
  );

  /** What is kept of a job, encrypted: its request, and what was recognized of each piece of its recording, or when the words of each piece of its text are heard. */
  const jobPart = table(
    "job_part",
    {
      jobId: text("job_id")
        .notNull()
        .references(() => job.id, { onDelete: "cascade" }),
      kind: text({ enum: ["request", "cover", "piece"] }).notNull(),
      /** Of a piece: the sample that it begins with; of a text, its number. */
      position: bigint().notNull(),
      sealed: bytes().notNull(),
    },
    (table) => [primaryKey({ columns: [table.jobId, table.kind, table.position] })],
  );
  return { job, jobPart };
}
