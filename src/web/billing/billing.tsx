/** The billing page: credit, payments and prices. Admins view it; only owners make changes. */

import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import { useHasRole, useOrganization, useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { DIRECTION, LANGUAGE } from "../language/chosen.ts";
import { creditTexts } from "../language/en/credit.ts";
import { Card, Notice, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { Balance } from "./balance.tsx";
import { BalanceAlert } from "./balance-alert.tsx";
import { CreditHelp } from "./credit-help.tsx";
import { Grants } from "./grants.tsx";
import { Month } from "./month.tsx";
import { BillingDetails } from "./payments/billing-details.tsx";
import type { BillingState } from "./payments/billing-state.ts";
import { CheckoutReturn } from "./payments/checkout-return.tsx";
import { Invoices } from "./payments/invoices.tsx";
import { PaymentCard } from "./payments/payment-card.tsx";
import { Recharge } from "./payments/recharge.tsx";
import { TopUp } from "./payments/top-up.tsx";
import { Prices } from "./prices.tsx";
import { RedeemCode } from "./redeem-code.tsx";
import { SpendingLimit } from "./spending-limit.tsx";

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
  const isOwner = useHasRole("owner");
  return (
    <>
      {billing.payments ? (
        <CheckoutReturn />
      ) : (
        <Notice>
          <p lang={LANGUAGE} dir={DIRECTION}>
            {creditTexts()("noPayments")} <CreditHelp payments={false} />
          </p>
        </Notice>
      )}
      <Balance billing={billing} />
      <Month billing={billing} />
      {billing.payments ? <Payments billing={billing} /> : <AlertOf billing={billing} />}
      {isOwner && <RedeemCode />}
      <SpendingLimit limit={billing.monthly_spending_limit_micros} />
      <Grants payments={billing.payments} />
      {billing.payments && <Invoices />}
      {billing.invoices && <BillingDetails />}
      <Prices prices={billing.prices} factors={billing.price_factors} />
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
      <div className="stack">
        <Recharge billing={billing} />
        <AlertOf billing={billing} />
      </div>
    </div>
  );
}

const AlertOf = ({ billing }: { billing: BillingState }) => (
  <BalanceAlert
    threshold={billing.balance_alert_micros}
    told={billing.balance_alert_recipients}
    balance={billing.balance_micros}
  />
);

/** Billing of an unmetered organization: why nothing is due, list prices, and payments that it made before. */
function Unmetered({ billing }: { billing: BillingState }) {
  const { id } = useOrganization();
  const { operator } = useSession().user;
  return (
    <>
      <Card title="Unmetered">
        <p>
          This organization needs no credit. Its <Link href={hrefOf(id, "usage")}>usage</Link> is recorded at
          list price, and nothing is deducted.
        </p>
        {operator && (
          <p>
            As the operator, you can{" "}
            <Link href={`/operator/organizations?search=${id}`}>change its plan</Link>.
          </p>
        )}
      </Card>
      {billing.payments && billing.lifetime_purchased_micros > 0 && <Invoices />}
      <Prices prices={billing.prices} factors={billing.price_factors} />
    </>
  );
}
