/** Creates an organization that the operator owns, and can invite its people to. */
import { useLocation } from "wouter";
import { useWrite } from "../../lib/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Form } from "../../ui/form/form.tsx";

export function NewTenant({ onClose }: { onClose: () => void }) {
  const { mutateAsync: create } = useWrite("POST /api/organizations");
  const [, navigate] = useLocation();
  return (
    <Dialog title="New organization" onClose={onClose}>
      <Form
        submit="Create organization"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name = "" }) => {
          const { id } = await create({ body: { name } });
          navigate(`/operator/organizations/${id}`);
        }}
      >
        <p>You are its owner. Invite its members under Members, and choose its plan on its page.</p>
        <Field name="name" label="Name" maxLength={100} autoComplete="off" required />
      </Form>
    </Dialog>
  );
}
