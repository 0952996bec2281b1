/** The job that the path of a request names; another project's is as one that does not exist. */
import type { Principal } from "../../../accounts/principal.ts";
import type { Job, Jobs } from "../../../jobs/jobs.ts";
import { noSuch } from "../organization/keyed-route.ts";

type Call = { principal: Principal; ids: Record<string, string> };

export const ownJob =
  (jobs: Pick<Jobs, "find">) =>
  async ({ principal, ids }: Call): Promise<Job> => {
    const job = await jobs.find(principal, ids.job!);
    if (job === null) throw noSuch("job");
    return job;
  };
