/**
 * Shows an invitation to the address it was sent to, and accepts or declines it. A link with a secret in its fragment needs no
 * account: `join.tsx` creates it.
 */

import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Invitation } from "../api/invitations.ts";
import { SESSION, useAuth, useRead } from "../api/queries.ts";
import { auth, keepCsrfToken } from "../api/server.ts";
import { leaveFor } from "../browser/addresses.ts";
import { startOf } from "../browser/navigation.ts";
import { moment, unixSecondsOf } from "../format/times.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Notice } from "../ui/page.tsx";
import { Failure, QueryBoundary } from "../ui/query-boundary.tsx";
import { bold } from "../ui/rich.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { JoinPage, useFragment } from "./join.tsx";
import { hrefOfInvitation, hrefWithNext } from "./next.ts";

type InvitationDetails = Invitation & { organizationId: string; inviterEmail: string };

export function InvitationPage() {
  const t = signInTexts();
  const [search] = useSearchParams();
  const id = search.get("id") ?? "";
  const token = useFragment();
  const session = useRead(SESSION, {});
  if (session.error?.code === "not_signed_in")
    return token === "" ? (
      <SignInFirst next={hrefOfInvitation(id)} email={search.get("email")} />
    ) : (
      <JoinPage id={id} token={token} />
    );
  return (
    <AuthLayout title={t("invitation")}>
      <QueryBoundary of={session}>
        {({ user, csrf_token }) => {
          keepCsrfToken(csrf_token);
          return <Details id={id} email={user.email} />;
        }}
      </QueryBoundary>
    </AuthLayout>
  );
}

/** `email`: the invited address, where the link names it. */
function SignInFirst({ next, email }: { next: string; email: string | null }) {
  const t = signInTexts();
  const address = email ? `&email=${encodeURIComponent(email)}` : "";
  return (
    <AuthLayout title={t("invitation")}>
      <p>{email ? t.rich("invitedHereAs", { email, b: bold }) : t("invitedHere")}</p>
      <div className="actions">
        <LinkButton kind="primary" href={hrefWithNext("/sign-up", next) + address}>
          {t("createAccount")}
        </LinkButton>
        <LinkButton href={hrefWithNext("/sign-in", next) + address}>{t("signIn")}</LinkButton>
      </div>
    </AuthLayout>
  );
}

function Details({ id, email }: { id: string; email: string }) {
  const t = signInTexts();
  const invitation = useAuth<InvitationDetails>(`organization/get-invitation?id=${encodeURIComponent(id)}`);
  if (invitation.error?.code === "not_found")
    return (
      <Notice tone="warn">
        <p>{t("notForYou", { email })}</p>
        <p>{t("otherAddress")}</p>
        <div className="actions">
          <Button onClick={() => void switchAccount(id)}>{t("otherAccount")}</Button>
          <LinkButton href="/">{t("goToDashboard")}</LinkButton>
        </div>
      </Notice>
    );
  return <QueryBoundary of={invitation}>{(details) => <Response invitation={details} />}</QueryBoundary>;
}

async function switchAccount(id: string): Promise<void> {
  await auth("sign-out", {});
  if (location.hash !== "") return location.reload(); // the link has a secret
  leaveFor(hrefWithNext("/sign-in", hrefOfInvitation(id)));
}

function Response({ invitation }: { invitation: InvitationDetails }) {
  const t = signInTexts();
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
        <p role="status">{t("declined", { email: inviterEmail })}</p>
        <Link href="/">{t("goToDashboard")}</Link>
      </>
    );
  return (
    <>
      <p>{t.rich("invites", { email: inviterEmail, organization: organizationName, role, b: bold })}</p>
      <p className="hint">{t("expires", { time: moment(unixSecondsOf(expiresAt)) })}</p>
      {state instanceof Error && <Failure error={state} />}
      <div className="actions">
        <Button kind="primary" busy={state === "busy"} onClick={() => void respond("accept")}>
          {t("join", { organization: organizationName })}
        </Button>
        <Button disabled={state === "busy"} onClick={() => void respond("reject")}>
          {t("decline")}
        </Button>
      </div>
    </>
  );
}
