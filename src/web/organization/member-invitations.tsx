/** Pending invitations to the organization. */

import { useAuth, useRead } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { unixSecondsOf } from "../format/times.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { type MembershipChange, type PendingInvitation, useInvitationLink } from "./membership.ts";

export function PendingInvitations({ onChange }: { onChange: (change: MembershipChange) => void }) {
  const { id } = useOrganization();
  const linkOf = useInvitationLink();
  const { data } = useRead("GET /api/installation", {});
  const invitations = useAuth<PendingInvitation[]>(`organization/list-invitations?organizationId=${id}`);
  return (
    <Card title="Invitations">
      <NoMailHint />
      <QueryBoundary of={invitations}>
        {(all) => (
          <Table
            caption="Pending invitations"
            columns={columns(data?.mail === "folder" ? null : linkOf, onChange)}
            rows={all.filter(({ status }) => status === "pending")}
            keyOf={({ id }) => id}
            empty="No pending invitations. An invitation is valid for 7 days."
          />
        )}
      </QueryBoundary>
    </Card>
  );
}

function NoMailHint() {
  const { data } = useRead("GET /api/installation", {});
  if (data?.mail !== "folder") return null;
  return (
    <p className="hint">
      This server sends no e-mail: send the link of an invitation to the person yourself. It is shown once,
      when the invitation is made; “New link” makes another one.
    </p>
  );
}

const isExpired = ({ expiresAt }: PendingInvitation): boolean => new Date(expiresAt) < new Date();

/** `linkOf` null: links have secrets, which are not kept. */
const columns = (
  linkOf: ReturnType<typeof useInvitationLink> | null,
  onChange: (change: MembershipChange) => void,
): Column<PendingInvitation>[] => [
  { name: "E-mail", of: ({ email }) => email },
  { name: "Role", phone: "side", of: ({ role }) => role },
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
    isActions: true,
    of: (invitation) => (
      <span className="changes">
        {linkOf && !isExpired(invitation) && <CopyButton text={linkOf(invitation)} label="Copy link" />}
        <Button
          kind="quiet"
          aria-label={`${linkOf ? "Resend the invitation of" : "New link for"} ${invitation.email}`}
          onClick={() => onChange({ kind: "resend", invitation })}
        >
          {linkOf ? "Resend" : "New link"}
        </Button>
        <Button
          kind="danger"
          aria-label={`Cancel the invitation of ${invitation.email}`}
          onClick={() => onChange({ kind: "cancel", invitation })}
        >
          Cancel
        </Button>
      </span>
    ),
  },
];
