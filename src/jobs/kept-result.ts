/** How long what a job has made is kept, as its organization chooses. */
import type { Accounts } from "../accounts/accounts.ts";
import type { JobRow } from "../db/queries/job-rows.ts";
import { DAY_SECONDS, resultKept } from "../kept-data.ts";

export type KeepingDeps = { accounts: Pick<Accounts, "organization"> };

export async function keptResult(
  { accounts }: KeepingDeps,
  job: Pick<JobRow, "organizationId" | "isReadOnce">,
  completedAt: number,
): Promise<Pick<JobRow, "isReadOnce"> & { expiresAt: number }> {
  const { jobResultDays = null } = (await accounts.organization(job.organizationId)) ?? {};
  const { once: isReadOnce, days } = resultKept(jobResultDays, job.isReadOnce);
  return { isReadOnce, expiresAt: completedAt + days * DAY_SECONDS };
}
