/** The dialog that takes credit of a grant back. */
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import type { Reply } from "../../api/server.ts";
import { money } from "../../format/dollars.ts";
import { AmountField, amountIn } from "../../ui/form/amount-field.tsx";
import { Check, Field } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { newIdempotencyKey } from "./tenant-dialogs.tsx";
import type { Tenant } from "./tenants.ts";

type Grant = Reply<"GET /api/operator/organizations/:tenant">["grants"][number];

/** What may still be taken back of a grant, in micros: its amount without all that was taken back of it. */
export const correctable = ({ amount_micros, reversals }: Grant): number =>
  reversals.reduce((left, { amount_micros: taken }) => Math.max(0, left - taken), amount_micros);

type TakeBackProps = { tenant: Tenant; grant: Grant; onClose: () => void };

export function TakeBackDialog({ tenant, grant, onClose }: TakeBackProps) {
  const revoke = useWrite("POST /api/operator/organizations/:tenant/credit/:grant/revoke");
  const [idempotency_key] = useState(newIdempotencyKey); // retries take the credit only once
  async function save({ reason = "", overdraft, ...values }: Record<string, string>) {
    const amount_micros = amountIn(values, {
      name: "amount_micros",
      minMicros: 1,
      maxMicros: correctable(grant),
    });
    const body = { amount_micros, reason: reason.trim(), overdraft: overdraft === "on", idempotency_key };
    await revoke.mutateAsync({ ids: { tenant: tenant.id, grant: grant.id }, body });
  }
  return (
    <FormDialog
      kind="danger"
      title={`Take credit back from ${tenant.name}`}
      submit="Take back"
      onSubmit={save}
      onClose={onClose}
    >
      <p>
        {money(grant.remaining_micros)} of {money(grant.amount_micros)} remain of this grant. What it lacks is
        taken from the organization’s other credit.
      </p>
      <AmountField name="amount_micros" label="Amount" />
      <Field name="reason" label="Reason" hint="Its members read it." required maxLength={200} />
      <Check
        name="overdraft"
        label="Also what was spent already"
        hint="The organization then owes it, and its requests are refused until new credit covers it."
      />
    </FormDialog>
  );
}
