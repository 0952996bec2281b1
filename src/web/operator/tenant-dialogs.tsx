/** What an operator changes of an organization: its limits, what its month may cost, its credit. */
import { type ReactNode, useState } from "react";
import { dollarsOf } from "../lib/amount.ts";
import { money } from "../lib/format.ts";
import { useWrite } from "../lib/queries.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { AmountField, amountIn } from "../ui/form/amount-field.tsx";
import { Check, Field, Form } from "../ui/form/form.tsx";
import type { Tenant } from "./tenants.ts";

type TenantProps = { tenant: Tenant; onClose: () => void };

const LIMITS = {
  requests_per_minute: "Requests per minute",
  concurrent_requests: "Concurrent requests",
  tts_characters_per_minute: "Characters spoken per minute",
  stt_seconds_per_minute: "Seconds heard per minute",
};

const cancel = (onClose: () => void): ReactNode => <Button onClick={onClose}>Cancel</Button>;

export function LimitsDialog({ tenant, onClose }: TenantProps) {
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  const own: Record<string, number | undefined> = tenant.limit_overrides ?? {};
  async function save(values: Record<string, string>) {
    const set = Object.entries(values).filter(([, text]) => text.trim() !== "");
    const limit_overrides =
      set.length === 0 ? null : Object.fromEntries(set.map(([name, text]) => [name, Number(text)]));
    await change.mutateAsync({ ids: { tenant: tenant.id }, body: { limit_overrides } });
    onClose();
  }
  return (
    <Dialog title={`Limits of ${tenant.name}`} onClose={onClose}>
      <Form submit="Save limits" onSubmit={save} actions={cancel(onClose)}>
        <p>What is left empty is as the {tenant.tier === "paid" ? "Paid" : "Free"} tier has it.</p>
        {Object.entries(LIMITS).map(([name, label]) => (
          <Field
            key={name}
            name={name}
            label={label}
            type="number"
            min={0}
            step={1}
            placeholder="As the tier has it"
            defaultValue={own[name]}
          />
        ))}
      </Form>
    </Dialog>
  );
}

export function SpendingDialog({ tenant, onClose }: TenantProps) {
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  const limit = tenant.monthly_spending_limit_micros;
  const [limited, setLimited] = useState(limit !== null);
  const name = "monthly_spending_limit_micros";
  async function save(values: Record<string, string>) {
    const monthly_spending_limit_micros = limited ? amountIn(values, { name }) : null;
    await change.mutateAsync({ ids: { tenant: tenant.id }, body: { monthly_spending_limit_micros } });
    onClose();
  }
  return (
    <Dialog title={`Monthly limit of ${tenant.name}`} onClose={onClose}>
      <Form submit="Save limit" onSubmit={save} actions={cancel(onClose)}>
        <p>This month has cost {money(tenant.month_to_date_micros)} so far.</p>
        <Check
          name="limited"
          label="Limit what a month may cost"
          checked={limited}
          onChange={(event) => setLimited(event.target.checked)}
        />
        {limited && (
          <AmountField name={name} label="Limit" defaultValue={limit === null ? "" : dollarsOf(limit)} />
        )}
      </Form>
    </Dialog>
  );
}

/** Also where a browser offers no `randomUUID`: on plain HTTP. */
const newIdempotencyKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

export function CreditDialog({ tenant, onClose }: TenantProps) {
  const give = useWrite("POST /api/operator/organizations/:tenant/credit");
  const [idempotency_key] = useState(newIdempotencyKey); // a second click or a repeated request gives nothing more
  async function save(values: Record<string, string>) {
    const amount_micros = amountIn(values, { name: "amount_micros", least: 1, most: 1_000_000_000_000 });
    const days = values.days ? Number(values.days) : null;
    await give.mutateAsync({ ids: { tenant: tenant.id }, body: { amount_micros, days, idempotency_key } });
    onClose();
  }
  return (
    <Dialog title={`Give credit to ${tenant.name}`} onClose={onClose}>
      <Form submit="Give credit" onSubmit={save} actions={cancel(onClose)}>
        <p>
          {tenant.name} has {money(tenant.balance_micros)} now.
          {tenant.overdraft_micros > 0 &&
            ` Its overdraft of ${money(tenant.overdraft_micros)} is paid off first.`}
        </p>
        <AmountField name="amount_micros" label="Amount" />
        <Field
          name="days"
          label="Good for so many days"
          hint="Left empty, it does not expire."
          type="number"
          min={1}
          max={36_500}
          step={1}
        />
      </Form>
    </Dialog>
  );
}
