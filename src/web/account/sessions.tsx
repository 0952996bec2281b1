/** The user's sign-in sessions, and how to end them. */
import { useState } from "react";
import { useAuth, writeAuth } from "../api/queries.ts";
import { distance, unixSecondsOf } from "../format/times.ts";
import { accountTexts } from "../language/en/account.ts";
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
  const t = accountTexts();
  const sessions = useAuth<SignInSession[]>("list-sessions");
  const [ending, setEnding] = useState<SignInSession | "others" | null>(null);
  const close = () => setEnding(null);
  const hasOthers = (sessions.data?.length ?? 0) > 1;
  return (
    <Card
      title={t("sessions")}
      actions={
        hasOthers && (
          <Button kind="danger" onClick={() => setEnding("others")}>
            {t("signOutOthers")}
          </Button>
        )
      }
    >
      <QueryBoundary of={sessions}>
        {(rows) => (
          <Table
            caption={t("sessionList")}
            columns={columns(setEnding)}
            rows={rows.toSorted((one, other) => Number(other.current) - Number(one.current))}
            keyOf={({ id }) => id}
            empty={t("noSessions")}
          />
        )}
      </QueryBoundary>
      {ending === "others" && (
        <FormDialog
          kind="danger"
          title={t("othersTitle")}
          submit={t("signOut")}
          onSubmit={() => writeAuth("revoke-other-sessions", {})}
          onClose={close}
        >
          <p>{t("othersText")}</p>
        </FormDialog>
      )}
      {ending && ending !== "others" && (
        <FormDialog
          kind="danger"
          title={t("signOutTitle", { browser: browserOf(ending.userAgent) })}
          submit={t("signOut")}
          onSubmit={() => writeAuth("revoke-session", { token: ending.token })}
          onClose={close}
        >
          <p>{lastActive(ending)}</p>
        </FormDialog>
      )}
    </Card>
  );
}

function lastActive({ ipAddress: address, updatedAt }: SignInSession): string {
  const t = accountTexts();
  const time = distance(unixSecondsOf(updatedAt));
  return address ? t("lastActiveFrom", { address, time }) : t("lastActiveText", { time });
}

const columns = (end: (session: SignInSession) => void): Column<SignInSession>[] => [
  {
    name: accountTexts()("browser"),
    of: ({ userAgent, current }) => (
      <span title={userAgent ?? undefined}>
        {browserOf(userAgent)} {current && <Badge tone="good">{accountTexts()("thisBrowser")}</Badge>}
      </span>
    ),
  },
  {
    name: accountTexts()("address"),
    of: ({ ipAddress }) => (ipAddress ? <code>{ipAddress}</code> : accountTexts()("unknown")),
  },
  {
    name: accountTexts()("signedIn"),
    of: ({ createdAt }) => <RelativeTime time={unixSecondsOf(createdAt)} />,
  },
  {
    name: accountTexts()("lastActive"),
    of: ({ updatedAt }) => <RelativeTime time={unixSecondsOf(updatedAt)} />,
  },
  {
    name: accountTexts()("actions"),
    isActions: true,
    of: (session) =>
      !session.current && (
        <span className="changes">
          <Button
            kind="quiet"
            aria-label={accountTexts()("signOutName", { browser: browserOf(session.userAgent) })}
            onClick={() => end(session)}
          >
            {accountTexts()("signOut")}
          </Button>
        </span>
      ),
  },
];
