/** The balance, the overdraft, the tier and the spending of the current month. */
import { PAID_FROM_MICROS } from "../../plans.ts";
import { cents, money } from "../format/dollars.ts";
import { Card, Figure, Figures } from "../ui/page.tsx";
import type { BillingState } from "./payments/billing-state.ts";

export function Balance({ billing }: { billing: BillingState }) {
  const { balance_micros, overdraft_micros, tier, banner } = billing;
  const warning = { none: null, low_balance: "Low", out_of_credits: "Requests are rejected" }[banner];
  return (
    <Card title="Credit">
      <Figures>
        <Figure
          name="Balance"
          value={cents(balance_micros)}
          hint={warning ?? "Charged as requests are served"}
        />
        <Figure
          name="Overdraft"
          value={cents(overdraft_micros)}
          hint="Used beyond the balance; paid off first by new credit"
        />
        <Figure name="Tier" value={tier === "paid" ? "Paid" : "Free"} hint={<Tier billing={billing} />} />
        <Figure
          name="This month"
          value={cents(billing.month_to_date_micros)}
          hint={<Month billing={billing} />}
        />
      </Figures>
    </Card>
  );
}

function Tier({ billing }: { billing: BillingState }) {
  const { tier, payments, lifetime_purchased_micros: bought } = billing;
  if (!payments) return null;
  if (tier === "paid") return `${money(bought)} bought in total`;
  return (
    <>
      <progress
        className="bar"
        aria-label="Progress to the Paid tier"
        max={PAID_FROM_MICROS}
        value={bought}
      />
      {money(bought)} of {money(PAID_FROM_MICROS)} bought to reach higher limits
    </>
  );
}

function Month({ billing }: { billing: BillingState }) {
  const { month_to_date_micros: spent, monthly_spending_limit_micros: limit } = billing;
  if (limit === null) return "No spending limit";
  return (
    <>
      <progress
        className="bar"
        aria-label="Spent of the monthly limit"
        max={Math.max(limit, 1)}
        value={spent}
      />
      {spent >= limit ? `The limit of ${money(limit)} has been reached` : `of ${money(limit)}`}
    </>
  );
}
