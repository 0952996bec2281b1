/** The row of a job that was just made: whose it is, what it costs, and that nothing is done of it. */
import type { Principal } from "../accounts/principal.ts";
import type { JobRow } from "../db/queries/job-rows.ts";
import { Refusal } from "../errors.ts";
import { chargedPrice } from "../plans.ts";

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

/** At the price of now for its organization, which holds to its end. `priceMicros`: the list price. */
export const newRow = (
  { organizationId, projectId, keyId, environment, plan, redaction, priceFactor }: Principal,
  { priceMicros, createdAt }: Pick<JobRow, "priceMicros" | "createdAt">,
) => ({
  ...UNTOUCHED,
  priceMicros: chargedPrice(priceMicros, priceFactor),
  ...{ organizationId, projectId, keyId, environment, plan, createdAt },
  isReadOnce: redaction?.isZero ?? false,
});

/** `priceMicros`: the list price. */
export type NewRow = Pick<JobRow, "id" | "requestId" | "model" | "priceMicros" | "responseFormat">;

export const noSuchFile = (param: string) => new Refusal("not_found", "There is no such file.", { param });
