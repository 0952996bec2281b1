/** What a project may use at most, and what its new keys may. */
import { useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { CapFields, restrictionsIn } from "../caps/cap-fields.tsx";
import { Check } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";

type ProjectProps = { of: Reply<"GET /api/projects/:project">; onClose: () => void };

export function RestrictProject({
  of: { id, name, restrictions, default_key_restrictions: ofKeys },
  onClose,
}: ProjectProps) {
  const { mutateAsync: change } = useWrite("PATCH /api/projects/:project");
  async function submit(values: Record<string, string>) {
    const { addresses: _, ...fields } = restrictionsIn(values);
    const keys = values.for_keys ? { default_key_restrictions: fields } : {};
    const reset = values.reset_budget ? { reset_budget: true } : {};
    await change({ ids: { project: id }, body: { restrictions: fields, ...keys, ...reset } });
  }
  return (
    <FormDialog title={`Restrict ${name}`} onClose={onClose} submit="Save" onSubmit={submit}>
      <p className="hint">All keys of the project together may use this. Empty fields restrict nothing.</p>
      <CapFields of={restrictions} hasAddresses={false} isNew={false} />
      <Check
        name="for_keys"
        label="Each new key of the project has the same"
        hint={
          ofKeys === null ? undefined : "New keys have restrictions of their own now, which this replaces."
        }
      />
    </FormDialog>
  );
}
