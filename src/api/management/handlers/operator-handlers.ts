/** Organizations as an operator manages them: plans, limits, spending limits and credit. */
import { type Organization, statusOf } from "../../../accounts/organizations.ts";
import { spendingLimitSet } from "../../../audit/audit-events.ts";
import { withBudgetUse } from "../../../budget-use.ts";
import { type Clock, unixSeconds } from "../../../clock.ts";
import { invalidInput } from "../../../errors.ts";
import { giveCredit, keyReused, takeCredit } from "../../../ledger/adjustment.ts";
import { grantRecord } from "../../../ledger/booking/grant-record.ts";
import type { Credit, LoadDay } from "../../../ledger/ledger.ts";
import {
  FACTOR_RANGE,
  factorIn,
  fromFault,
  LIMIT_NAMES,
  type LimitName,
  type Limits,
  limitFault,
  limitsOf,
  limitsRecord,
  machineLimits,
  shownFactors,
  tierOf,
} from "../../../plans.ts";
import { movePlan } from "../../../usage/move-plan.ts";
import { requestRecord } from "../../requests/request-record.ts";
import type { operatorRoutes } from "../schema/operator-routes.ts";
import { type Handlers, listed, orNotFound, type Reads } from "./handler.ts";
import { topUpRecord } from "./invoice-handlers.ts";
import { type PackageDeps, packageHandlers } from "./package-handlers.ts";
import { bucketRecord, totalsOf } from "./usage-handlers.ts";

type OperatorHandlers = Handlers<typeof operatorRoutes>;

type TenantDeps = Reads<"accounts" | "ledger" | "billing" | "clock" | "config" | "log" | "audit">;
type OperatorDeps = TenantDeps & PackageDeps;

type FactorBody = { price_factor?: number | undefined; price_factor_from?: number | null | undefined };

/** In units of 1/10,000; null: it is not to change. */
function factorOf(
  { price_factor: factor, price_factor_from: from = null }: FactorBody,
  clock: Clock,
): { factor: number; from: number | null } | null {
  if (factor === undefined) {
    if (from === null) return null;
    throw invalidInput([outOfRange("price_factor_from", "needs price_factor beside it")]);
  }
  const units = factorIn(factor);
  if (units === null) throw invalidInput([outOfRange("price_factor", `must be ${FACTOR_RANGE}`)]);
  const fault = from === null ? null : fromFault(from, unixSeconds(clock));
  if (fault !== null) throw invalidInput([outOfRange("price_factor_from", fault)]);
  return { factor: units, from };
}

export function operatorHandlers(deps: OperatorDeps): OperatorHandlers {
  return { ...tenantHandlers(deps), ...noteHandlers(deps), ...loadHandlers(deps), ...packageHandlers(deps) };
}

function noteHandlers({ accounts }: Pick<TenantDeps, "accounts">) {
  return {
    "PUT /api/operator/organizations/:tenant/note": async ({ ids: { tenant }, body }) => {
      const noted = orNotFound("organization", await accounts.setOperatorNote(tenant, body.note));
      return { object: "organization_note" as const, note: noted.operatorNote };
    },
  } satisfies Partial<OperatorHandlers>;
}

function loadHandlers({ accounts, ledger, clock, config }: TenantDeps) {
  const machine = machineLimits(config);
  return {
    "GET /api/operator/organizations/:tenant/load": async ({ ids: { tenant } }) => {
      const organization = orNotFound("organization", await accounts.organization(tenant));
      const { purchasedMicros } = await ledger.credit(tenant);
      const days = await ledger.load({ organizationId: tenant, ...lastDays(clock) });
      return {
        object: "load" as const,
        concurrency_limit: limitsOf(organization, purchasedMicros, machine).concurrentRequests,
        data: days.map(loadRecord),
      };
    },
  } satisfies Partial<OperatorHandlers>;
}

function tenantHandlers({ accounts, ledger, billing, clock, config, log, audit }: TenantDeps) {
  const machine = machineLimits(config);
  const record = tenantRecords({ accounts, ledger, config, clock });
  return {
    "GET /api/operator/organizations": async () => {
      const [all, creditOf, members, firstId] = await Promise.all([
        accounts.listOrganizations(),
        ledger.credits(),
        accounts.memberCounts(),
        accounts.firstOrganization(),
      ]);
      const around = { firstId, machine, now: unixSeconds(clock) };
      return listed(
        all.map((one) =>
          tenantRecord(one, { ...creditOf(one.id), members: members.get(one.id) ?? 0, ...around }),
        ),
      );
    },
    "GET /api/operator/organizations/:tenant": async ({ ids: { tenant } }) => {
      const found = orNotFound("organization", await accounts.organization(tenant));
      return { ...(await record(found)), ...(await tenantDetail({ accounts, ledger, clock }, found)) };
    },
    "PATCH /api/operator/organizations/:tenant": async ({ session, ids: { tenant }, body }) => {
      const { limit_overrides: overrides, monthly_spending_limit_micros: monthly, plan, status } = body;
      const limits = overrides ? limitsIn(overrides) : null;
      const priced = factorOf(body, clock);
      const before = orNotFound("organization", await accounts.organization(tenant));
      if (status !== undefined && status !== before.status) {
        await accounts.setStatus(tenant, status);
        log.info("organization_status_changed", { organizationId: tenant, status, by: session.user.id });
      }
      if (overrides !== undefined) await accounts.setLimits(tenant, limits);
      if (priced !== null) await accounts.setPriceFactor(tenant, priced.factor, priced.from);
      if (monthly !== undefined)
        await ledger.setMonthlyLimit(tenant, monthly, audit.prepared(spendingLimitSet(tenant, monthly)));
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
      if (!(await giveCredit(ledger, credit, { clock, audit })))
        throw keyReused("was used for a different grant");
      return record(organization);
    },
    "POST /api/operator/organizations/:tenant/credit/:grant/revoke": async ({ session, ids, body }) => {
      const { tenant, grant: grantId } = ids;
      const organization = orNotFound("organization", await accounts.organization(tenant));
      const { amount_micros: amountMicros = null, reason, overdraft = false } = body;
      const idempotencyKey = body.idempotency_key ?? null;
      const taking = { organizationId: tenant, grantId, amountMicros, reason, overdraft, idempotencyKey };
      const { id } = await takeCredit(ledger, taking, { clock, audit });
      log.info("credit_taken_back", { organizationId: tenant, grantId, reversalId: id, by: session.user.id });
      return record(organization);
    },
    "POST /api/operator/organizations/:tenant/top-ups/:topUp/refund": async ({ session, ids, body }) => {
      const { tenant: organizationId, topUp: topUpId } = ids;
      const { amount_micros: amountMicros, idempotency_key: idempotencyKey = null } = body;
      const topUp = await billing.refund({ organizationId, topUpId, amountMicros, idempotencyKey });
      log.info("top_up_refunded", { organizationId, topUpId, amountMicros, by: session.user.id });
      return topUpRecord(topUp);
    },
  } satisfies Partial<OperatorHandlers>;
}

/** What a record names beside the organization and its credit. `machine`: the limits of unmetered organizations. */
type Around = { members: number; firstId: string | null; machine: Limits; now: number };

/** Of one that is known to exist, as its operator sees it. */
export function tenantRecords(deps: Reads<"accounts" | "ledger" | "config" | "clock">) {
  const { accounts, ledger, config, clock } = deps;
  const machine = machineLimits(config);
  return async (organization: Organization | null) => {
    const tenant = orNotFound("organization", organization);
    const members = (await accounts.memberCounts()).get(tenant.id) ?? 0;
    const firstId = await accounts.firstOrganization();
    const now = unixSeconds(clock);
    return tenantRecord(tenant, { ...(await ledger.credit(tenant.id)), members, firstId, machine, now });
  };
}

function tenantRecord(
  organization: Organization,
  { members, firstId, machine, now, ...credit }: Credit & Around,
) {
  const { id, name, plan, createdAt, limitOverrides, deleteAt } = organization;
  return {
    id,
    object: "organization" as const,
    name,
    plan,
    tier: tierOf(credit.purchasedMicros),
    status: statusOf(organization),
    is_first: id === firstId,
    created_at: createdAt,
    members,
    balance_micros: credit.balanceMicros,
    overdraft_micros: credit.overdraftMicros,
    month_to_date_micros: credit.monthMicros,
    month_usage_micros: credit.monthUsageMicros,
    monthly_spending_limit_micros: credit.monthlyLimitMicros,
    ...shownFactors(organization, now),
    limit_overrides: limitOverrides && limitsRecord(limitOverrides),
    default_limits: limitsRecord(limitsOf({ plan, limitOverrides: null }, credit.purchasedMicros, machine)),
    delete_at: deleteAt,
  };
}

/** Null where none is given: the limits of the tier apply. */
function limitsIn(limits: Partial<Record<LimitName, number>>): Record<string, number> | null {
  const overrides = Object.entries(LIMIT_NAMES).flatMap(([name, limit]) => {
    const value = limits[name as LimitName];
    return value === undefined ? [] : [{ name, limit, value }];
  });
  const wrong = overrides.flatMap(({ name, limit, value }) => {
    const fault = limitFault(limit, value);
    return fault === null ? [] : [outOfRange(`limit_overrides.${name}`, fault)];
  });
  if (wrong.length > 0) throw invalidInput(wrong);
  return overrides.length > 0
    ? Object.fromEntries(overrides.map(({ limit, value }) => [limit, value]))
    : null;
}

const outOfRange = (field: string, message: string) => ({ field, code: "out_of_range" as const, message });

const DAY = 86_400;
const DAYS = 30;
const KEYS_MAX = 100;
const REQUESTS_MAX = 10;

/** Today is the last. */
function lastDays(clock: Clock): { start: number; end: number } {
  const end = Math.floor(unixSeconds(clock) / DAY + 1) * DAY;
  return { start: end - DAYS * DAY, end };
}

const loadRecord = ({ start, refused, peak }: LoadDay) => ({
  start,
  end: start + DAY,
  refused: refused.map(({ status, errorCode, requests }) => ({ status, error_code: errorCode, requests })),
  peak_concurrency: peak,
});

/** One organization as the operator of the server sees it: what its members see of it, without what they send. */
async function tenantDetail(
  { accounts, ledger, clock }: Pick<TenantDeps, "accounts" | "ledger" | "clock">,
  { id: organizationId, operatorNote }: Organization,
) {
  const now = unixSeconds(clock);
  const usage = { organizationId, ...lastDays(clock), bucket: "day" as const };
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
    operator_note: operatorNote,
    people: people.map(({ joinedAt, createdAt: _, ...person }) => ({ ...person, joined_at: joinedAt })),
    keys: await withBudgetUse(ledger, keys),
    grants: grants.map((grant) => grantRecord(grant, { now, reversals })),
    usage: { data: rows.map((row) => bucketRecord(row, "day")), totals: totalsOf(rows) },
    requests: requests.map(requestRecord),
  };
}

const EVERY_REQUEST = {
  ...{ start: null, end: null, filters: {}, status: null, errorCode: null },
  ...{ idPrefix: null, endUser: null, label: null, language: null, before: null },
};
