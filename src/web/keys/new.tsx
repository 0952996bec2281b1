/** A new key: what it is for, and then its secret, once. */
import { useState } from "react";
import { useWrite } from "../lib/queries.ts";
import type { Reply } from "../lib/server.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Choice, Field, Form } from "../ui/form/form.tsx";
import { expiryOf, KeyFields, scopesOf } from "./fields.tsx";
import type { Project } from "./keys.tsx";
import { KeySecret } from "./secret.tsx";

type NewKeyProps = { projects: Project[]; onClose: () => void };

export function NewKey({ projects, onClose }: NewKeyProps) {
  const { mutateAsync: create } = useWrite("POST /api/projects/:project/keys");
  const [made, setMade] = useState<Reply<"POST /api/projects/:project/keys"> | null>(null);
  if (made) return <KeySecret title={`The key ${made.name} is ready`} of={made} onClose={onClose} />;
  async function submit(values: Record<string, string>, all: FormData) {
    const { name = "", project = "", environment } = values;
    const body = {
      name,
      environment: environment === "live" ? ("live" as const) : ("test" as const),
      scopes: scopesOf(all),
      expires_at: expiryOf(values) ?? null,
    };
    setMade(await create({ ids: { project }, body }));
  }
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <Form onSubmit={submit} submit="Create the key" actions={<Button onClick={onClose}>Cancel</Button>}>
        <Field
          name="name"
          label="Name"
          placeholder="What will use it"
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
          hint="Live and test work and cost the same; usage and requests tell them apart."
        >
          <option value="live">Live</option>
          <option value="test">Test</option>
        </Choice>
        <KeyFields of={null} />
      </Form>
    </Dialog>
  );
}
