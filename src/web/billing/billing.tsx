/** Billing: credit, how it is bought and spent, and what was paid. Admins see it, owners act. */
import "../style/billing.css";
import { useRead } from "../lib/queries.ts";
import type { Reply } from "../lib/server.ts";
import { useHasRole, useOrganization } from "../lib/session.ts";
import { Notice, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { Balance } from "./balance.tsx";
import { Returned } from "./checkout-return.tsx";
import { Grants } from "./grants.tsx";
import { Invoices } from "./invoices.tsx";
import { PaymentCard } from "./payment-card.tsx";
import { Prices } from "./prices.tsx";
import { Recharge } from "./recharge.tsx";
import { SpendingLimit } from "./spending-limit.tsx";
import { TopUp } from "./top-up.tsx";

export type BillingState = Reply<"GET /api/organizations/:organization/billing">;

const EVERY_MS = 2000;

export function Billing() {
  return (
    <Page title="Billing">
      {useHasRole("admin") ? (
        <BillingOverview />
      ) : (
        <p>Billing is for the organization's owners and admins.</p>
      )}
    </Page>
  );
}

function BillingOverview() {
  const { id: organization } = useOrganization();
  const read = useRead(
    "GET /api/organizations/:organization/billing",
    { ids: { organization } },
    { everyMs: EVERY_MS },
  );
  return (
    <QueryBoundary of={read}>
      {(billing) => (
        <>
          {billing.payments ? (
            <Returned />
          ) : (
            <Notice>
              <p>This server takes no payments. Its operator gives credit: ask them for more.</p>
            </Notice>
          )}
          <Balance billing={billing} />
          <div className="columns">
            {billing.payments && <Paying billing={billing} />}
            <SpendingLimit limit={billing.monthly_spending_limit_micros} />
          </div>
          <Grants />
          {billing.payments && <Invoices />}
          <Prices prices={billing.prices} />
        </>
      )}
    </QueryBoundary>
  );
}

function Paying({ billing }: { billing: BillingState }) {
  return (
    <>
      {useHasRole("owner") && <TopUp />}
      <PaymentCard method={billing.payment_method} />
      <Recharge billing={billing} />
    </>
  );
}
