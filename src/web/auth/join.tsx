/** Creates the account of an invited person, by the secret in the fragment of the link that they were given. */

import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { auth, type ServerError } from "../api/server.ts";
import { leaveFor } from "../browser/addresses.ts";
import { startOf } from "../browser/navigation.ts";
import { moment } from "../format/times.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { LinkButton } from "../ui/button.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { Notice } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { bold } from "../ui/rich.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { hrefOfInvitation, hrefWithNext } from "./next.ts";

type Invited = {
  email: string;
  role: string;
  organizationId: string;
  organizationName: string;
  inviterEmail: string;
  expiresAt: number;
  hasAccount: boolean;
};
type JoinProps = { id: string; token: string };

/** What follows # in the address, also once a link is pasted into the tab of this page. */
export const useFragment = (): string => useSyncExternalStore(onFragment, () => location.hash.slice(1));

function onFragment(changed: () => void) {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}

export function JoinPage({ id, token }: JoinProps) {
  const t = signInTexts();
  const invited = useQuery<Invited, ServerError>({
    ...{ queryKey: ["join", id, token], retry: false, refetchOnWindowFocus: false },
    queryFn: () => auth<Invited>("join/details", { invitationId: id, token }),
  });
  return (
    <AuthLayout title={t("invitation")}>
      {invited.error?.code === "invalid_token" ? (
        <LinkUsed next={hrefOfInvitation(id)} />
      ) : (
        <QueryBoundary of={invited}>{(details) => <Join {...{ id, token, details }} />}</QueryBoundary>
      )}
    </AuthLayout>
  );
}

function LinkUsed({ next }: { next: string }) {
  const t = signInTexts();
  return (
    <Notice tone="warn">
      <p>{t("linkUsed")}</p>
      <div className="actions">
        <LinkButton href={hrefWithNext("/sign-in", next)}>{t("signIn")}</LinkButton>
      </div>
    </Notice>
  );
}

function Join({ id, token, details }: JoinProps & { details: Invited }) {
  const t = signInTexts();
  const { email, role, organizationId, organizationName, inviterEmail, expiresAt, hasAccount } = details;
  async function join({ name, password }: { name?: string; password?: string }) {
    await auth("join", { invitationId: id, token, name, password });
    leaveFor(startOf(organizationId, role));
  }
  return (
    <>
      <p>{t.rich("invites", { email: inviterEmail, organization: organizationName, role, b: bold })}</p>
      <p className="hint">{t("expires", { time: moment(expiresAt) })}</p>
      <p>{t.rich(hasAccount ? "hasAccount" : "joinAs", { email, b: bold })}</p>
      {hasAccount ? (
        <div className="actions">
          <LinkButton kind="primary" href={hrefWithNext("/sign-in", hrefOfInvitation(id))}>
            {t("signIn")}
          </LinkButton>
        </div>
      ) : (
        <Form onSubmit={join} submit={t("createAndJoin")}>
          <Field name="name" label={t("yourName")} autoComplete="name" maxLength={100} required />
          <Field
            name="email"
            label={t("email")}
            type="email"
            value={email}
            autoComplete="username"
            readOnly
          />
          <Password name="password" label={t("password")} isNew />
        </Form>
      )}
    </>
  );
}
