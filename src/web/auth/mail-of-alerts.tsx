/**
 * Where an address answers, by the link of a mail, whether it wants mail of an organization's alerts. It needs no account. Programs
 * that look at mail open its links, so only a button answers.
 */
import { useState } from "react";
import { useSearchParams } from "wouter";
import { call, type Reply } from "../api/server.ts";
import { mailOfAlertsTexts } from "../language/en/mail-of-alerts.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/query-boundary.tsx";
import { bold } from "../ui/rich.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { claimsInToken } from "./token-email.ts";

type Answer = Reply<"POST /api/mail-of-alerts">;

export function MailOfAlerts() {
  const t = mailOfAlertsTexts();
  const token = useSearchParams()[0].get("token") ?? "";
  const claims = claimsInToken(token);
  const [state, setState] = useState<"asking" | "busy" | Error | Answer>("asking");
  if (typeof claims?.email !== "string")
    return (
      <AuthLayout title={signInTexts()("invalidLink")}>
        <p>{t("wholeLink")}</p>
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
    <AuthLayout title={t("title")}>
      <p>{t.rich("ask", { email: claims.email, b: bold })}</p>
      {state instanceof Error && <Failure error={state} />}
      <div className="actions">
        <Button kind="primary" busy={state === "busy"} onClick={() => void answer(true)}>
          {t("accept")}
        </Button>
        <Button disabled={state === "busy"} onClick={() => void answer(false)}>
          {t("refuse")}
        </Button>
      </div>
    </AuthLayout>
  );
}

type AnsweredProps = { is: Answer; answer(wants: boolean): Promise<void>; isLasting: boolean };

/** The link of a mail that asks takes one answer. Those of later mails take others. */
function Answered({ is: { state, email, organization }, answer, isLasting }: AnsweredProps) {
  const t = mailOfAlertsTexts();
  const wants = state === "confirmed";
  return (
    <AuthLayout title={t("title")}>
      <p role="status">{t.rich(wants ? "gets" : "getsNone", { email, organization, b: bold })}</p>
      {wants && <p className="hint">{t("endHint")}</p>}
      {(wants || isLasting) && (
        <Button kind="quiet" onClick={() => void answer(!wants)}>
          {t(wants ? "stop" : "again")}
        </Button>
      )}
    </AuthLayout>
  );
}
