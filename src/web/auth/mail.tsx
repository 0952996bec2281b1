/** What was mailed: where it is to be found, and how to have it once more. */
import { useState } from "react";
import { useRead } from "../lib/queries.ts";
import { auth } from "../lib/server.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/page.tsx";

/** Without a server for mail, the operator hands it on. */
export function WhereMailIs() {
  const { data } = useRead("GET /api/installation", {});
  if (data?.mail !== "folder") return null;
  return (
    <p className="hint">
      This server sends no mail: it writes its messages to the folder <code>mail/</code> of its data folder,
      where whoever runs it finds them.
    </p>
  );
}

/** The link that proves an address, once more. Says the same of every address. */
export function SendAgain({ email }: { email: string }) {
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
      <p role="status">{state === "sent" && `Sent again to ${email}, unless it is verified already.`}</p>
      <div className="actions">
        <Button busy={state === "busy"} onClick={() => void send()}>
          Send the link again
        </Button>
      </div>
    </>
  );
}
