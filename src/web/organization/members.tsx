/** The members of the organization and its pending invitations. */

import { useState } from "react";
import { useAuth } from "../api/queries.ts";
import { useHasRole, useOrganization, useSession } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Name } from "../ui/name.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { MembershipDialog } from "./member-dialogs.tsx";
import { PendingInvitations } from "./member-invitations.tsx";
import type { Member, MembershipChange } from "./membership.ts";

export function Members() {
  const here = useOrganization();
  const isAdmin = useHasRole("admin");
  const [change, setChange] = useState<MembershipChange | null>(null);
  const members = useAuth<{ members: Member[] }>(`organization/list-members?organizationId=${here.id}`);
  const invite = isAdmin && (
    <Button kind="primary" onClick={() => setChange({ kind: "invite" })}>
      Invite member
    </Button>
  );
  return (
    <Page title="Members" actions={invite}>
      <Card title="People">
        <QueryBoundary of={members}>
          {(data) => <MemberTable members={data.members} onChange={setChange} />}
        </QueryBoundary>
      </Card>
      {isAdmin && <PendingInvitations onChange={setChange} />}
      <Card title="Roles">
        <dl className="roles">
          <dt>Owner</dt>
          <dd>Full access, including credit, cards and other owners.</dd>
          <dt>Admin</dt>
          <dd>Manages projects, all keys and members; views billing.</dd>
          <dt>Member</dt>
          <dd>Manages own keys; views usage and requests.</dd>
        </dl>
      </Card>
      {change && <MembershipDialog change={change} onClose={() => setChange(null)} />}
    </Page>
  );
}

type MemberTableProps = { members: Member[]; onChange: (change: MembershipChange) => void };

function MemberTable({ members, onChange }: MemberTableProps) {
  const self = useSession().user.id;
  const hasOneOwner = members.filter(({ role }) => role === "owner").length === 1;
  const columns: Column<Member>[] = [
    {
      name: "Member",
      of: ({ user }) => (
        <>
          <strong>
            <Name of={user.name} />
          </strong>{" "}
          {user.id === self && <small>(you)</small>}
          <span className="second-line">{user.email}</span>
        </>
      ),
    },
    { name: "Role", phone: "side", of: ({ role }) => role },
    { name: "Joined", of: ({ createdAt }) => <RelativeTime time={Date.parse(createdAt) / 1000} /> },
    {
      name: "Actions",
      isActions: true,
      of: (member) =>
        hasOneOwner && member.role === "owner" ? (
          <small>The only owner cannot leave</small>
        ) : (
          <MemberActions of={member} isSelf={member.user.id === self} onChange={onChange} />
        ),
    },
  ];
  return (
    <Table caption="Members" columns={columns} rows={members} keyOf={({ id }) => id} empty="No members." />
  );
}

type MemberActionsProps = { of: Member; isSelf: boolean; onChange: (change: MembershipChange) => void };

/** Only owners change owners; every member can leave. */
function MemberActions({ of: member, isSelf, onChange }: MemberActionsProps) {
  const [isOwner, isAdmin] = [useHasRole("owner"), useHasRole("admin")];
  const canManage = isOwner || (isAdmin && member.role !== "owner");
  const { name } = member.user;
  return (
    <span className="changes">
      {canManage && (
        <Button
          kind="quiet"
          aria-label={`Change role of ${name}`}
          onClick={() => onChange({ kind: "role", member })}
        >
          Change role
        </Button>
      )}
      {canManage && !isSelf && (
        <Button
          kind="danger"
          aria-label={`Remove ${name}`}
          onClick={() => onChange({ kind: "remove", member })}
        >
          Remove
        </Button>
      )}
      {isSelf && (
        <Button kind="danger" onClick={() => onChange({ kind: "leave" })}>
          Leave
        </Button>
      )}
    </span>
  );
}
