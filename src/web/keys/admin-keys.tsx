/** The admin keys of the organization: programs read its usage and manage it with them. */

import { useState } from "react";
import { ADMIN_SCOPES, type AdminScope } from "../../scopes.ts";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { apiBase } from "../browser/addresses.ts";
import { Button } from "../ui/button.tsx";
import { Check, Field } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Name } from "../ui/name.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { Expiry, expiryOf } from "./fields.tsx";
import { Scopes, TONES } from "./row.tsx";
import { NewKeyDialog } from "./secret.tsx";

type AdminKey = Reply<"POST /api/admin-keys/:adminKey/revoke">;
type Created = Reply<"POST /api/organizations/:organization/admin-keys">;

const DESCRIPTIONS: Record<AdminScope, string> = {
  "usage:read": "usage and costs",
  "organization:read": "projects, keys, members and settings",
  "organization:write": "change them, as an owner may",
  "webhooks:write": "manage webhooks",
};

/** The most that one answer has. */
const SHOWN = 100;

export function AdminKeys() {
  const { id } = useOrganization();
  const [open, setOpen] = useState<"new" | AdminKey | null>(null);
  const keys = useRead("GET /api/organizations/:organization/admin-keys", {
    ids: { organization: id },
    query: { limit: SHOWN },
  });
  return (
    <Card title="Admin keys" actions={<Button onClick={() => setOpen("new")}>Create admin key</Button>}>
      <p className="hint">
        For programs that read usage and costs or manage the organization at <code>/v1/organization</code>.
        They cannot speak or transcribe. Each ends when the owner who created it stops being one.
      </p>
      <QueryBoundary of={keys}>
        {({ data, has_more }) => (
          <>
            <Table
              caption="Admin keys"
              columns={columns(setOpen)}
              rows={data}
              keyOf={(key) => key.id}
              empty="No admin keys yet."
            />
            {has_more && <p className="hint">The {SHOWN} newest are shown.</p>}
          </>
        )}
      </QueryBoundary>
      {open === "new" && <NewAdminKey onClose={() => setOpen(null)} />}
      {open && open !== "new" && <Revoke of={open} onClose={() => setOpen(null)} />}
    </Card>
  );
}

const columns = (onRevoke: (key: AdminKey) => void): Column<AdminKey>[] => [
  {
    name: "Admin key",
    of: ({ name, last4 }) => (
      <>
        <strong>
          <Name of={name} />
        </strong>
        <code className="second-line">sk_admin_…{last4}</code>
      </>
    ),
  },
  { name: "Scopes", of: ({ scopes }) => <Scopes of={scopes} all={ADMIN_SCOPES} /> },
  { name: "Status", phone: "side", of: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { name: "Expires", of: ({ expires_at }) => <RelativeTime time={expires_at} otherwise="never" /> },
  { name: "Last used", of: ({ last_used_at }) => <RelativeTime time={last_used_at} otherwise="never" /> },
  { name: "Created", phone: "hidden", of: ({ created_at }) => <RelativeTime time={created_at} /> },
  {
    name: "Actions",
    isActions: true,
    of: (key) =>
      key.status === "active" && (
        <span className="changes">
          <Button kind="danger" aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
            Revoke
          </Button>
        </span>
      ),
  },
];

function NewAdminKey({ onClose }: { onClose: () => void }) {
  const { id } = useOrganization();
  const { mutateAsync: create } = useWrite("POST /api/organizations/:organization/admin-keys");
  function make({ name = "", ...values }: Record<string, string>, all: FormData) {
    const scopes = all.getAll("scope") as AdminScope[];
    const body = { name, scopes, expires_at: expiryOf(values) ?? null };
    return create({ ids: { organization: id }, body });
  }
  return (
    <NewKeyDialog
      {...{ title: "Create an admin key", submit: "Create admin key", make, command: commandOf, onClose }}
      ready={({ name }) => `The admin key ${name} is ready`}
    >
      <Field
        {...{ name: "name", label: "Name", placeholder: "What uses it", maxLength: 100 }}
        autoComplete="off"
        required
      />
      <fieldset>
        <legend>Scopes</legend>
        {ADMIN_SCOPES.map((scope) => (
          <Check
            key={scope}
            name="scope"
            value={scope}
            label={`${scope}: ${DESCRIPTIONS[scope]}`}
            defaultChecked={!scope.endsWith(":write")}
          />
        ))}
      </fieldset>
      <Expiry of={null} />
    </NewKeyDialog>
  );
}

/** A call that the key's scopes allow. */
function commandOf({ secret, scopes }: Created): string {
  const start = new Date();
  const weekAgo = Math.floor(start.setDate(start.getDate() - 7) / 1000);
  const path = scopes.includes("usage:read") ? `costs?start_time=${weekAgo}` : "projects";
  return `curl "${apiBase()}/organization/${path}" \\\n  -H "Authorization: Bearer ${secret}"`;
}

function Revoke({ of: key, onClose }: { of: AdminKey; onClose: () => void }) {
  const { mutateAsync: revoke } = useWrite("POST /api/admin-keys/:adminKey/revoke");
  return (
    <FormDialog
      kind="danger"
      title={`Revoke ${key.name}?`}
      submit="Revoke admin key"
      onSubmit={() => revoke({ ids: { adminKey: key.id } })}
      onClose={onClose}
    >
      <p>
        Requests with <code>sk_admin_…{key.last4}</code> are rejected within a second. What was made with it
        stays. This cannot be undone.
      </p>
    </FormDialog>
  );
}
