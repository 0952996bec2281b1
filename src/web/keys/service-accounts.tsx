/** The service accounts of the organization, and making keys for them. */

import { useState } from "react";
import { Link } from "wouter";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { count } from "../format/numbers.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Name } from "../ui/name.tsx";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { EnvironmentChoice, environmentOf, expiryOf, KeyFields, ProjectChoice, scopesOf } from "./fields.tsx";
import type { Project } from "./key.ts";
import { NewKeyDialog } from "./secret.tsx";

type Account = Reply<"GET /api/organizations/:organization/service-accounts">["data"][number];
type Change = { kind: "create" } | { kind: "key" | "delete"; account: Account };

export function ServiceAccounts() {
  const { id } = useOrganization();
  const [change, setChange] = useState<Change | null>(null);
  const ids = { organization: id };
  const projects = useRead("GET /api/organizations/:organization/projects", { ids });
  const accounts = useRead("GET /api/organizations/:organization/service-accounts", { ids });
  const projectList = projects.data?.data ?? [];
  const close = () => setChange(null);
  const create = (
    <Button kind="primary" disabled={!projects.data} onClick={() => setChange({ kind: "create" })}>
      Create service account
    </Button>
  );
  return (
    <Card title="Service accounts" actions={create}>
      <p className="hint">
        The keys of a service account belong to no person: they go on working when the member who created them
        leaves.
      </p>
      <QueryBoundary of={accounts}>
        {({ data }) => (
          <Table
            caption="Service accounts"
            columns={columns({ organizationId: id, projects: projectList, onChange: setChange })}
            rows={data}
            keyOf={(account) => account.id}
            empty="No service accounts yet. Create one for each program that runs without a person."
          />
        )}
      </QueryBoundary>
      {change?.kind === "create" && <NewServiceAccount projects={projectList} onClose={close} />}
      {change?.kind === "key" && <NewKey of={change.account} onClose={close} />}
      {change?.kind === "delete" && <Delete of={change.account} onClose={close} />}
    </Card>
  );
}

type ColumnsProps = { organizationId: string; projects: Project[]; onChange: (change: Change) => void };

function columns({ organizationId, projects, onChange }: ColumnsProps): Column<Account>[] {
  const nameOf = (projectId: string) => projects.find(({ id }) => id === projectId)?.name ?? projectId;
  return [
    {
      name: "Service account",
      of: ({ id, name }) => (
        <>
          <strong>
            <Name of={name} />
          </strong>
          <code className="second-line">{id}</code>
        </>
      ),
    },
    { name: "Project", of: ({ project_id }) => nameOf(project_id) },
    {
      name: "Active keys",
      numeric: true,
      of: ({ name, project_id, keys }) => (
        <Link
          href={`${hrefOf(organizationId, "keys")}?project_id=${project_id}`}
          aria-label={`Keys of ${name}`}
        >
          {count(keys)}
        </Link>
      ),
    },
    { name: "Last used", of: ({ last_used_at }) => <RelativeTime time={last_used_at} otherwise="never" /> },
    { name: "Created", phone: "hidden", of: ({ created_at }) => <RelativeTime time={created_at} /> },
    {
      name: "Actions",
      isActions: true,
      of: (account) => (
        <span className="changes">
          <Button
            kind="quiet"
            aria-label={`Create key of ${account.name}`}
            onClick={() => onChange({ kind: "key", account })}
          >
            Create key
          </Button>
          <Button
            kind="danger"
            aria-label={`Delete ${account.name}`}
            onClick={() => onChange({ kind: "delete", account })}
          >
            Delete
          </Button>
        </span>
      ),
    },
  ];
}

const nameField = {
  ...{ name: "name", label: "Name", maxLength: 100, autoComplete: "off", required: true },
} as const;

function NewServiceAccount({ projects, onClose }: { projects: Project[]; onClose: () => void }) {
  const { mutateAsync: create } = useWrite("POST /api/projects/:project/service-accounts");
  return (
    <NewKeyDialog
      title="Create a service account"
      submit="Create service account"
      make={({ project = "", ...values }, all) => create({ ids: { project }, body: keyOf(values, all) })}
      ready={({ name }) => `The key of ${name} is ready`}
      onClose={onClose}
    >
      <p>Its first key has the same name. You can create more afterwards.</p>
      <Field {...nameField} placeholder="The program that uses it" />
      <ProjectChoice of={projects} />
      <EnvironmentChoice />
      <KeyFields of={null} />
    </NewKeyDialog>
  );
}

function NewKey({ of: account, onClose }: { of: Account; onClose: () => void }) {
  const { mutateAsync: create } = useWrite("POST /api/service-accounts/:serviceAccount/keys");
  return (
    <NewKeyDialog
      title={`Create a key of ${account.name}`}
      submit="Create key"
      make={(values, all) => create({ ids: { serviceAccount: account.id }, body: keyOf(values, all) })}
      ready={({ name }) => `The key ${name} is ready`}
      onClose={onClose}
    >
      <Field {...nameField} defaultValue={account.name} />
      <EnvironmentChoice />
      <KeyFields of={null} />
    </NewKeyDialog>
  );
}

const keyOf = ({ name = "", ...values }: Record<string, string>, all: FormData) => ({
  ...{ name, environment: environmentOf(values), scopes: scopesOf(all) },
  expires_at: expiryOf(values) ?? null,
});

function Delete({ of: account, onClose }: { of: Account; onClose: () => void }) {
  const { mutateAsync: remove } = useWrite("DELETE /api/service-accounts/:serviceAccount");
  return (
    <FormDialog
      kind="danger"
      title={`Delete ${account.name}?`}
      submit="Delete service account"
      onSubmit={() => remove({ ids: { serviceAccount: account.id } })}
      onClose={onClose}
    >
      <p>
        All of its keys ({count(account.keys)} active) are revoked immediately, and requests with them are
        rejected. Its usage stays in the reports. This cannot be undone.
      </p>
    </FormDialog>
  );
}
