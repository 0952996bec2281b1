/** The columns of the table of keys. */
import { useHasRole, useSession } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Badge } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { SCOPES } from "./fields.tsx";
import type { Key, KeyChange, Project } from "./key.ts";

const TONES = { active: "good", revoked: "bad", expired: "warn" } as const;

export function keyColumns(projects: Project[], onChange: (change: KeyChange) => void): Column<Key>[] {
  const nameOf = (projectId: string) => projects.find(({ id }) => id === projectId)?.name ?? projectId;
  return [
    {
      name: "Key",
      of: ({ name, prefix, last4 }) => (
        <>
          <strong>{name}</strong>
          <br />
          <code>
            {prefix}…{last4}
          </code>
        </>
      ),
    },
    {
      name: "Project",
      of: ({ project_id, environment }) => (
        <>
          {nameOf(project_id)} <Badge>{environment}</Badge>
        </>
      ),
    },
    { name: "Scopes", of: ({ scopes }) => <Scopes of={scopes} /> },
    { name: "Status", of: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
    { name: "Expires", of: ({ expires_at }) => <RelativeTime time={expires_at} otherwise="never" /> },
    { name: "Last used", of: ({ last_used_at }) => <RelativeTime time={last_used_at} otherwise="never" /> },
    { name: "Created", of: ({ created_at }) => <RelativeTime time={created_at} /> },
    { name: "Actions", of: (key) => <KeyActions of={key} onChange={onChange} /> },
  ];
}

function Scopes({ of: scopes }: { of: string[] }) {
  if (scopes.length === SCOPES.length) return "all";
  return (
    <ul className="scopes">
      {scopes.map((scope) => (
        <li key={scope}>
          <code>{scope}</code>
        </li>
      ))}
    </ul>
  );
}

/** Members manage only the keys they created; only active keys can change. */
function KeyActions({ of: key, onChange }: { of: Key; onChange: (change: KeyChange) => void }) {
  const { user } = useSession();
  const isAdmin = useHasRole("admin");
  if (key.status !== "active" || !(isAdmin || key.created_by === user.id)) return null;
  const button = (kind: KeyChange["kind"], name: string) => (
    <Button kind="quiet" aria-label={`${name} ${key.name}`} onClick={() => onChange({ kind, key })}>
      {name}
    </Button>
  );
  return (
    <span className="changes">
      {button("edit", "Edit")}
      {button("rotate", "Rotate")}
      {button("revoke", "Revoke")}
    </span>
  );
}
