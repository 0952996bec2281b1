/** Asks before an organization is suspended, and resumes a suspended one. */
import { useState } from "react";
import { useWrite } from "../../lib/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Confirm } from "../../ui/form/confirm.tsx";
import { Form } from "../../ui/form/form.tsx";
import type { Tenant } from "./tenants.ts";

type StatusDialogProps = { tenant: Tenant; onClose: () => void };

export function StatusDialog({ tenant: { id, name, status }, onClose }: StatusDialogProps) {
  const [isSuspending] = useState(status === "active"); // the record changes before the dialog closes
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  const set = (next: Tenant["status"]) => change.mutateAsync({ ids: { tenant: id }, body: { status: next } });
  if (isSuspending)
    return (
      <Confirm
        title={`Suspend ${name}?`}
        submit="Suspend"
        onConfirm={() => set("suspended")}
        onClose={onClose}
      >
        <p>
          Its API keys are refused within a second, and its live sessions end within half a minute. Its
          members can still sign in and are shown why. No card is charged automatically.
        </p>
        <p>Nothing is deleted: you can resume it at any time.</p>
      </Confirm>
    );
  return (
    <Dialog title={`Resume ${name}?`} onClose={onClose}>
      <Form
        submit="Resume"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async () => {
          await set("active");
          onClose();
        }}
      >
        <p>Its API keys are accepted again within a second, with its plan, credit and limits as they were.</p>
      </Form>
    </Dialog>
  );
}
