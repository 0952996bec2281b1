/** The batches of projects: made of a file of lines, found, listed and cancelled. Rows of work have some node run them. */
import type { Principal } from "../accounts/principal.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { BatchRow, BatchRows } from "../db/queries/batch-rows.ts";
import type { JobOwner } from "../db/queries/job-rows.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import { Refusal } from "../errors.ts";
import type { Files } from "../files/files.ts";
import { newId } from "../ids.ts";
import { noSuchFile } from "../jobs/new-row.ts";
import type { Work } from "../work/work-queue.ts";
import { INPUT_BYTES_MAX } from "./input-lines.ts";

export const BATCH_ENDPOINTS = [
  "/v1/audio/transcriptions",
  "/v1/audio/translations",
  "/v1/audio/speech",
] as const;
export type BatchEndpoint = (typeof BATCH_ENDPOINTS)[number];

/** The kind of rows of work. */
export const BATCH_WORK = "batch";

/** The field that names the input. */
const FILE = "input_file_id";
const UNFINISHED_MAX = 10;
const WINDOW_SECONDS = 24 * 3600;

type NewBatch = { endpoint: BatchEndpoint; inputFileId: string; metadata: Record<string, string> };

export type Batches = {
  /** Refuses where there is no such file, or too many have not ended. */
  create(principal: Principal, batch: NewBatch): Promise<BatchRow>;
  /** Null where there is none, or it is another project's. */
  find(owner: JobOwner, id: string): Promise<BatchRow | null>;
  /** The newest first. */
  list(owner: JobOwner, place: { after: string | null; limit: number }): Promise<BatchRow[]>;
  /** One that has ended is as it was. */
  cancel(batch: BatchRow): Promise<BatchRow>;
};

type BatchesDeps = {
  rows: BatchRows;
  files: Pick<Files, "find">;
  work: Pick<Work, "wake">;
  clock: Clock;
};

export function openBatches({ rows, files, work, clock }: BatchesDeps): Batches {
  return {
    find: rows.find,
    list: rows.list,
    async create(principal, { endpoint, inputFileId, metadata }) {
      const { organizationId, projectId, keyId } = principal;
      if ((await rows.unfinished(organizationId)) >= UNFINISHED_MAX) throw tooMany();
      const file = await files.find(principal, inputFileId);
      if (file === null) throw noSuchFile(FILE);
      if (file.purpose !== "batch") throw otherPurpose(file.purpose);
      if (file.bytes > INPUT_BYTES_MAX) throw tooLarge();
      const now = unixSeconds(clock);
      const row: BatchRow = {
        ...{ id: newId("batch", clock), organizationId, projectId, keyId, endpoint, inputFileId },
        ...{
          outputFileId: null,
          errorFileId: null,
          metadata: JSON.stringify(metadata),
          status: "validating",
        },
        ...{ lines: 0, completedLines: 0, failedLines: 0, errors: null, createdAt: now },
        ...{
          expiresAt: now + WINDOW_SECONDS,
          inProgressAt: null,
          finalizingAt: null,
          cancellingAt: null,
          endedAt: null,
        },
      };
      if (!(await rows.add(row, stepOf(row, { step: 0, dueMs: clock.now() })))) throw noSuchFile(FILE);
      work.wake();
      return row;
    },
    async cancel(batch) {
      const { status } = batch;
      if (status === "validating" || status === "in_progress")
        await rows.change(batch, { status: "cancelling", cancellingAt: unixSeconds(clock) });
      return (await rows.get(batch.id)) ?? batch;
    },
  };
}

/** The row of work of a step; each step but the last makes the next. */
export const stepOf = (
  { id, organizationId }: Pick<BatchRow, "id" | "organizationId">,
  { step, dueMs }: { step: number; dueMs: number },
): NewWork => ({
  ...{ id: `${id}.${step}`, kind: BATCH_WORK, group: organizationId, dueMs },
  payload: JSON.stringify({ batch: id, step }),
});

const tooMany = () =>
  new Refusal(
    "too_many_jobs",
    `Your organization may have ${UNFINISHED_MAX} batches that have not ended. Wait for one to end, or cancel one.`,
    { retryAfterSeconds: 30, param: FILE },
  );

const otherPurpose = (purpose: string) =>
  new Refusal("validation_error", `The file was sent with the purpose ${purpose}. Send it with batch.`, {
    param: FILE,
  });

const tooLarge = () =>
  new Refusal("file_too_large", `The input is larger than ${INPUT_BYTES_MAX / (1024 * 1024)} MB.`, {
    param: FILE,
  });
