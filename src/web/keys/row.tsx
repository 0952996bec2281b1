/** The columns of the table of keys. */
import { SCOPES } from "../../scopes.ts";
import { useHasRole, useSession } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Badge } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import type { Key, KeyChange, Project } from "./key.ts";

const TONES = { active: "good", revoked: "bad", expired: "warn" } as const;

type KeyColumnsProps = { keys: Key[]; projects: Project[]; onChange: (change: KeyChange) => void };

export function keyColumns({ keys, projects, onChange }: KeyColumnsProps): Column<Key>[] {
  const nameOf = (projectId: string) => projects.find(({ id }) => id === projectId)?.name ?? projectId;
  const byId = new Map(keys.map((key) => [key.id, key]));
  const replacements = new Map(keys.flatMap((key) => (key.rotated_from ? [[key.rotated_from, key]] : [])));
  return [
    {
      name: "Key",
      of: ({ id, name, prefix, last4, rotated_from }) => (
        <>
          <strong>{name}</strong>{" "}
          <Succession after={replacements.get(id)} before={byId.get(rotated_from ?? "")} />
          <code className="second-line">
            {prefix}…{last4}
          </code>
        </>
      ),
    },
    {
      name: "Project",
      of: ({ project_id, environment }) => (
        <>
          {nameOf(project_id)} <Badge tone={environment === "test" ? "info" : "plain"}>{environment}</Badge>
        </>
      ),
    },
    { name: "Scopes", of: ({ scopes }) => <Scopes of={scopes} /> },
    { name: "Status", phone: "side", of: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
    { name: "Expires", of: ({ expires_at }) => <RelativeTime time={expires_at} otherwise="never" /> },
    { name: "Last used", of: ({ last_used_at }) => <RelativeTime time={last_used_at} otherwise="never" /> },
    { name: "Created", phone: "hidden", of: ({ created_at }) => <RelativeTime time={created_at} /> },
    {
      name: "Actions",
      isActions: true,
      of: (key) => <KeyActions of={key} isReplaced={replacements.has(key.id)} onChange={onChange} />,
    },
  ];
}

/** Which of two keys of one name is the new one. */
function Succession({ after, before }: { after: Key | undefined; before: Key | undefined }) {
  if (after) return <Badge tone="warn">replaced by …{after.last4}</Badge>;
  return before ? <Badge>replaces …{before.last4}</Badge> : null;
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

type KeyActionsProps = { of: Key; isReplaced: boolean; onChange: (change: KeyChange) => void };

/** Members manage only the keys they created; only active keys can change. */
function KeyActions({ of: key, isReplaced, onChange }: KeyActionsProps) {
  const { user } = useSession();
  const isAdmin = useHasRole("admin");
  if (key.status !== "active" || !(isAdmin || key.created_by === user.id)) return null;
  const button = (kind: KeyChange["kind"], name: string) => (
    <Button
      kind={kind === "revoke" ? "danger" : "quiet"}
      aria-label={`${name} ${key.name}`}
      onClick={() => onChange({ kind, key })}
    >
      {name}
    </Button>
  );
  return (
    <span className="changes">
      {button("edit", "Edit")}
      {!isReplaced && button("rotate", "Rotate")}
      {button("revoke", "Revoke")}
    </span>
  );
}
