/** Handlers of jobs: listed, read, cancelled and deleted by the members of their organization. */
import { jobRecord } from "../../../jobs/job-record.ts";
import { secondsOf } from "../../../jobs/job-recording.ts";
import { type Job, type Jobs, readingOf } from "../../../jobs/jobs.ts";
import { speechFile, subtitleFile } from "../../../jobs/speech-file.ts";
import { verboseBody } from "../../../transcription/response.ts";
import { inOnePiece } from "../../middleware/row-files.ts";
import type { jobRoutes } from "../schema/job-routes.ts";
import { page } from "./cursor.ts";
import { type Handlers, notFound, orNotFound, type Reads } from "./handler.ts";

type JobHandlers = Handlers<typeof jobRoutes>;

export function jobHandlers({
  jobs,
  speechJobs,
  signatures,
}: Reads<"jobs" | "speechJobs" | "signatures">): JobHandlers {
  const find = async (organizationId: string, id: string): Promise<Job> =>
    orNotFound("job", await jobs.find({ organizationId, projectId: null }, id));
  return {
    ...jobListing({ jobs, signatures }),
    "GET /api/organizations/:organization/jobs/:job": async ({ organizationId, ids }) =>
      recordOf(await find(organizationId, ids.job)),
    "POST /api/organizations/:organization/jobs/:job/transcript": async ({ organizationId, ids, signal }) => {
      const job = await find(organizationId, ids.job);
      if (job.row.kind === "speech") throw notFound("transcript");
      const granularities = readingOf(job.row).tellsWordTimes
        ? (["segment", "word"] as const)
        : (["segment"] as const);
      const task = job.row.kind === "translation" ? "translate" : "transcribe";
      return jobs.read(job, signal, (transcript) => {
        const { warnings, ...body } = verboseBody(transcript, granularities, task);
        return { ...body, ...(warnings ? { warnings: [...warnings] } : {}) };
      });
    },
    "POST /api/organizations/:organization/jobs/:job/speech": async ({ organizationId, ids, body }) => {
      const job = await find(organizationId, ids.job);
      if (job.row.kind !== "speech") throw notFound("speech");
      const { chapter = null, format } = body;
      if (format === undefined) {
        const { name, type, bytes, content } = await speechFile(speechJobs, job, chapter);
        return { name, type, content: content({ from: 0, to: bytes }) };
      }
      const { text, ...file } = await subtitleFile(speechJobs, job, { chapter, format });
      return { ...file, content: inOnePiece(() => text) };
    },
    "POST /api/organizations/:organization/jobs/:job/cancel": async ({ organizationId, ids }) =>
      recordOf(await jobs.cancel(await find(organizationId, ids.job))),
    "DELETE /api/organizations/:organization/jobs/:job": async ({ organizationId, ids }) => {
      if (!(await jobs.remove(await find(organizationId, ids.job)))) throw notFound("job");
    },
  };
}

export function jobListing({ jobs, signatures }: { jobs: Pick<Jobs, "list"> } & Reads<"signatures">) {
  return {
    "GET /api/organizations/:organization/jobs": ({ organizationId, query }) => {
      const { status = null, project_id: projectId = null, limit, cursor } = query;
      const filters = { list: "jobs", organizationId, projectId, status };
      return page({ signatures, filters, limit, cursor }, async (after, limit) =>
        (await jobs.list({ organizationId, projectId }, { status, after, limit })).map(recordOf),
      );
    },
  } satisfies Partial<JobHandlers>;
}

const recordOf = (job: Job) => {
  const { projectId, keyId, environment, doneSamples, isReadOnce } = job.row;
  return {
    ...jobRecord(job),
    ...{ project_id: projectId, key_id: keyId, environment },
    done_seconds: secondsOf(doneSamples),
    read_once: isReadOnce,
  };
};
