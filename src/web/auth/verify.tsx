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
import { Button } from "../ui/button.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { Notice } from "../ui/page.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { MailFolderHint } from "./mail.tsx";
import { emailInToken } from "./token-email.ts";

export function Verify() {
  const token = useSearchParams()[0].get("token") ?? "";
  const [isInvalid, setInvalid] = useState(false);
  const email = emailInToken(token);
  if (email === null || isInvalid) return <InvalidLink />;
  return (
    <AuthLayout title="Verify your address">
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
      <p>
        You are signed in as {session.user.email}. Verifying this address signs you in as{" "}
        <strong>{email}</strong> instead. If you did not create an account with it, close this page.
      </p>
    </Notice>
  );
}

type VerifyFormProps = { email: string; token: string; onInvalid: () => void };

function VerifyForm({ email, token, onInvalid }: VerifyFormProps) {
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
      <p>
        {isReplacing
          ? "The new password replaces the one chosen at sign-up."
          : "Enter the password you chose when you signed up."}
      </p>
      <Form onSubmit={verify} submit="Verify and sign in">
        <Field name="email" label="E-mail" type="email" value={email} autoComplete="username" readOnly />
        {isReplacing ? (
          <Password key="new" name="newPassword" label="New password" isNew />
        ) : (
          <Password key="own" name="password" label="Password" />
        )}
      </Form>
      <p>
        <Button kind="quiet" onClick={() => setReplacing(!isReplacing)}>
          {isReplacing ? "Use the existing password" : "Set a new password instead"}
        </Button>
      </p>
    </>
  );
}

function InvalidLink() {
  const [sentTo, setSentTo] = useState("");
  async function send({ email = "" }: { email?: string }) {
    await auth("send-verification-email", { email });
    setSentTo(email);
  }
  return (
    <AuthLayout title="This link is invalid or has expired">
      {sentTo ? (
        <>
          <p role="status">If {sentTo} still needs to be verified, we sent it a new link.</p>
          <MailFolderHint />
        </>
      ) : (
        <>
          <p>If you have already verified the address, sign in. Otherwise request a new link.</p>
          <Form onSubmit={send} submit="Send a new link">
            <Field name="email" label="E-mail" type="email" autoComplete="username" required />
          </Form>
        </>
      )}
      <p>
        <Link href="/sign-in">Back to sign in</Link>
      </p>
    </AuthLayout>
  );
}
