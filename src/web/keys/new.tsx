/** Creates a key and shows its secret once. */
import { useState } from "react";
import { useWrite } from "../api/queries.ts";
import { useHasRole } from "../api/session.ts";
import { CapFields, restrictionsIn } from "../caps/cap-fields.tsx";
import { Check, Field } from "../ui/form/form.tsx";
import { EnvironmentChoice, environmentOf, expiryOf, KeyFields, ProjectChoice, scopesOf } from "./fields.tsx";
import type { Project } from "./key.ts";
import { NewKeyDialog } from "./secret.tsx";

type NewKeyProps = { projects: Project[]; onClose: () => void };

export function NewKey({ projects, onClose }: NewKeyProps) {
  const { mutateAsync: create } = useWrite("POST /api/projects/:project/keys");
  const isAdmin = useHasRole("admin");
  const [isRestricting, setRestricting] = useState(false);
  function make(values: Record<string, string>, all: FormData) {
    const { name = "", project = "" } = values;
    const body = {
      name,
      environment: environmentOf(values),
      scopes: scopesOf(all),
      expires_at: expiryOf(values) ?? null,
      ...(isRestricting && { restrictions: restrictionsIn(values) }),
    };
    return create({ ids: { project }, body });
  }
  return (
    <NewKeyDialog
      {...{ title: "Create a key", submit: "Create key", make, onClose }}
      ready={({ name }) => `The key ${name} is ready`}
    >
      <Field
        name="name"
        label="Name"
        placeholder="Where it will be used"
        maxLength={100}
        autoComplete="off"
        required
      />
      <ProjectChoice of={projects} />
      <EnvironmentChoice />
      <KeyFields of={null} />
      {isAdmin && (
        <Check
          name="restricting"
          label="Restrict it, in place of what its project has for new keys"
          checked={isRestricting}
          onChange={(event) => setRestricting(event.target.checked)}
        />
      )}
      {isRestricting && <CapFields of={null} hasAddresses isNew />}
    </NewKeyDialog>
  );
}
