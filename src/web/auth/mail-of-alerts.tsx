/**
 * Where an address answers, by the link of a mail, whether it wants mail of an organization's alerts. It needs no account. Programs
 * that look at mail open its links, so only a button answers.
 */
import { useState } from "react";
import { useSearchParams } from "wouter";
import { call, type Reply } from "../api/server.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/query-boundary.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { claimsInToken } from "./token-email.ts";

type Answer = Reply<"POST /api/mail-of-alerts">;

export function MailOfAlerts() {
  const token = useSearchParams()[0].get("token") ?? "";
  const claims = claimsInToken(token);
  const [state, setState] = useState<"asking" | "busy" | Error | Answer>("asking");
  if (typeof claims?.email !== "string")
    return (
      <AuthLayout title="This link is invalid or has expired">
        <p>Open the whole link of the mail.</p>
      </AuthLayout>
    );
  const answer = async (wants: boolean) => {
    setState("busy");
    setState(
      await call("POST /api/mail-of-alerts", { body: { token, wants } }).catch((error: Error) => error),
    );
  };
  if (typeof state === "object" && "organization" in state)
    return <Answered is={state} answer={answer} isLasting={claims.until === null} />;
  return (
    <AuthLayout title="Mail of alerts">
      <p>
        An organization on this server wants to tell <strong>{claims.email}</strong> by mail when it has spent
        an amount, or has little credit left.
      </p>
      {state instanceof Error && <Failure error={state} />}
      <div className="actions">
        <Button kind="primary" busy={state === "busy"} onClick={() => void answer(true)}>
          Send me these mails
        </Button>
        <Button disabled={state === "busy"} onClick={() => void answer(false)}>
          Send me none
        </Button>
      </div>
    </AuthLayout>
  );
}

type AnsweredProps = { is: Answer; answer(wants: boolean): Promise<void>; isLasting: boolean };

/** The link of a mail that asks takes one answer. Those of later mails take others. */
function Answered({ is: { state, email, organization }, answer, isLasting }: AnsweredProps) {
  const wants = state === "confirmed";
  return (
    <AuthLayout title="Mail of alerts">
      <p role="status">
        {email} {wants ? "gets" : "gets no"} mail of the alerts of <strong>{organization}</strong>.
      </p>
      {wants && <p className="hint">Each mail has a link by which you can end them.</p>}
      {(wants || isLasting) && (
        <Button kind="quiet" onClick={() => void answer(!wants)}>
          {wants ? "Send me none after all" : "Send me these mails again"}
        </Button>
      )}
    </AuthLayout>
  );
}
