/**
 * Verifies an address with the link of the first mail. The link alone does not sign in, because another person may have
 * signed up with the address: the page asks for the password chosen at sign-up, or a new one in its place.
 */

import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Invitation } from "../api/invitations.ts";
import { SESSION, useRead } from "../api/queries.ts";
import { auth, ServerError } from "../api/server.ts";
import { leaveFor } from "../browser/addresses.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Button } from "../ui/button.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { Notice } from "../ui/page.tsx";
import { bold } from "../ui/rich.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { MailFolderHint } from "./mail.tsx";
import { emailInToken } from "./token-email.ts";

export function Verify() {
  const token = useSearchParams()[0].get("token") ?? "";
  const [isInvalid, setInvalid] = useState(false);
  const email = emailInToken(token);
  if (email === null || isInvalid) return <InvalidLink />;
  return (
    <AuthLayout title={signInTexts()("verifyTitle")}>
      <OtherSessionWarning email={email} />
      <VerifyForm email={email} token={token} onInvalid={() => setInvalid(true)} />
    </AuthLayout>
  );
}

/** A link received from another person must not switch this browser to another account without warning. */
function OtherSessionWarning({ email }: { email: string }) {
  const { data: session } = useRead(SESSION, {});
  if (!session || session.user.email === email) return null;
  return (
    <Notice tone="warn">
      <p>{signInTexts().rich("otherSession", { current: session.user.email, email, b: bold })}</p>
    </Notice>
  );
}

type VerifyFormProps = { email: string; token: string; onInvalid: () => void };

function VerifyForm({ email, token, onInvalid }: VerifyFormProps) {
  const t = signInTexts();
  const [isReplacing, setReplacing] = useState(false);
  async function verify({ password, newPassword }: { password?: string; newPassword?: string }) {
    try {
      await auth("verify-email", { token, ...(isReplacing ? { newPassword } : { password }) });
    } catch (error) {
      if (error instanceof ServerError && error.code === "invalid_token") return onInvalid();
      throw error;
    }
    const [first] = await auth<Invitation[]>("organization/list-user-invitations").catch(() => []);
    leaveFor(first ? `/invitation?id=${encodeURIComponent(first.id)}` : "/");
  }
  return (
    <>
      <p>{t(isReplacing ? "replacesPassword" : "enterPassword")}</p>
      <Form onSubmit={verify} submit={t("verify")}>
        <Field name="email" label={t("email")} type="email" value={email} autoComplete="username" readOnly />
        {isReplacing ? (
          <Password key="new" name="newPassword" label={t("newPassword")} isNew />
        ) : (
          <Password key="own" name="password" label={t("password")} />
        )}
      </Form>
      <p>
        <Button kind="quiet" onClick={() => setReplacing(!isReplacing)}>
          {t(isReplacing ? "useExisting" : "setNewInstead")}
        </Button>
      </p>
    </>
  );
}

function InvalidLink() {
  const t = signInTexts();
  const [sentTo, setSentTo] = useState("");
  async function send({ email = "" }: { email?: string }) {
    await auth("send-verification-email", { email });
    setSentTo(email);
  }
  return (
    <AuthLayout title={t("invalidLink")}>
      {sentTo ? (
        <>
          <p role="status">{t("linkResent", { email: sentTo })}</p>
          <MailFolderHint />
        </>
      ) : (
        <>
          <p>{t("requestNew")}</p>
          <Form onSubmit={send} submit={t("sendNew")}>
            <Field name="email" label={t("email")} type="email" autoComplete="username" required />
          </Form>
        </>
      )}
      <p>
        <Link href="/sign-in">{t("backToSignIn")}</Link>
      </p>
    </AuthLayout>
  );
}
