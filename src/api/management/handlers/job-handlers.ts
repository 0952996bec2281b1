/** Handlers of jobs: listed, read, cancelled and deleted by the members of their organization. */
import { jobRecord } from "../../../jobs/job-record.ts";
import { secondsOf } from "../../../jobs/job-recording.ts";
import { type Job, readingOf } from "../../../jobs/jobs.ts";
import { speechFile } from "../../../jobs/speech-file.ts";
import { verboseBody } from "../../../transcription/response.ts";
import { srt, vtt } from "../../../transcription/subtitles.ts";
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
    "GET /api/organizations/:organization/jobs": ({ organizationId, query }) => {
      const { status = null, project_id: projectId = null, limit, cursor } = query;
      const filters = { list: "jobs", organizationId, projectId, status };
      return page({ signatures, filters, limit, cursor }, async (after, limit) =>
        (await jobs.list({ organizationId, projectId }, { status, after, limit })).map(recordOf),
      );
    },
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
      const file = speechFile(speechJobs, job, chapter);
      if (format === undefined) return { ...file, content: file.content({ from: 0, to: file.bytes }) };
      const segments = await speechJobs.captions(job, chapter);
      return {
        ...{
          name: file.name.slice(0, file.name.lastIndexOf(".") + 1) + format,
          type: "text/plain; charset=utf-8",
        },
        content: textOf((format === "vtt" ? vtt : srt)({ segments })),
      };
    },
    "POST /api/organizations/:organization/jobs/:job/cancel": async ({ organizationId, ids }) =>
      recordOf(await jobs.cancel(await find(organizationId, ids.job))),
    "DELETE /api/organizations/:organization/jobs/:job": async ({ organizationId, ids }) => {
      if (!(await jobs.remove(await find(organizationId, ids.job)))) throw notFound("job");
    },
  };
}

async function* textOf(text: string): AsyncGenerator<string> {
  yield text;
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
