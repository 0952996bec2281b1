/** Auto-recharge: what will be charged when, what failed, and the form that sets it. */
import { useEffect, useState } from "react";
import { dollarsOf, microsOf } from "../lib/amount.ts";
import { money } from "../lib/format.ts";
import { useWrite } from "../lib/queries.ts";
import { useHasRole, useOrganization } from "../lib/session.ts";
import { AmountField, amountIn, refused } from "../ui/form/amount-field.tsx";
import { Check, Form } from "../ui/form/form.tsx";
import { Saved } from "../ui/form/saved.tsx";
import { Badge, Card, Notice } from "../ui/page.tsx";
import type { BillingState } from "./billing.tsx";
import { cardName } from "./payment-card.tsx";
import { isCreditReversed, paymentProblemText } from "./payment-problems.ts";

const LEAST_MICROS = 5_000_000; // of a charge, and between threshold and target
const MOST_MICROS = 1_000_000_000;
const FAILURES_MAX = 3;

export function Recharge({ billing }: { billing: BillingState }) {
  const { auto_recharge: recharge, payment_method: card } = billing;
  const owner = useHasRole("owner");
  return (
    <Card
      title="Auto-recharge"
      actions={
        recharge.enabled ? (
          <Badge tone="good">On</Badge>
        ) : (
          <Badge>{wasSwitchedOff(recharge) ? "Switched off" : "Off"}</Badge>
        )
      }
    >
      <Trouble recharge={recharge} />
      {owner ? <Settings billing={billing} /> : <Plan {...recharge} card={card && cardName(card)} />}
    </Card>
  );
}

const wasSwitchedOff = ({ failures, problem }: BillingState["auto_recharge"]) =>
  failures >= FAILURES_MAX || (problem !== null && isCreditReversed(problem));

function Trouble({ recharge: { problem, failures } }: { recharge: BillingState["auto_recharge"] }) {
  if (problem === null) return null;
  const off = failures >= FAILURES_MAX;
  if (isCreditReversed(problem))
    return (
      <Notice tone="bad">
        <p>
          <strong>Switched off:</strong> {paymentProblemText(problem)} So that the card is not charged for
          that again, it stays off until an owner switches it on.
        </p>
      </Notice>
    );
  return (
    <Notice tone={off ? "bad" : "warn"}>
      <p>
        <strong>{off ? "Switched off after three failures in a row:" : "The last charge failed:"}</strong>{" "}
        {paymentProblemText(problem)} {adviceOn(problem)}
        {off ? " Then switch it on again." : ""}
      </p>
    </Notice>
  );
}

/** What an owner can do about it. */
function adviceOn(problem: string): string {
  if (problem === "authentication_required")
    return "Top up by hand, where the bank can ask, or save another card.";
  if (problem === "expired_card") return "Replace the card.";
  if (problem === "insufficient_funds") return "Use another card, or a lower target.";
  return "Ask the card's bank, or replace the card.";
}

type PlanProps = {
  enabled: boolean;
  threshold_micros: number;
  target_micros: number;
  card: string | null;
};

/** One sentence of what happens while everyone sleeps. */
function Plan({ enabled, threshold_micros, target_micros, card }: PlanProps) {
  if (!enabled) return <p>It is off: no card is charged by itself.</p>;
  const least = target_micros - threshold_micros;
  return (
    <p>
      Whenever the balance falls below {money(threshold_micros)}, {card ?? "the saved card"} is charged what
      brings it back to {money(target_micros)}: at least {money(least)} and at most {money(MOST_MICROS)} at a
      time.
    </p>
  );
}

function Settings({ billing: { auto_recharge: kept, payment_method: card } }: { billing: BillingState }) {
  const { id: organization } = useOrganization();
  const put = useWrite("PUT /api/organizations/:organization/billing/auto-recharge");
  const [threshold, setThreshold] = useState(dollarsOf(kept.threshold_micros));
  const [target, setTarget] = useState(dollarsOf(kept.target_micros));
  const [enabled, setEnabled] = useState(kept.enabled);
  useEffect(() => setEnabled(kept.enabled), [kept.enabled]); // failures and a removed card switch it off
  const planned = { threshold_micros: microsOf(threshold) ?? 0, target_micros: microsOf(target) ?? 0 };
  async function save(values: Record<string, string>) {
    const cents = { most: MOST_MICROS, wholeCents: true };
    const threshold_micros = amountIn(values, { name: "threshold_micros", ...cents });
    const target_micros = amountIn(values, { name: "target_micros", least: LEAST_MICROS, ...cents });
    if (target_micros - threshold_micros < LEAST_MICROS)
      throw refused("target_micros", `At least $${dollarsOf(LEAST_MICROS)} above the threshold.`);
    await put.mutateAsync({ ids: { organization }, body: { enabled, threshold_micros, target_micros } });
  }
  return (
    <Form submit="Save auto-recharge" onSubmit={save} actions={<Saved of={put} />}>
      <Check
        name="enabled"
        label="Charge the card when the balance is low"
        checked={enabled}
        onChange={(event) => setEnabled(event.target.checked)}
        disabled={card === null}
        hint={card === null ? "Save a card first." : undefined}
      />
      <AmountField
        name="threshold_micros"
        label="When the balance falls below"
        value={threshold}
        onChange={(event) => setThreshold(event.target.value)}
      />
      <AmountField
        name="target_micros"
        label="Charge up to"
        hint="At least $5 above the threshold."
        value={target}
        onChange={(event) => setTarget(event.target.value)}
      />
      {(!enabled || planned.target_micros - planned.threshold_micros >= LEAST_MICROS) && (
        <Plan enabled={enabled} {...planned} card={card && cardName(card)} />
      )}
    </Form>
  );
}
