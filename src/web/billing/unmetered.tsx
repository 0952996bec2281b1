/** Billing of an unmetered organization: why nothing is due, list prices, and payments that it made before. */
import { Link } from "wouter";
import { useOrganization, useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { Card } from "../ui/page.tsx";
import type { BillingState } from "./payments/billing-state.ts";
import { Invoices } from "./payments/invoices.tsx";
import { Prices } from "./prices.tsx";

export function Unmetered({ billing }: { billing: BillingState }) {
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
            As the administrator, you can{" "}
            <Link href={`/operator/organizations?search=${id}`}>change its plan</Link>.
          </p>
        )}
      </Card>
      {billing.payments && billing.lifetime_purchased_micros > 0 && <Invoices />}
      <Prices prices={billing.prices} />
    </>
  );
}
