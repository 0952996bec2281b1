/** The dialogs of actions on an organization: its plan, its status, and the others by their files. */

import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { money } from "../../format/dollars.ts";
import { Choice } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { PriceFactorDialog } from "./price-factor-dialog.tsx";
import { DeleteDialog, UndoDialog } from "./tenant-deletion.tsx";
import { CreditDialog, LimitsDialog, SpendingDialog } from "./tenant-dialogs.tsx";
import type { Tenant } from "./tenants.ts";

const DIALOGS = {
  plan: PlanDialog,
  limits: LimitsDialog,
  spending: SpendingDialog,
  prices: PriceFactorDialog,
  credit: CreditDialog,
  status: StatusDialog,
  delete: DeleteDialog,
  undo: UndoDialog,
};
export type TenantAction = keyof typeof DIALOGS;

type TenantDialogProps = { action: TenantAction; tenant: Tenant; onClose: () => void };

export function TenantDialog({ action, ...props }: TenantDialogProps) {
  const Dialog = DIALOGS[action];
  return <Dialog {...props} />;
}

type PlanDialogProps = { tenant: Tenant; onClose: () => void };

const PLANS: Record<Tenant["plan"], string> = {
  unmetered: "Unmetered: needs no credit",
  prepaid: "Prepaid: credit pays for every request",
};

/** Changes the plan of an organization. */
function PlanDialog({ tenant, onClose }: PlanDialogProps) {
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

type StatusDialogProps = { tenant: Tenant; onClose: () => void };

/** Asks before an organization is suspended, and resumes a suspended one. */
function StatusDialog({ tenant: { id, name, status }, onClose }: StatusDialogProps) {
  const [isSuspending] = useState(status === "active"); // the record changes before the dialog closes
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  const set = (next: "active" | "suspended") =>
    change.mutateAsync({ ids: { tenant: id }, body: { status: next } });
  if (isSuspending)
    return (
      <FormDialog
        kind="danger"
        title={`Suspend ${name}?`}
        submit="Suspend"
        onSubmit={() => set("suspended")}
        onClose={onClose}
      >
        <p>
          Its API keys are refused within a second, and its live sessions end within half a minute. Its
          members can still sign in and are shown why. No card is charged automatically.
        </p>
        <p>Nothing is deleted: you can resume it at any time.</p>
      </FormDialog>
    );
  return (
    <FormDialog title={`Resume ${name}?`} onClose={onClose} submit="Resume" onSubmit={() => set("active")}>
      <p>Its API keys are accepted again within a second, with its plan, credit and limits as they were.</p>
    </FormDialog>
  );
}
