/** Creates a key and shows its secret once. */
import { useState } from "react";
import { useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Field, Form } from "../ui/form/form.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { expiryOf, KeyFields, scopesOf } from "./fields.tsx";
import type { Project } from "./key.ts";
import { KeySecret } from "./secret.tsx";

type NewKeyProps = { projects: Project[]; onClose: () => void };

export function NewKey({ projects, onClose }: NewKeyProps) {
  const { mutateAsync: create } = useWrite("POST /api/projects/:project/keys");
  const [created, setCreated] = useState<Reply<"POST /api/projects/:project/keys"> | null>(null);
  if (created) return <KeySecret title={`The key ${created.name} is ready`} of={created} onClose={onClose} />;
  async function submit(values: Record<string, string>, all: FormData) {
    const { name = "", project = "", environment } = values;
    const body = {
      name,
      environment: environment === "live" ? ("live" as const) : ("test" as const),
      scopes: scopesOf(all),
      expires_at: expiryOf(values) ?? null,
    };
    setCreated(await create({ ids: { project }, body }));
  }
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <Form onSubmit={submit} submit="Create key" actions={<Button onClick={onClose}>Cancel</Button>}>
        <Field
          name="name"
          label="Name"
          placeholder="Where it will be used"
          maxLength={100}
          autoComplete="off"
          required
        />
        <Choice name="project" label="Project">
          {projects
            .filter(({ status }) => status === "active")
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </Choice>
        <Choice
          name="environment"
          label="Environment"
          hint="Live and test keys work and cost the same. Usage and requests are reported separately."
        >
          <option value="live">Live</option>
          <option value="test">Test</option>
        </Choice>
        <KeyFields of={null} />
      </Form>
    </Dialog>
  );
}
