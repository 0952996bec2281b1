/** The routes of jobs: each needs a key that may transcribe. */
const ROUTES = `GET /jobs
  GET /jobs/:job
  DELETE /jobs/:job
  POST /jobs/:job/cancel
  GET /jobs/:job/content`;

export const JOB_TABLE: Record<string, { scope: "transcription:create" }> = Object.fromEntries(
  ROUTES.split("\n").map((line) => [
    line.trim().replace(" ", " /v1/audio"),
    { scope: "transcription:create" },
  ]),
);
