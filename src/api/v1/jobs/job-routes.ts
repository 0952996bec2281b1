/** /v1/audio/jobs: the jobs of a project, which its requests in the background have made. */
import { Elysia } from "elysia";
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Principal } from "../../../accounts/principal.ts";
import type { Clock } from "../../../clock.ts";
import { JOB_STATUSES } from "../../../job-statuses.ts";
import { jobRecord } from "../../../jobs/job-record.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import type { SpeechJobs } from "../../../jobs/speech-jobs.ts";
import type { Log } from "../../../log/log.ts";
import type { BodyTimeouts } from "../../middleware/body/body.ts";
import type { CallerOf } from "../../middleware/caller.ts";
import { JobRecord } from "../../openapi/job-schema.ts";
import { openKeyAccess, servedByKey } from "../organization/key-access.ts";
import { type KeyedCall, type KeyedRoute, keyedRoute, noSuch } from "../organization/keyed-route.ts";
import { listOf, PAGED, pageOf } from "../organization/listing.ts";
import { ownJob } from "./own-job.ts";
import { resultRoute } from "./result-route.ts";

export type JobRoutesDeps = {
  accounts: Pick<Accounts, "authenticate">;
  jobs: Jobs;
  speechJobs: SpeechJobs;
  log: Log;
  callerOf: CallerOf;
  /** The client's address. */
  clientOf: (request: Request) => string | null;
  timeouts: BodyTimeouts;
  clock: Clock;
};

export function jobRoutes({ accounts, jobs, clientOf, clock, log, ...deps }: JobRoutesDeps): Elysia {
  const { speechJobs, callerOf, timeouts } = deps;
  const access = openKeyAccess(
    { authenticate: accounts.authenticate, clock, clientOf },
    ["transcription:create", "speech:create"],
    "ask for jobs",
  );
  const unreadable = (id: string, cause: unknown) => log.error("file_unreadable", { id, cause });
  return new Elysia()
    .use(
      servedByKey(
        { access, prefix: "/v1/audio", timeouts, callerOf, about: ABOUT, tag: "Jobs" },
        routesOf(jobs),
      ),
    )
    .use(resultRoute({ access, jobs, speechJobs, unreadable })) as never;
}

const ABOUT =
  "Needs an API key with the scope `transcription:create` or `speech:create`, and is about the jobs of its project. Not metered; 600 requests a minute of an organization.";

const WAIT_MAX_SECONDS = 60;
const ONE = "/jobs/:job";

function routesOf(jobs: Jobs): KeyedRoute<Principal>[] {
  const own = ownJob(jobs);
  const Deleted = Type.Object({
    id: Type.String(),
    object: Type.Literal("audio.job"),
    deleted: Type.Literal(true),
  });
  return [
    keyedRoute({
      ...{ method: "GET", path: "/jobs", id: "listJobs", reply: listOf(JobRecord) },
      summary: "List jobs, the newest first",
      query: Type.Object({
        ...PAGED,
        status: Type.Optional(Type.Enum([...JOB_STATUSES], { description: "Only those that are so." })),
      }),
      handle: async ({ principal, query: { status = null, ...page } }) => {
        const found = await pageOf(page, async (place) =>
          (await jobs.list(principal, { ...place, status })).map(jobRecord),
        );
        return found;
      },
    }),
    keyedRoute({
      ...{ method: "GET", path: ONE, id: "getJob", reply: JobRecord },
      summary: "Get a job, at once or when its status changes",
      query: Type.Object({
        wait: Type.Optional(
          Type.Integer({
            ...{ minimum: 0, maximum: WAIT_MAX_SECONDS },
            description: "How many seconds to wait at most for its status to change.",
          }),
        ),
      }),
      handle: async ({ query: { wait = 0 }, signal, ...call }) =>
        jobRecord(await jobs.wait(await own(call), { ms: wait * 1000, signal })),
    }),
    keyedRoute({
      ...{ method: "POST", path: `${ONE}/cancel`, id: "cancelJob", reply: JobRecord },
      summary:
        "Cancel a job, which then costs nothing but the chapters that are spoken; one that has ended stays as it is",
      handle: async (call: KeyedCall<Principal>) => jobRecord(await jobs.cancel(await own(call))),
    }),
    keyedRoute({
      ...{ method: "DELETE", path: ONE, id: "deleteJob", reply: Deleted },
      summary: "Cancel a job and delete its recording and its result",
      handle: async (call: KeyedCall<Principal>) => {
        const job = await own(call);
        if (!(await jobs.remove(job))) throw noSuch("job");
        return { id: job.row.id, object: "audio.job", deleted: true };
      },
    }),
  ];
}
