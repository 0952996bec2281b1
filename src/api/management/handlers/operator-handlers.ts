/** Organizations as an operator manages them: plans, limits, spending limits and credit. */
import type { Organization } from "../../../accounts/organizations.ts";
import { unixSeconds } from "../../../clock.ts";
import { invalidInput } from "../../../errors.ts";
import { giveCredit, keyReused, takeCredit } from "../../../ledger/adjustment.ts";
import { grantRecord } from "../../../ledger/booking/grant-record.ts";
import type { Credit } from "../../../ledger/ledger.ts";
import { LIMIT_NAMES, limitsRecord, tierOf } from "../../../limits/tiers.ts";
import { movePlan } from "../../../usage/move-plan.ts";
import type { operatorRoutes } from "../schema/operator-routes.ts";
import { type Handlers, listed, orNotFound, type Reads } from "./handler.ts";
import { type PackageDeps, packageHandlers } from "./package-handlers.ts";
import { type StatusDeps, statusHandlers } from "./status-handlers.ts";
import { bucketRecord, requestRecord, totalsOf } from "./usage-handlers.ts";

type OperatorHandlers = Handlers<typeof operatorRoutes>;

type TenantDeps = Reads<"accounts" | "ledger" | "clock" | "log">;
type OperatorDeps = TenantDeps & PackageDeps & StatusDeps;

export function operatorHandlers(deps: OperatorDeps): OperatorHandlers {
  return { ...tenantHandlers(deps), ...packageHandlers(deps), ...statusHandlers(deps) };
}

function tenantHandlers({ accounts, ledger, clock, log }: TenantDeps) {
  const record = async (organization: Organization | null) => {
    const tenant = orNotFound("organization", organization);
    const members = (await accounts.memberCounts()).get(tenant.id) ?? 0;
    const firstId = await accounts.firstOrganization();
    return tenantRecord(tenant, { ...(await ledger.credit(tenant.id)), members, firstId });
  };
  return {
    "GET /api/operator/organizations": async () => {
      const [all, creditOf, members, firstId] = await Promise.all([
        accounts.listOrganizations(),
        ledger.credits(),
        accounts.memberCounts(),
        accounts.firstOrganization(),
      ]);
      return listed(
        all.map((one) =>
          tenantRecord(one, { ...creditOf(one.id), members: members.get(one.id) ?? 0, firstId }),
        ),
      );
    },
    "GET /api/operator/organizations/:tenant": async ({ ids: { tenant } }) => ({
      ...(await record(await accounts.organization(tenant))),
      ...(await tenantDetail({ accounts, ledger, clock }, tenant)),
    }),
    "PATCH /api/operator/organizations/:tenant": async ({ session, ids: { tenant }, body }) => {
      const { limit_overrides: overrides, monthly_spending_limit_micros: monthly, plan, status } = body;
      const limits = overrides ? limitsIn(overrides) : null;
      const before = orNotFound("organization", await accounts.organization(tenant));
      if (status !== undefined && status !== before.status) {
        await accounts.setStatus(tenant, status);
        log.info("organization_status_changed", { organizationId: tenant, status, by: session.user.id });
      }
      if (overrides !== undefined) await accounts.setLimits(tenant, limits);
      if (monthly !== undefined) await ledger.setMonthlyLimit(tenant, monthly);
      if (plan !== undefined && plan !== before.plan) {
        await movePlan({ accounts, ledger }, tenant, plan);
        log.info("plan_changed", { organizationId: tenant, plan, by: session.user.id });
      }
      return record(await accounts.organization(tenant));
    },
    "POST /api/operator/organizations/:tenant/credit": async ({ ids: { tenant }, body }) => {
      const organization = orNotFound("organization", await accounts.organization(tenant));
      const { amount_micros: amountMicros, days = null, reason = null } = body;
      const idempotencyKey = body.idempotency_key ?? null;
      const credit = { organizationId: tenant, amountMicros, days, reason, idempotencyKey };
      if (!(await giveCredit(ledger, credit, clock))) throw keyReused("was used for a different grant");
      return record(organization);
    },
    "POST /api/operator/organizations/:tenant/credit/:grant/revoke": async ({ session, ids, body }) => {
      const { tenant, grant: grantId } = ids;
      const organization = orNotFound("organization", await accounts.organization(tenant));
      const { amount_micros: amountMicros = null, reason, overdraft = false } = body;
      const idempotencyKey = body.idempotency_key ?? null;
      const taking = { organizationId: tenant, grantId, amountMicros, reason, overdraft, idempotencyKey };
      const { id } = await takeCredit(ledger, taking, clock);
      log.info("credit_taken_back", { organizationId: tenant, grantId, reversalId: id, by: session.user.id });
      return record(organization);
    },
  } satisfies Partial<OperatorHandlers>;
}

function tenantRecord(
  { id, name, plan, status, createdAt, limitOverrides }: Organization,
  { members, firstId, ...credit }: Credit & { members: number; firstId: string | null },
) {
  return {
    id,
    object: "organization" as const,
    name,
    plan,
    tier: tierOf(credit.purchasedMicros),
    status,
    is_first: id === firstId,
    created_at: createdAt,
    members,
    balance_micros: credit.balanceMicros,
    overdraft_micros: credit.overdraftMicros,
    month_to_date_micros: credit.monthMicros,
    month_usage_micros: credit.monthUsageMicros,
    monthly_spending_limit_micros: credit.monthlyLimitMicros,
    limit_overrides: limitOverrides && limitsRecord(limitOverrides),
  };
}

/** Null where none is given: the limits of the tier apply. */
function limitsIn(limits: Partial<Record<keyof typeof LIMIT_NAMES, number>>): Record<string, number> | null {
  const overrides = Object.entries(LIMIT_NAMES).flatMap(([name, limit]) => {
    const value = limits[name as keyof typeof LIMIT_NAMES];
    return value === undefined ? [] : [{ name, limit, value }];
  });
  const wrong = overrides.filter(({ value }) => value < 0 || !Number.isSafeInteger(value));
  if (wrong.length > 0) throw invalidInput(wrong.map(({ name }) => outOfRange(`limit_overrides.${name}`)));
  return overrides.length > 0
    ? Object.fromEntries(overrides.map(({ limit, value }) => [limit, value]))
    : null;
}

const outOfRange = (field: string) => ({
  field,
  code: "out_of_range" as const,
  message: "must be a whole number of 0 or more",
});

const DAY = 86_400;
const DAYS = 30;
const KEYS_MAX = 100;
const REQUESTS_MAX = 10;

/** One organization as the operator of the server sees it: what its members see of it, without what they send. */
async function tenantDetail({ accounts, ledger, clock }: Omit<TenantDeps, "log">, organizationId: string) {
  const now = unixSeconds(clock);
  const end = Math.floor(now / DAY + 1) * DAY;
  const usage = { organizationId, start: end - DAYS * DAY, end, bucket: "day" as const };
  const everyKey = { projectId: null, environment: null, status: null, createdBy: null, before: null };
  const [people, keys, grants, reversals, rows, requests] = await Promise.all([
    accounts.people(organizationId),
    accounts.keysOf({ ...everyKey, organizationId, limit: KEYS_MAX }),
    ledger.grants(organizationId),
    ledger.reversals(organizationId),
    ledger.usage({ ...usage, groupBy: [], filters: {} }),
    ledger.requestPage({ ...EVERY_REQUEST, organizationId, limit: REQUESTS_MAX }),
  ]);
  return {
    people: people.map(({ joinedAt, ...person }) => ({ ...person, joined_at: joinedAt })),
    keys,
    grants: grants.map((grant) => grantRecord(grant, { now, reversals })),
    usage: { data: rows.map((row) => bucketRecord(row, "day")), totals: totalsOf(rows) },
    requests: requests.map(requestRecord),
  };
}

const EVERY_REQUEST = {
  ...{ start: null, end: null, filters: {}, status: null, errorCode: null },
  ...{ idPrefix: null, before: null },
};
