/** The kinds and statuses of jobs, alike in the database, the APIs, the pages and the command line. */

export const JOB_KINDS = ["transcription", "translation", "speech"] as const;

export const UNFINISHED_STATUSES = ["queued", "in_progress"] as const;
export const JOB_STATUSES = [
  ...UNFINISHED_STATUSES,
  ...(["completed", "failed", "cancelled", "expired"] as const),
] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

export const isUnfinished = ({ status }: { status: JobStatus }): boolean =>
  UNFINISHED_STATUSES.some((each) => each === status);
