/** The handler of the page Business. */
import { unixSeconds } from "../../../clock.ts";
import { invalidInput } from "../../../errors.ts";
import { spanOf } from "../../../ledger/booking/burn-down.ts";
import { roundSeconds } from "../../../ledger/booking/seconds.ts";
import type { BusinessMonth } from "../../../ledger/business.ts";
import { MONTH_RULE, monthIn, monthText } from "../../../ledger/statement.ts";
import type { businessRoutes } from "../schema/business-routes.ts";
import type { Handlers, Reads } from "./handler.ts";

const NEWEST_MAX = 20;

export function businessHandlers({
  accounts,
  ledger,
  billing,
  clock,
}: Reads<"accounts" | "ledger" | "clock" | "billing">): Handlers<typeof businessRoutes> {
  return {
    "GET /api/operator/business": async ({ query }) => {
      const now = unixSeconds(clock);
      const { month = monthText(now) } = query;
      const asked = monthIn(month, now);
      if (asked === null) throw invalidInput([{ field: "month", code: "out_of_range", message: MONTH_RULE }]);
      const [{ months, most, load, end, comparedUntil }, organizations] = await Promise.all([
        ledger.business(asked),
        accounts.listOrganizations(),
      ]);
      const names = new Map(organizations.map(({ id, name }) => [id, name]));
      const created = Map.groupBy(organizations, ({ createdAt }) => monthText(createdAt));
      const fresh = (created.get(month) ?? []).toReversed().slice(0, NEWEST_MAX);
      return {
        ...{ object: "business" as const, month, end, compared_until: comparedUntil },
        sells: billing.available || months.some(({ bought }) => bought > 0),
        months: months.map((each) => monthRecord(each, created)),
        most: most.map(({ organizationId, usedMicros, costMicros, beforeMicros }) => ({
          ...{ organization_id: organizationId, organization_name: names.get(organizationId) ?? null },
          ...{ cost_micros: costMicros, used_micros: usedMicros, before_micros: beforeMicros },
          growth: beforeMicros === 0 ? null : (costMicros - beforeMicros) / beforeMicros,
        })),
        load: load.map(({ audioSeconds, ...day }) => ({ ...day, audio_seconds: roundSeconds(audioSeconds) })),
        newest: fresh.map(({ id, name, createdAt }) => ({
          ...{ organization_id: id, organization_name: name, created_at: createdAt },
        })),
      };
    },
  };
}

function monthRecord({ month, ...sums }: BusinessMonth, created: ReadonlyMap<string, unknown[]>) {
  const name = monthText(spanOf(month).from);
  return {
    month: name,
    ...{ income_micros: sums.income, bought_micros: sums.bought, refunded_micros: sums.refunded },
    ...{ tax_micros: sums.tax, given_micros: sums.given, corrected_micros: sums.corrected },
    ...{ expired_micros: sums.expired, used_micros: sums.used, cost_micros: sums.cost },
    new_organizations: created.get(name)?.length ?? 0,
  };
}
