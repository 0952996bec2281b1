/** The user's sign-in sessions, and how to end them. */
import { useState } from "react";
import { useAuth, writeAuth } from "../api/queries.ts";
import { distance, unixSecondsOf } from "../format/times.ts";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { browserOf } from "./browser.ts";

type SignInSession = {
  id: string;
  token: string;
  createdAt: string;
  updatedAt: string;
  ipAddress: string | null;
  userAgent: string | null;
  current: boolean;
};

export function Sessions() {
  const sessions = useAuth<SignInSession[]>("list-sessions");
  const [ending, setEnding] = useState<SignInSession | "others" | null>(null);
  const close = () => setEnding(null);
  const hasOthers = (sessions.data?.length ?? 0) > 1;
  return (
    <Card
      title="Sessions"
      actions={
        hasOthers && (
          <Button kind="danger" onClick={() => setEnding("others")}>
            Sign out all others
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
        <FormDialog
          kind="danger"
          title="Sign out all other sessions?"
          submit="Sign out"
          onSubmit={() => writeAuth("revoke-other-sessions", {})}
          onClose={close}
        >
          <p>Every browser except this one is signed out.</p>
        </FormDialog>
      )}
      {ending && ending !== "others" && (
        <FormDialog
          kind="danger"
          title={`Sign out ${browserOf(ending.userAgent)}?`}
          submit="Sign out"
          onSubmit={() => writeAuth("revoke-session", { token: ending.token })}
          onClose={close}
        >
          <p>
            {ending.ipAddress ? `From ${ending.ipAddress}, last` : "Last"} active{" "}
            {distance(unixSecondsOf(ending.updatedAt))}.
          </p>
        </FormDialog>
      )}
    </Card>
  );
}

const columns = (end: (session: SignInSession) => void): Column<SignInSession>[] => [
  {
    name: "Browser",
    of: ({ userAgent, current }) => (
      <span title={userAgent ?? undefined}>
        {browserOf(userAgent)} {current && <Badge tone="good">this browser</Badge>}
      </span>
    ),
  },
  { name: "Address", of: ({ ipAddress }) => (ipAddress ? <code>{ipAddress}</code> : "unknown") },
  { name: "Signed in", of: ({ createdAt }) => <RelativeTime time={unixSecondsOf(createdAt)} /> },
  { name: "Last active", of: ({ updatedAt }) => <RelativeTime time={unixSecondsOf(updatedAt)} /> },
  {
    name: "Actions",
    isActions: true,
    of: (session) =>
      !session.current && (
        <span className="changes">
          <Button
            kind="quiet"
            aria-label={`Sign out ${browserOf(session.userAgent)}`}
            onClick={() => end(session)}
          >
            Sign out
          </Button>
        </span>
      ),
  },
];
