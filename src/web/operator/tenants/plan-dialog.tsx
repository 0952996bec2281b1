/** Changes the plan of an organization. */

import { useWrite } from "../../api/queries.ts";
import { money } from "../../format/dollars.ts";
import { Choice } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import type { Tenant } from "./tenants.ts";

type PlanDialogProps = { tenant: Tenant; onClose: () => void };

const PLANS: Record<Tenant["plan"], string> = {
  unmetered: "Unmetered: needs no credit",
  prepaid: "Prepaid: credit pays for every request",
};

export function PlanDialog({ tenant, onClose }: PlanDialogProps) {
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  async function save({ plan }: Record<string, string>) {
    await change.mutateAsync({ ids: { tenant: tenant.id }, body: { plan: plan as Tenant["plan"] } });
  }
  return (
    <FormDialog title={`Plan of ${tenant.name}`} onClose={onClose} submit="Save plan" onSubmit={save}>
      <Choice name="plan" label="Plan" defaultValue={tenant.plan}>
        {Object.entries(PLANS).map(([plan, name]) => (
          <option key={plan} value={plan}>
            {name}
          </option>
        ))}
      </Choice>
      <p>
        Usage is recorded at list price on both plans. A prepaid organization gets $5 of starting credit for
        30 days, once. The balance of {money(tenant.balance_micros)} stays as it is.
      </p>
      <p className="hint">Requests in flight are settled under the plan that they began with.</p>
    </FormDialog>
  );
}
