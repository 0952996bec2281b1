/** Where somebody is signed in, and how to end that. */
import { useState } from "react";
import { distance } from "../lib/format.ts";
import { unixSecondsOf } from "../lib/invitations.ts";
import { useAuth, writeAuth } from "../lib/queries.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/form/confirm.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { browserOf } from "./browser.ts";

type SignedIn = {
  id: string;
  token: string;
  createdAt: string;
  updatedAt: string;
  ipAddress: string | null;
  userAgent: string | null;
  current: boolean;
};

export function Sessions() {
  const sessions = useAuth<SignedIn[]>("list-sessions");
  const [ending, setEnding] = useState<SignedIn | "others" | null>(null);
  const close = () => setEnding(null);
  const many = (sessions.data?.length ?? 0) > 1;
  return (
    <Card
      title="Sessions"
      actions={
        many && (
          <Button kind="danger" onClick={() => setEnding("others")}>
            End all others
          </Button>
        )
      }
    >
      <QueryBoundary of={sessions}>
        {(rows) => (
          <Table
            caption="Where you are signed in"
            columns={columns(setEnding)}
            rows={rows.toSorted((one, other) => Number(other.current) - Number(one.current))}
            keyOf={({ id }) => id}
            empty="No sessions."
          />
        )}
      </QueryBoundary>
      {ending === "others" && (
        <Confirm
          title="End all other sessions?"
          submit="End them"
          onConfirm={() => writeAuth("revoke-other-sessions", {})}
          onClose={close}
        >
          <p>Every browser but this one has to sign in again.</p>
        </Confirm>
      )}
      {ending && ending !== "others" && (
        <Confirm
          title={`End the session of ${browserOf(ending.userAgent)}?`}
          submit="End it"
          onConfirm={() => writeAuth("revoke-session", { token: ending.token })}
          onClose={close}
        >
          <p>
            {ending.ipAddress ? `From ${ending.ipAddress}, last` : "Last"} seen{" "}
            {distance(unixSecondsOf(ending.updatedAt))}. It has to sign in again.
          </p>
        </Confirm>
      )}
    </Card>
  );
}

const columns = (end: (session: SignedIn) => void): Column<SignedIn>[] => [
  {
    name: "Browser",
    of: ({ userAgent, current }) => (
      <span title={userAgent ?? undefined}>
        {browserOf(userAgent)} {current && <Badge tone="good">this one</Badge>}
      </span>
    ),
  },
  { name: "Address", of: ({ ipAddress }) => (ipAddress ? <code>{ipAddress}</code> : "unknown") },
  { name: "Signed in", of: ({ createdAt }) => <RelativeTime at={unixSecondsOf(createdAt)} /> },
  { name: "Last seen", of: ({ updatedAt }) => <RelativeTime at={unixSecondsOf(updatedAt)} /> },
  {
    name: "Change",
    of: (session) =>
      !session.current && (
        <span className="changes">
          <Button
            kind="quiet"
            aria-label={`End the session of ${browserOf(session.userAgent)}`}
            onClick={() => end(session)}
          >
            End
          </Button>
        </span>
      ),
  },
];
