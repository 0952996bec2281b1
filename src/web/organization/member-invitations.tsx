/** Invitations that were not answered yet. */
import { unixSecondsOf } from "../lib/invitations.ts";
import { useAuth } from "../lib/queries.ts";
import { useOrganization } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import type { Change } from "./member-change.tsx";

export type Invite = { id: string; email: string; role: string; status: string; expiresAt: string };

export function Pending({ onChange }: { onChange: (change: Change) => void }) {
  const here = useOrganization();
  const invites = useAuth<Invite[]>(`organization/list-invitations?organizationId=${here.id}`);
  return (
    <Card title="Invitations">
      <QueryBoundary of={invites}>
        {(all) => (
          <Table
            caption="Invitations that wait for an answer"
            columns={columns(onChange)}
            rows={all.filter(({ status }) => status === "pending")}
            keyOf={({ id }) => id}
            empty="Nobody is invited. Who you invite gets a link by mail, which works for 7 days."
          />
        )}
      </QueryBoundary>
    </Card>
  );
}

const isOver = ({ expiresAt }: Invite): boolean => new Date(expiresAt) < new Date();

const columns = (onChange: (change: Change) => void): Column<Invite>[] => [
  { name: "E-mail", of: ({ email }) => email },
  { name: "Role", of: ({ role }) => role },
  {
    name: "Ends",
    of: (invite) =>
      isOver(invite) ? (
        <Badge tone="warn">over</Badge>
      ) : (
        <RelativeTime at={unixSecondsOf(invite.expiresAt)} />
      ),
  },
  {
    name: "Change",
    of: (invite) => (
      <span className="changes">
        <Button
          kind="quiet"
          aria-label={`Cancel the invitation of ${invite.email}`}
          onClick={() => onChange({ kind: "cancel", invite })}
        >
          Cancel
        </Button>
      </span>
    ),
  },
];
