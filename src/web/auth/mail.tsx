/** Where to find a message that was sent, and how to have it sent again. */

import { useState } from "react";
import { useRead } from "../api/queries.ts";
import { auth } from "../api/server.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/query-boundary.tsx";

/** Without an SMTP server, the operator does by hand what a message would. */
export function MailFolderHint() {
  const { data } = useRead("GET /api/installation", {});
  if (data?.mail !== "folder") return null;
  return <p className="hint">{signInTexts()("noMail")}</p>;
}

/** Sends the verification link again. The response is the same for every address. */
export function ResendVerification({ email }: { email: string }) {
  const t = signInTexts();
  const [state, setState] = useState<"idle" | "busy" | "sent" | Error>("idle");
  async function send() {
    setState("busy");
    await auth("send-verification-email", { email }).then(
      () => setState("sent"),
      (error: Error) => setState(error),
    );
  }
  return (
    <>
      {state instanceof Error && <Failure error={state} />}
      <p role="status">{state === "sent" && t("sentAgain", { email })}</p>
      <div className="actions">
        <Button busy={state === "busy"} onClick={() => void send()}>
          {t("resend")}
        </Button>
      </div>
    </>
  );
}
