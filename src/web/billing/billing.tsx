/** The billing page: credit, payments and prices. Admins view it; only owners make changes. */
import { useRead } from "../api/queries.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { Notice, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { Balance } from "./balance.tsx";
import { CreditHelp } from "./credit-help.tsx";
import { Grants } from "./grants.tsx";
import type { BillingState } from "./payments/billing-state.ts";
import { CheckoutReturn } from "./payments/checkout-return.tsx";
import { Invoices } from "./payments/invoices.tsx";
import { PaymentCard } from "./payments/payment-card.tsx";
import { Recharge } from "./payments/recharge.tsx";
import { TopUp } from "./payments/top-up.tsx";
import { Prices } from "./prices.tsx";
import { SpendingLimit } from "./spending-limit.tsx";
import { Unmetered } from "./unmetered.tsx";

const EVERY_MS = 2000;

export function Billing() {
  return (
    <Page title="Billing">
      {useHasRole("admin") ? (
        <BillingOverview />
      ) : (
        <p>Only owners and admins of the organization can view billing.</p>
      )}
    </Page>
  );
}

function BillingOverview() {
  const { id: organization } = useOrganization();
  const query = useRead(
    "GET /api/organizations/:organization/billing",
    { ids: { organization } },
    { everyMs: EVERY_MS },
  );
  return (
    <QueryBoundary of={query}>
      {(billing) =>
        billing.plan === "unmetered" ? <Unmetered billing={billing} /> : <Prepaid {...{ billing }} />
      }
    </QueryBoundary>
  );
}

function Prepaid({ billing }: { billing: BillingState }) {
  return (
    <>
      {billing.payments ? (
        <CheckoutReturn />
      ) : (
        <Notice>
          <p>
            This server does not accept payments. <CreditHelp payments={false} />
          </p>
        </Notice>
      )}
      <Balance billing={billing} />
      {billing.payments && <Payments billing={billing} />}
      <SpendingLimit limit={billing.monthly_spending_limit_micros} />
      <Grants payments={billing.payments} />
      {billing.payments && <Invoices />}
      <Prices prices={billing.prices} />
    </>
  );
}

function Payments({ billing }: { billing: BillingState }) {
  return (
    <div className="columns">
      <div className="stack">
        {useHasRole("owner") && <TopUp />}
        <PaymentCard method={billing.payment_method} />
      </div>
      <Recharge billing={billing} />
    </div>
  );
}
