/** Pending invitations to the organization. */
import { unixSecondsOf } from "../lib/invitations.ts";
import { useAuth } from "../lib/queries.ts";
import { useOrganization } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import type { MembershipChange, PendingInvitation } from "./membership.ts";

export function PendingInvitations({ onChange }: { onChange: (change: MembershipChange) => void }) {
  const { id } = useOrganization();
  const invitations = useAuth<PendingInvitation[]>(`organization/list-invitations?organizationId=${id}`);
  return (
    <Card title="Invitations">
      <QueryBoundary of={invitations}>
        {(all) => (
          <Table
            caption="Pending invitations"
            columns={columns(onChange)}
            rows={all.filter(({ status }) => status === "pending")}
            keyOf={({ id }) => id}
            empty="No pending invitations. An invitation is sent by e-mail and is valid for 7 days."
          />
        )}
      </QueryBoundary>
    </Card>
  );
}

const isExpired = ({ expiresAt }: PendingInvitation): boolean => new Date(expiresAt) < new Date();

const columns = (onChange: (change: MembershipChange) => void): Column<PendingInvitation>[] => [
  { name: "E-mail", of: ({ email }) => email },
  { name: "Role", of: ({ role }) => role },
  {
    name: "Expires",
    of: (invitation) =>
      isExpired(invitation) ? (
        <Badge tone="warn">expired</Badge>
      ) : (
        <RelativeTime time={unixSecondsOf(invitation.expiresAt)} />
      ),
  },
  {
    name: "Actions",
    of: (invitation) => (
      <span className="changes">
        <Button
          kind="quiet"
          aria-label={`Cancel the invitation of ${invitation.email}`}
          onClick={() => onChange({ kind: "cancel", invitation })}
        >
          Cancel
        </Button>
      </span>
    ),
  },
];
