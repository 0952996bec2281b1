/** The dialog of an action on an organization. */
import { PlanDialog } from "./plan-dialog.tsx";
import { StatusDialog } from "./status-dialog.tsx";
import { CreditDialog, LimitsDialog, SpendingDialog } from "./tenant-dialogs.tsx";
import type { Tenant } from "./tenants.ts";

const DIALOGS = {
  plan: PlanDialog,
  limits: LimitsDialog,
  spending: SpendingDialog,
  credit: CreditDialog,
  status: StatusDialog,
};
export type TenantAction = keyof typeof DIALOGS;

type TenantDialogProps = { action: TenantAction; tenant: Tenant; onClose: () => void };

export function TenantDialog({ action, ...props }: TenantDialogProps) {
  const Dialog = DIALOGS[action];
  return <Dialog {...props} />;
}
