/** Where the link of an invitation leads: who asks whom to join what, and the answer. */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { type Invited, secondsOf } from "../account/invitations.tsx";
import { hrefOf } from "../lib/navigation.ts";
import { SESSION, useAuth, useRead } from "../lib/queries.ts";
import { auth, keepCsrfToken } from "../lib/server.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { moment } from "../ui/format.ts";
import { Answer, Failure, Notice } from "../ui/page.tsx";
import { Door } from "./auth-layout.tsx";
import { doorTo } from "./next.ts";

type Shown = Invited & { organizationId: string; inviterEmail: string };

export function Invitation() {
  const id = useSearchParams()[0].get("id") ?? "";
  const session = useRead(SESSION, {});
  if (session.error?.code === "not_signed_in") return <Stranger back={backTo(id)} />;
  return (
    <Door title="An invitation">
      <Answer of={session}>
        {({ user, csrf_token }) => {
          keepCsrfToken(csrf_token);
          return <Asked id={id} email={user.email} />;
        }}
      </Answer>
    </Door>
  );
}

const backTo = (id: string): string => `/invitation?id=${encodeURIComponent(id)}`;

function Stranger({ back }: { back: string }) {
  return (
    <Door title="An invitation">
      <p>Sign in with the address that it was mailed to, and see who invites you to what.</p>
      <div className="actions">
        <LinkButton kind="primary" href={doorTo("/sign-in", back)}>
          Sign in
        </LinkButton>
        <LinkButton href={doorTo("/sign-up", back)}>Make an account</LinkButton>
      </div>
    </Door>
  );
}

function Asked({ id, email }: { id: string; email: string }) {
  const invitation = useAuth<Shown>(`organization/get-invitation?id=${encodeURIComponent(id)}`);
  if (invitation.error?.code === "not_found")
    return (
      <Notice tone="warn">
        <p>This invitation is not for {email}, was answered, or is over.</p>
        <p>If it was mailed to another address of yours, sign in with that one.</p>
        <div className="actions">
          <Button onClick={() => void signInElse(id)}>Sign in as somebody else</Button>
          <LinkButton href="/">To the dashboard</LinkButton>
        </div>
      </Notice>
    );
  return <Answer of={invitation}>{(shown) => <Answering to={shown} />}</Answer>;
}

async function signInElse(id: string): Promise<void> {
  await auth("sign-out", {});
  location.assign(doorTo("/sign-in", backTo(id)));
}

function Answering({ to: invitation }: { to: Shown }) {
  const [state, setState] = useState<"idle" | "busy" | "declined" | Error>("idle");
  const { id, organizationId, organizationName, inviterEmail, role, expiresAt } = invitation;
  async function answer(path: "accept" | "reject") {
    setState("busy");
    try {
      await auth(`organization/${path}-invitation`, { invitationId: id });
    } catch (error) {
      return setState(error as Error);
    }
    if (path === "reject") return setState("declined");
    location.assign(hrefOf(organizationId, "overview"));
  }
  if (state === "declined")
    return (
      <>
        <p role="status">Declined. {inviterEmail} is not told; the invitation no longer works.</p>
        <Link href="/">To the dashboard</Link>
      </>
    );
  return (
    <>
      <p>
        <strong>{inviterEmail}</strong> invites you to <strong>{organizationName}</strong> as {role}.
      </p>
      <p className="hint">It ends on {moment(secondsOf(expiresAt))}.</p>
      {state instanceof Error && <Failure error={state} />}
      <div className="actions">
        <Button kind="primary" busy={state === "busy"} onClick={() => void answer("accept")}>
          Join {organizationName}
        </Button>
        <Button disabled={state === "busy"} onClick={() => void answer("reject")}>
          Decline
        </Button>
      </div>
    </>
  );
}
