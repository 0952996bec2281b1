/** The row of a job that was just made: whose it is, and that nothing is done of it. */
import type { Principal } from "../accounts/principal.ts";
import type { JobRow } from "../db/queries/job-rows.ts";
import { Refusal } from "../errors.ts";

const UNTOUCHED = {
  ...{ fileId: null, url: null, batchId: null, bytes: null, characters: null, labels: null },
  ...{
    status: "queued" as const,
    samples: null,
    doneSamples: 0,
    chapters: null,
    donePieces: 0,
    isRecognized: false,
  },
  ...{ reservedMicros: 0, costMicros: 0, errorCode: null, errorMessage: null, warnings: null },
  ...{ startedAt: null, completedAt: null, expiresAt: null, deletedAt: null },
};

export const newRow = (
  { organizationId, projectId, keyId, environment, plan, redaction }: Principal,
  createdAt: number,
) => ({
  ...UNTOUCHED,
  ...{ organizationId, projectId, keyId, environment, plan, createdAt },
  isReadOnce: redaction?.isZero ?? false,
});

export type NewRow = Pick<JobRow, "id" | "requestId" | "model" | "priceMicros" | "responseFormat">;

export const noSuchFile = (param: string) => new Refusal("not_found", "There is no such file.", { param });
