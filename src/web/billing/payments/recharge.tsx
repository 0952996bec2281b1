/** Auto-recharge: its settings, its current plan and its last failure. */
import { useEffect, useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { useHasRole, useOrganization } from "../../api/session.ts";
import { dollarsOf, microsOf } from "../../format/amount.ts";
import { money } from "../../format/dollars.ts";
import { AmountField, amountIn, validationError } from "../../ui/form/amount-field.tsx";
import { Check, Form } from "../../ui/form/form.tsx";
import { Saved } from "../../ui/form/saved.tsx";
import { Badge, Card, Notice } from "../../ui/page.tsx";
import type { BillingState } from "./billing-state.ts";
import { cardName } from "./payment-card.tsx";
import { isCreditReversed, paymentProblemText } from "./payment-problems.ts";

const MIN_MICROS = 5_000_000; // of a charge, so also between threshold and target
const MAX_MICROS = 1_000_000_000;
const FAILURES_MAX = 3;

export function Recharge({ billing }: { billing: BillingState }) {
  const { auto_recharge: recharge, payment_method: card } = billing;
  const isOwner = useHasRole("owner");
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
      <Failure recharge={recharge} />
      {isOwner ? <Settings billing={billing} /> : <Plan {...recharge} card={card && cardName(card)} />}
    </Card>
  );
}

const wasSwitchedOff = ({ failures, problem }: BillingState["auto_recharge"]) =>
  failures >= FAILURES_MAX || (problem !== null && isCreditReversed(problem));

function Failure({ recharge: { problem, failures } }: { recharge: BillingState["auto_recharge"] }) {
  if (problem === null) return null;
  const isOff = failures >= FAILURES_MAX;
  if (isCreditReversed(problem))
    return (
      <Notice tone="bad">
        <p>
          <strong>Switched off:</strong> {paymentProblemText(problem)} Auto-recharge stays off until an owner
          switches it on, so that the card is not charged again for the same credit.
        </p>
      </Notice>
    );
  return (
    <Notice tone={isOff ? "bad" : "warn"}>
      <p>
        <strong>
          {isOff ? `Switched off after ${FAILURES_MAX} consecutive failures:` : "The last charge failed:"}
        </strong>{" "}
        {paymentProblemText(problem)} {adviceOn(problem)}
        {isOff ? " Then switch it on again." : ""}
      </p>
    </Notice>
  );
}

/** What an owner can do about a failure. */
function adviceOn(problem: string): string {
  if (problem === "authentication_required")
    return "Top up manually to confirm the payment, or save another card.";
  if (problem === "expired_card") return "Replace the card.";
  if (problem === "insufficient_funds") return "Use another card or a lower target.";
  return "Contact the card's bank, or replace the card.";
}

type PlanProps = {
  enabled: boolean;
  threshold_micros: number;
  target_micros: number;
  card: string | null;
};

/** The effect of the settings in one sentence. */
function Plan({ enabled, threshold_micros, target_micros, card }: PlanProps) {
  if (!enabled) return <p>Auto-recharge is off. The card is not charged automatically.</p>;
  const minimum = target_micros - threshold_micros;
  return (
    <p>
      When the balance falls below {money(threshold_micros)}, {card ?? "the saved card"} is charged to bring
      it back to {money(target_micros)}: at least {money(minimum)} and at most {money(MAX_MICROS)} per charge.
    </p>
  );
}

function Settings({ billing: { auto_recharge: current, payment_method: card } }: { billing: BillingState }) {
  const { id: organization } = useOrganization();
  const put = useWrite("PUT /api/organizations/:organization/billing/auto-recharge");
  const [threshold, setThreshold] = useState(dollarsOf(current.threshold_micros));
  const [target, setTarget] = useState(dollarsOf(current.target_micros));
  const [enabled, setEnabled] = useState(current.enabled);
  useEffect(() => setEnabled(current.enabled), [current.enabled]); // failures and removing the card switch it off
  const planned = { threshold_micros: microsOf(threshold) ?? 0, target_micros: microsOf(target) ?? 0 };
  async function save(values: Record<string, string>) {
    const cents = { maxMicros: MAX_MICROS, wholeCents: true };
    const threshold_micros = amountIn(values, { name: "threshold_micros", ...cents });
    const target_micros = amountIn(values, { name: "target_micros", minMicros: MIN_MICROS, ...cents });
    if (target_micros - threshold_micros < MIN_MICROS)
      throw validationError("target_micros", `At least $${dollarsOf(MIN_MICROS)} above the threshold.`);
    await put.mutateAsync({ ids: { organization }, body: { enabled, threshold_micros, target_micros } });
  }
  return (
    <Form submit="Save auto-recharge" kind="plain" onSubmit={save} actions={<Saved of={put} />}>
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
        label="Recharge when the balance falls below"
        value={threshold}
        onChange={(event) => setThreshold(event.target.value)}
      />
      <AmountField
        name="target_micros"
        label="Recharge up to"
        hint={`At least $${dollarsOf(MIN_MICROS)} above the threshold.`}
        value={target}
        onChange={(event) => setTarget(event.target.value)}
      />
      {(!enabled || planned.target_micros - planned.threshold_micros >= MIN_MICROS) && (
        <Plan enabled={enabled} {...planned} card={card && cardName(card)} />
      )}
    </Form>
  );
}
