/** The dialogs that delete an organization, in seven days or now, and undo it while there is time. */
import { useWrite } from "../../api/queries.ts";
import { distance } from "../../format/times.ts";
import { Check, Field } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import type { Tenant } from "./tenants.ts";

type DialogProps = { tenant: Tenant; onClose: () => void };

export function DeleteDialog({ tenant: { id, name }, onClose }: DialogProps) {
  const { mutateAsync: ask } = useWrite("POST /api/operator/organizations/:tenant/delete");
  return (
    <FormDialog
      kind="danger"
      title={`Delete ${name}?`}
      submit="Delete"
      onSubmit={({ name: typed = "", now }) =>
        ask({ ids: { tenant: id }, body: { name: typed, now: now !== undefined } })
      }
      onClose={onClose}
    >
      <p>
        Its API keys are refused within a second. In seven days it is deleted with its voices, recordings,
        files and request logs; until then its owners and you can undo that. Charges, credit and invoices are
        kept.
      </p>
      <Check name="now" label="Delete it now" hint="This cannot be undone." />
      <Field name="name" label={`Type its name: ${name}`} autoComplete="off" required />
    </FormDialog>
  );
}

export function UndoDialog({ tenant: { id, name, delete_at }, onClose }: DialogProps) {
  const { mutateAsync: undo } = useWrite("POST /api/operator/organizations/:tenant/delete/undo");
  return (
    <FormDialog
      title={`Keep ${name}?`}
      submit="Keep it"
      onSubmit={() => undo({ ids: { tenant: id } })}
      onClose={onClose}
    >
      <p>
        {delete_at !== null && `It would be deleted ${distance(delete_at)}. `}
        Its API keys are accepted again within a second.
      </p>
    </FormDialog>
  );
}
