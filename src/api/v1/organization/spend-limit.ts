/** /v1/organization/spend_limit: the organization's monthly spending limit, in cents. It holds on the prepaid plan only. */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import { type Audit, spendingLimitSet } from "../../../audit/audit-events.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { type AdminRoute, adminRoute } from "./admin-route.ts";
import { noSuch } from "./keyed-route.ts";

export const CENT_MICROS = 10_000;
const CENTS_MAX = 100_000_000;
const KIND = "organization.spend_limit";

/** What clients read of a limit, in cents. */
export const Dollars = {
  threshold_amount: Type.Number(),
  currency: Type.Literal("USD"),
  interval: Type.Literal("month"),
  /** `inactive`: nothing is deducted from an organization on the plan unmetered. */
  enforcement: Type.Object({ status: Type.Enum(["inactive", "enforcing"]) }),
};

export const Cents = Type.Integer({ minimum: 0, maximum: CENTS_MAX, description: "In cents." });
export const Monthly = {
  currency: Type.Enum(["USD"], { description: "The only currency." }),
  interval: Type.Enum(["month"], { description: "The only interval, a calendar month (UTC)." }),
};

const SpendLimit = Type.Object({ object: Type.Literal(KIND), ...Dollars });

type SpendLimitDeps = {
  accounts: Accounts;
  ledger: Pick<Ledger, "credit" | "setMonthlyLimit">;
  audit: Audit;
};

export function spendLimitRoutes({ accounts, ledger, audit }: SpendLimitDeps): AdminRoute[] {
  const setLimit = (organizationId: string, micros: number | null): Promise<void> =>
    ledger.setMonthlyLimit(organizationId, micros, audit.prepared(spendingLimitSet(organizationId, micros)));
  async function limitOf(organizationId: string) {
    const [{ monthlyLimitMicros }, organization] = await Promise.all([
      ledger.credit(organizationId),
      accounts.organization(organizationId),
    ]);
    if (monthlyLimitMicros === null) throw noSuch("spending limit");
    return {
      object: KIND,
      threshold_amount: monthlyLimitMicros / CENT_MICROS,
      ...{ currency: "USD", interval: "month" },
      enforcement: { status: organization?.plan === "unmetered" ? "inactive" : "enforcing" },
    };
  }
  const path = "/spend_limit";
  return [
    adminRoute({
      ...{ method: "GET", path, id: "getSpendLimit", scope: "organization:read", reply: SpendLimit },
      ...{ summary: "Get the monthly spending limit", refusals: ["not_found"] },
      handle: ({ principal }) => limitOf(principal.organizationId),
    }),
    adminRoute({
      ...{ method: "POST", path, id: "setSpendLimit", scope: "organization:write", reply: SpendLimit },
      summary: "Set the monthly spending limit",
      body: Type.Object({ threshold_amount: Cents, ...Monthly }),
      handle: async ({ principal, body }) => {
        await setLimit(principal.organizationId, body.threshold_amount * CENT_MICROS);
        return limitOf(principal.organizationId);
      },
    }),
    adminRoute({
      ...{ method: "DELETE", path, id: "deleteSpendLimit", scope: "organization:write" },
      summary: "Remove the monthly spending limit",
      reply: Type.Object({ object: Type.Literal(`${KIND}.deleted`), deleted: Type.Literal(true) }),
      handle: async ({ principal }) => {
        await setLimit(principal.organizationId, null);
        return { object: `${KIND}.deleted`, deleted: true };
      },
    }),
  ];
}
