/** Who works in an organization, and who is asked to. */
import { useState } from "react";
import { useAuth } from "../lib/queries.ts";
import { type Membership, useHasRole, useOrganization, useSession } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { type Change, MemberChange } from "./member-change.tsx";
import { Pending } from "./member-invitations.tsx";
import "../style/organization.css";

export type Role = Membership["role"];

/** As the library that keeps them has them. */
export type Member = {
  id: string;
  role: Role;
  createdAt: string;
  user: { id: string; name: string; email: string };
};

export function Members() {
  const here = useOrganization();
  const isAdmin = useHasRole("admin");
  const [change, setChange] = useState<Change | null>(null);
  const members = useAuth<{ members: Member[] }>(`organization/list-members?organizationId=${here.id}`);
  const invite = isAdmin && (
    <Button kind="primary" onClick={() => setChange({ kind: "invite" })}>
      Invite somebody
    </Button>
  );
  return (
    <Page title="Members" actions={invite}>
      <Card title="People">
        <QueryBoundary of={members}>
          {(answer) => <MemberTable members={answer.members} onChange={setChange} />}
        </QueryBoundary>
      </Card>
      {isAdmin && <Pending onChange={setChange} />}
      <Card title="What roles may do">
        <dl className="roles">
          <dt>Owner</dt>
          <dd>Everything, with credit, cards and other owners.</dd>
          <dt>Admin</dt>
          <dd>Projects, all keys, members; sees billing.</dd>
          <dt>Member</dt>
          <dd>Own keys; sees usage and requests.</dd>
        </dl>
      </Card>
      {change && <MemberChange change={change} onClose={() => setChange(null)} />}
    </Page>
  );
}

type MemberTableProps = { members: Member[]; onChange: (change: Change) => void };

function MemberTable({ members, onChange }: MemberTableProps) {
  const self = useSession().user.id;
  const isLast = members.filter(({ role }) => role === "owner").length === 1;
  const columns: Column<Member>[] = [
    {
      name: "Person",
      of: ({ user }) => (
        <>
          <strong>{user.name}</strong> {user.id === self && <small>(you)</small>}
          <br />
          {user.email}
        </>
      ),
    },
    { name: "Role", of: ({ role }) => role },
    { name: "Since", of: ({ createdAt }) => <RelativeTime at={Date.parse(createdAt) / 1000} /> },
    {
      name: "Change",
      of: (member) =>
        isLast && member.role === "owner" ? (
          <small>The only owner stays</small>
        ) : (
          <Changes of={member} isSelf={member.user.id === self} onChange={onChange} />
        ),
    },
  ];
  return <Table caption="People" columns={columns} rows={members} keyOf={({ id }) => id} empty="Nobody." />;
}

type ChangesProps = { of: Member; isSelf: boolean; onChange: (change: Change) => void };

/** Owners are changed by owners only; everybody may leave. */
function Changes({ of: member, isSelf, onChange }: ChangesProps) {
  const [isOwner, isAdmin] = [useHasRole("owner"), useHasRole("admin")];
  const may = isOwner || (isAdmin && member.role !== "owner");
  const { name } = member.user;
  return (
    <span className="changes">
      {may && (
        <Button
          kind="quiet"
          aria-label={`Change role of ${name}`}
          onClick={() => onChange({ kind: "role", member })}
        >
          Change role
        </Button>
      )}
      {may && !isSelf && (
        <Button
          kind="quiet"
          aria-label={`Remove ${name}`}
          onClick={() => onChange({ kind: "remove", member })}
        >
          Remove
        </Button>
      )}
      {isSelf && (
        <Button kind="quiet" onClick={() => onChange({ kind: "leave" })}>
          Leave
        </Button>
      )}
    </span>
  );
}
