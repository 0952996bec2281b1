/** Creates an organization that the operator owns, and can invite its people to. */
import { useLocation } from "wouter";
import { useWrite } from "../../api/queries.ts";
import { Field } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";

export function NewTenant({ onClose }: { onClose: () => void }) {
  const { mutateAsync: create } = useWrite("POST /api/organizations");
  const [, navigate] = useLocation();
  return (
    <FormDialog
      title="New organization"
      onClose={onClose}
      submit="Create organization"
      onSubmit={async ({ name = "" }) => {
        const { id } = await create({ body: { name } });
        navigate(`/operator/organizations/${id}`);
      }}
    >
      <p>You are its owner. Invite its members under Members, and choose its plan on its page.</p>
      <Field name="name" label="Name" maxLength={100} autoComplete="off" required />
    </FormDialog>
  );
}
