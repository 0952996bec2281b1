/** What is left, what was bought, and what the month has cost so far. */
import { PAID_FROM_MICROS } from "../../limits/tiers.ts";
import { cents, money } from "../lib/format.ts";
import { Card, Figure, Figures } from "../ui/page.tsx";
import type { BillingState } from "./billing.tsx";

export function Balance({ billing }: { billing: BillingState }) {
  const { balance_micros, overdraft_micros, tier, banner } = billing;
  const advice = { none: null, low_balance: "Low", out_of_credits: "Requests are refused" }[banner];
  return (
    <Card title="Credit">
      <Figures>
        <Figure name="Balance" value={cents(balance_micros)} hint={advice ?? "Spent as requests come in"} />
        <Figure
          name="Overdraft"
          value={cents(overdraft_micros)}
          hint="Used beyond the credit; the next credit pays it first"
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
  if (tier === "paid") return `${money(bought)} bought in all`;
  return (
    <>
      <progress
        className="bar"
        aria-label="Bought, on the way to the Paid tier"
        max={PAID_FROM_MICROS}
        value={bought}
      />
      {money(bought)} of {money(PAID_FROM_MICROS)} bought; then higher limits
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
        aria-label="Spent of the month's limit"
        max={Math.max(limit, 1)}
        value={spent}
      />
      {spent >= limit
        ? `The limit of ${money(limit)} is reached`
        : `of ${money(limit)}, until the month ends`}
    </>
  );
}
