/** Handlers of monthly accounts. */
import { unixSeconds } from "../../../clock.ts";
import { invalidInput } from "../../../errors.ts";
import { spanOf } from "../../../ledger/booking/burn-down.ts";
import { MONTH_RULE, microsOf, monthIn, monthText, totalOf } from "../../../ledger/statement.ts";
import type { statementRoutes } from "../schema/statement-routes.ts";
import type { Handlers, Reads } from "./handler.ts";

export function statementHandlers({
  accounts,
  ledger,
  clock,
}: Reads<"accounts" | "ledger" | "clock">): Handlers<typeof statementRoutes> {
  return {
    "GET /api/operator/accounts": async ({ query }) => {
      const now = unixSeconds(clock);
      const { month = monthText(now) } = query;
      const asked = monthIn(month, now);
      if (asked === null) throw invalidInput([{ field: "month", code: "out_of_range", message: MONTH_RULE }]);
      const [statements, organizations] = await Promise.all([
        ledger.statements(asked),
        accounts.listOrganizations(),
      ]);
      const names = new Map(organizations.map(({ id, name }) => [id, name]));
      const { from, to } = spanOf(asked);
      return {
        ...{ object: "accounts" as const, month, start: from, end: Math.min(to, now + 1) },
        data: statements.map((statement) => ({
          organization_id: statement.organizationId,
          organization_name: names.get(statement.organizationId) ?? null,
          ...microsOf(statement),
        })),
        totals: microsOf(totalOf(statements)),
      };
    },
  };
}
