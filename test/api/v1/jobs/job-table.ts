/** The routes of jobs: each needs a key that may transcribe or speak, which it says itself. */
const ROUTES = `GET /jobs
  GET /jobs/:job
  DELETE /jobs/:job
  POST /jobs/:job/cancel
  GET /jobs/:job/content`;

export const JOB_TABLE: Record<string, { scope: null }> = Object.fromEntries(
  ROUTES.split("\n").map((line) => [line.trim().replace(" ", " /v1/audio"), { scope: null }]),
);
