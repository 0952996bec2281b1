/** Asks before an organization is suspended, and resumes a suspended one. */
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import type { Tenant } from "./tenants.ts";

type StatusDialogProps = { tenant: Tenant; onClose: () => void };

export function StatusDialog({ tenant: { id, name, status }, onClose }: StatusDialogProps) {
  const [isSuspending] = useState(status === "active"); // the record changes before the dialog closes
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  const set = (next: Tenant["status"]) => change.mutateAsync({ ids: { tenant: id }, body: { status: next } });
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
