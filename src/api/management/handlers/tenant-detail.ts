/** One organization as the operator of the server sees it. */
import { unixSeconds } from "../../../clock.ts";
import { grantRecord } from "../../../ledger/booking/grant-record.ts";
import type { ManagementDeps } from "./handler.ts";
import { bucketRecord, requestRecord, totalsOf } from "./usage-handlers.ts";

const DAY = 86_400;
const DAYS = 30;
const KEYS_MAX = 100;
const REQUESTS_MAX = 10;

type TenantDeps = Pick<ManagementDeps, "accounts" | "ledger" | "clock">;

/** What its members see of it, without what they send. */
export async function tenantDetail({ accounts, ledger, clock }: TenantDeps, organizationId: string) {
  const now = unixSeconds(clock);
  const end = Math.floor(now / DAY + 1) * DAY;
  const usage = { organizationId, start: end - DAYS * DAY, end, bucket: "day" as const };
  const everyKey = { projectId: null, environment: null, status: null, createdBy: null, before: null };
  const [people, keys, grants, rows, requests] = await Promise.all([
    accounts.people(organizationId),
    accounts.keysOf({ ...everyKey, organizationId, limit: KEYS_MAX }),
    ledger.grants(organizationId),
    ledger.usage({ ...usage, groupBy: [], filters: {} }),
    ledger.requestPage({ ...EVERY_REQUEST, organizationId, limit: REQUESTS_MAX }),
  ]);
  return {
    people: people.map(({ joinedAt, ...person }) => ({ ...person, joined_at: joinedAt })),
    keys,
    grants: grants.map((grant) => grantRecord(grant, now)),
    usage: { data: rows.map((row) => bucketRecord(row, "day")), totals: totalsOf(rows) },
    requests: requests.map(requestRecord),
  };
}

const EVERY_REQUEST = {
  ...{ start: null, end: null, filters: {}, status: null, errorCode: null },
  ...{ idPrefix: null, before: null },
};
