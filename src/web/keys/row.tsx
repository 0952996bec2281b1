/** The columns of the table of keys. */
import { SCOPES } from "../../scopes.ts";
import { useHasRole, useSession } from "../api/session.ts";
import { useNow } from "../browser/now.ts";
import { Caps } from "../caps/budget-use.tsx";
import { Button } from "../ui/button.tsx";
import { Name } from "../ui/name.tsx";
import { Badge } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import type { Key, KeyChange, Project } from "./key.ts";

export const TONES = { active: "good", revoked: "bad", expired: "warn" } as const;

type KeyColumnsProps = { keys: Key[]; projects: Project[]; onChange: (change: KeyChange) => void };

export function keyColumns({ keys, projects, onChange }: KeyColumnsProps): Column<Key>[] {
  const nameOf = (projectId: string) => projects.find(({ id }) => id === projectId)?.name ?? projectId;
  const byId = new Map(keys.map((key) => [key.id, key]));
  const replacements = new Map(keys.flatMap((key) => (key.rotated_from ? [[key.rotated_from, key]] : [])));
  return [
    {
      name: "Key",
      of: ({ id, name, prefix, last4, rotated_from, service_account_id }) => (
        <>
          <strong>
            <Name of={name} />
          </strong>{" "}
          {service_account_id !== null && <Badge>service account</Badge>}{" "}
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
          <Name of={nameOf(project_id)} />{" "}
          <Badge tone={environment === "test" ? "info" : "plain"}>{environment}</Badge>
        </>
      ),
    },
    {
      name: "Scopes",
      of: ({ scopes }) => <Scopes of={scopes} all={SCOPES} />,
    },
    ...(keys.some(({ restrictions }) => restrictions) ? [AT_MOST] : []),
    { name: "Status", phone: "side", of: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
    {
      name: "Expires",
      of: ({ status, expires_at }) =>
        status !== "revoked" && <RelativeTime time={expires_at} otherwise="never" />,
    },
    { name: "Last used", of: (key) => <LastUsed of={key} /> },
    {
      name: "Created",
      phone: "hidden",
      isExtra: true,
      of: ({ created_at }) => <RelativeTime time={created_at} />,
    },
    {
      name: "Actions",
      isActions: true,
      of: (key) => <KeyActions of={key} isReplaced={replacements.has(key.id)} onChange={onChange} />,
    },
  ];
}

const AT_MOST: Column<Key> = { name: "At most", of: (key) => <Caps of={key} /> };

const UNUSED_SECONDS = 90 * 86_400;

/** A key that has not been used for long may not be needed any more. */
function LastUsed({ of: { status, last_used_at, created_at } }: { of: Key }) {
  const now = useNow(60_000);
  const isUnused = status === "active" && (last_used_at ?? created_at) < now - UNUSED_SECONDS;
  return (
    <>
      <RelativeTime time={last_used_at} otherwise="never" />{" "}
      {isUnused && <Badge tone="warn">not for 90 days</Badge>}
    </>
  );
}

/** Which of two keys of one name is the new one. */
function Succession({ after, before }: { after: Key | undefined; before: Key | undefined }) {
  if (after) return <Badge tone="warn">replaced by …{after.last4}</Badge>;
  return before ? <Badge>replaces …{before.last4}</Badge> : null;
}

export function Scopes({ of: scopes, all }: { of: string[]; all: readonly string[] }) {
  if (scopes.length === all.length) return "all";
  const lacking = all.filter((scope) => !scopes.includes(scope));
  if (lacking.length === 1) return `all but ${lacking[0]}`;
  const shown = scopes.slice(0, scopes.length > 2 ? 1 : 2);
  return (
    <span title={scopes.join(", ")}>
      {shown.map((scope) => (
        <code key={scope}>{scope} </code>
      ))}
      {shown.length < scopes.length && `and ${scopes.length - shown.length} more`}
    </span>
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
