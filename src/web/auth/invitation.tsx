/** Shows an invitation to the address it was sent to, and accepts or declines it. */

import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Invitation } from "../api/invitations.ts";
import { SESSION, useAuth, useRead } from "../api/queries.ts";
import { auth, keepCsrfToken } from "../api/server.ts";
import { leaveFor } from "../browser/addresses.ts";
import { startOf } from "../browser/navigation.ts";
import { moment, unixSecondsOf } from "../format/times.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Notice } from "../ui/page.tsx";
import { Failure, QueryBoundary } from "../ui/query-boundary.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { hrefWithNext } from "./next.ts";

type InvitationDetails = Invitation & { organizationId: string; inviterEmail: string };

export function InvitationPage() {
  const [search] = useSearchParams();
  const id = search.get("id") ?? "";
  const session = useRead(SESSION, {});
  if (session.error?.code === "not_signed_in")
    return <SignInFirst next={hrefOfInvitation(id)} email={search.get("email")} />;
  return (
    <AuthLayout title="Invitation">
      <QueryBoundary of={session}>
        {({ user, csrf_token }) => {
          keepCsrfToken(csrf_token);
          return <Details id={id} email={user.email} />;
        }}
      </QueryBoundary>
    </AuthLayout>
  );
}

const hrefOfInvitation = (id: string): string => `/invitation?id=${encodeURIComponent(id)}`;

/** `email`: the invited address, where the link names it. */
function SignInFirst({ next, email }: { next: string; email: string | null }) {
  const address = email ? `&email=${encodeURIComponent(email)}` : "";
  return (
    <AuthLayout title="Invitation">
      <p>
        You are invited to an organization on this server. To see by whom, continue with the address that the
        invitation was sent to{email && <strong>: {email}</strong>}.
      </p>
      <div className="actions">
        <LinkButton kind="primary" href={hrefWithNext("/sign-up", next) + address}>
          Create an account
        </LinkButton>
        <LinkButton href={hrefWithNext("/sign-in", next) + address}>Sign in</LinkButton>
      </div>
    </AuthLayout>
  );
}

function Details({ id, email }: { id: string; email: string }) {
  const invitation = useAuth<InvitationDetails>(`organization/get-invitation?id=${encodeURIComponent(id)}`);
  if (invitation.error?.code === "not_found")
    return (
      <Notice tone="warn">
        <p>This invitation is not for {email}, was already answered, or has expired.</p>
        <p>If it was sent to another of your addresses, sign in with that one.</p>
        <div className="actions">
          <Button onClick={() => void switchAccount(id)}>Use another account</Button>
          <LinkButton href="/">Go to the dashboard</LinkButton>
        </div>
      </Notice>
    );
  return <QueryBoundary of={invitation}>{(details) => <Response invitation={details} />}</QueryBoundary>;
}

async function switchAccount(id: string): Promise<void> {
  await auth("sign-out", {});
  leaveFor(hrefWithNext("/sign-in", hrefOfInvitation(id)));
}

function Response({ invitation }: { invitation: InvitationDetails }) {
  const [state, setState] = useState<"idle" | "busy" | "declined" | Error>("idle");
  const { id, organizationId, organizationName, inviterEmail, role, expiresAt } = invitation;
  async function respond(action: "accept" | "reject") {
    setState("busy");
    try {
      await auth(`organization/${action}-invitation`, { invitationId: id });
    } catch (error) {
      return setState(error as Error);
    }
    if (action === "reject") return setState("declined");
    leaveFor(startOf(organizationId, role));
  }
  if (state === "declined")
    return (
      <>
        <p role="status">Invitation declined. {inviterEmail} is not notified.</p>
        <Link href="/">Go to the dashboard</Link>
      </>
    );
  return (
    <>
      <p>
        <strong>{inviterEmail}</strong> invites you to join <strong>{organizationName}</strong> as {role}.
      </p>
      <p className="hint">Expires on {moment(unixSecondsOf(expiresAt))}.</p>
      {state instanceof Error && <Failure error={state} />}
      <div className="actions">
        <Button kind="primary" busy={state === "busy"} onClick={() => void respond("accept")}>
          Join {organizationName}
        </Button>
        <Button disabled={state === "busy"} onClick={() => void respond("reject")}>
          Decline
        </Button>
      </div>
    </>
  );
}
