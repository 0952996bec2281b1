/** The settings of the organization, and creating another. */
import { useState } from "react";
import { useWrite } from "../lib/queries.ts";
import { useHasRole, useOrganization } from "../lib/session.ts";
import { CopyButton } from "../ui/button.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import { Card, Page } from "../ui/page.tsx";
import { NewOrganization } from "./new-organization.tsx";

export function Settings() {
  const { id, name, role, tier } = useOrganization();
  return (
    <Page title="Settings">
      <div className="columns">
        <Card title="Organization">
          <dl className="facts">
            <dt>Name</dt>
            <dd>{name}</dd>
            <dt>ID</dt>
            <dd>
              <code>{id}</code> <CopyButton text={id} label="Copy ID" />
            </dd>
            <dt>Your role</dt>
            <dd>{role}</dd>
            <dt>Tier</dt>
            <dd>{tier}</dd>
          </dl>
          {useHasRole("owner") ? <Rename /> : <p className="hint">Only an owner can rename it.</p>}
        </Card>
        <NewOrganization title="Create another organization" />
      </div>
    </Page>
  );
}

function Rename() {
  const { id, name: before } = useOrganization();
  const { mutateAsync: rename } = useWrite("PATCH /api/organizations/:organization");
  const [renamed, setRenamed] = useState(false);
  return (
    <Form
      submit="Rename"
      actions={<span role="status">{renamed && "Renamed."}</span>}
      onSubmit={async ({ name = "" }) => {
        setRenamed(false);
        await rename({ ids: { organization: id }, body: { name } });
        setRenamed(true);
      }}
    >
      <Field name="name" label="New name" defaultValue={before} maxLength={100} autoComplete="off" required />
    </Form>
  );
}
