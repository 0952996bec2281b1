/** Dialogs for an organization: its limits, its monthly spending limit, its credit. */
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { SpendingLimitFields, spendingLimitIn } from "../../billing/spending-limit-fields.tsx";
import { money } from "../../format/dollars.ts";
import { count } from "../../format/numbers.ts";
import { AmountField, amountIn } from "../../ui/form/amount-field.tsx";
import { Field } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import type { Tenant } from "./tenants.ts";

type TenantProps = { tenant: Tenant; onClose: () => void };

const LIMITS = {
  requests_per_minute: "Requests per minute",
  concurrent_requests: "Concurrent requests",
  tts_characters_per_minute: "Characters synthesized per minute",
  stt_seconds_per_minute: "Seconds transcribed per minute",
  waiting_jobs: "Jobs that wait",
  running_jobs: "Jobs that run at once",
  job_seconds: "Seconds of a job's recording",
  stored_bytes: "Bytes of stored files",
};

function defaultsOf({ plan, tier }: Tenant): string {
  if (plan === "unmetered") return "machine";
  return tier === "paid" ? "Paid tier" : "Free tier";
}

export function LimitsDialog({ tenant, onClose }: TenantProps) {
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  const overrides: Record<string, number | undefined> = tenant.limit_overrides ?? {};
  const defaults: Record<string, number | undefined> = tenant.default_limits;
  async function save(values: Record<string, string>) {
    const set = Object.entries(values).filter(([, text]) => text.trim() !== "");
    const limit_overrides =
      set.length === 0 ? null : Object.fromEntries(set.map(([name, text]) => [name, Number(text)]));
    await change.mutateAsync({ ids: { tenant: tenant.id }, body: { limit_overrides } });
  }
  return (
    <FormDialog title={`Limits of ${tenant.name}`} onClose={onClose} submit="Save limits" onSubmit={save}>
      <p>Empty fields use the limits of the {defaultsOf(tenant)}.</p>
      {Object.entries(LIMITS).map(([name, label]) => (
        <Field
          key={name}
          name={name}
          label={label}
          type="number"
          min={0}
          step={1}
          placeholder={count(defaults[name] ?? 0)}
          defaultValue={overrides[name]}
        />
      ))}
    </FormDialog>
  );
}

export function SpendingDialog({ tenant, onClose }: TenantProps) {
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  return (
    <FormDialog
      title={`Monthly spending limit of ${tenant.name}`}
      onClose={onClose}
      submit="Save limit"
      onSubmit={(values) => change.mutateAsync({ ids: { tenant: tenant.id }, body: spendingLimitIn(values) })}
    >
      <p>Spent this month: {money(tenant.month_to_date_micros)}.</p>
      <SpendingLimitFields limit={tenant.monthly_spending_limit_micros} />
    </FormDialog>
  );
}

/** Not `randomUUID`, which browsers offer on HTTPS only. */
export const newIdempotencyKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

export function CreditDialog({ tenant, onClose }: TenantProps) {
  const grant = useWrite("POST /api/operator/organizations/:tenant/credit");
  const [idempotency_key] = useState(newIdempotencyKey); // retries grant the credit only once
  async function save(values: Record<string, string>) {
    const amount_micros = amountIn(values, {
      name: "amount_micros",
      minMicros: 1,
      maxMicros: 1_000_000_000_000,
    });
    const days = values.days ? Number(values.days) : null;
    const reason = values.reason?.trim() || null;
    const body = { amount_micros, days, reason, idempotency_key };
    await grant.mutateAsync({ ids: { tenant: tenant.id }, body });
  }
  return (
    <FormDialog
      title={`Grant credit to ${tenant.name}`}
      onClose={onClose}
      submit="Grant credit"
      onSubmit={save}
    >
      <p>
        Current balance: {money(tenant.balance_micros)}.
        {tenant.overdraft_micros > 0 &&
          ` The overdraft of ${money(tenant.overdraft_micros)} is paid off first.`}
      </p>
      <AmountField name="amount_micros" label="Amount" />
      <Field
        name="days"
        label="Valid for (days)"
        hint="Leave empty for credit that does not expire."
        type="number"
        min={1}
        max={36_500}
        step={1}
      />
      <Field name="reason" label="Reason" hint="Its members read it. Optional." maxLength={200} />
    </FormDialog>
  );
}
