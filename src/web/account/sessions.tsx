/** Where somebody is signed in, and how to end that. */
import { useState } from "react";
import { changeAuth, useAuth } from "../lib/queries.ts";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { distance } from "../ui/format.ts";
import { Answer, Badge, Card } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/when.tsx";
import { browserOf } from "./browser.ts";
import { secondsOf } from "./invitations.tsx";

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
      <Answer of={sessions}>
        {(rows) => (
          <Table
            caption="Where you are signed in"
            columns={columns(setEnding)}
            rows={rows.toSorted((one, other) => Number(other.current) - Number(one.current))}
            keyOf={({ id }) => id}
            empty="No sessions."
          />
        )}
      </Answer>
      {ending === "others" && (
        <Confirm
          title="End all other sessions?"
          submit="End them"
          onConfirm={() => changeAuth("revoke-other-sessions", {})}
          onClose={close}
        >
          <p>Every browser but this one has to sign in again.</p>
        </Confirm>
      )}
      {ending && ending !== "others" && (
        <Confirm
          title={`End the session of ${browserOf(ending.userAgent)}?`}
          submit="End it"
          onConfirm={() => changeAuth("revoke-session", { token: ending.token })}
          onClose={close}
        >
          <p>
            {ending.ipAddress ? `From ${ending.ipAddress}, last` : "Last"} seen{" "}
            {distance(secondsOf(ending.updatedAt))}. It has to sign in again.
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
  { name: "Signed in", of: ({ createdAt }) => <When at={secondsOf(createdAt)} /> },
  { name: "Last seen", of: ({ updatedAt }) => <When at={secondsOf(updatedAt)} /> },
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
