/** The statuses of batches, alike in the database and the API. */

/** In their order; a batch that is cancelled, or late, ends once the lines that run have ended. */
export const UNFINISHED_BATCH_STATUSES = ["validating", "in_progress", "finalizing", "cancelling"] as const;
export const BATCH_STATUSES = [
  ...UNFINISHED_BATCH_STATUSES,
  ...(["completed", "failed", "expired", "cancelled"] as const),
] as const;
