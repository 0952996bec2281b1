/** Requests a password reset link. The response is the same for every address, registered or not. */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useRead } from "../api/queries.ts";
import { auth } from "../api/server.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { MailFolderHint } from "./mail.tsx";
import { hrefWithNext } from "./next.ts";

function Sent({ to }: { to: string }) {
  const { data } = useRead("GET /api/installation", {});
  if (data?.mail === "folder") return null;
  return (
    <p role="status">
      If <strong>{to}</strong> has an account, we sent it a link that is valid for one hour.
    </p>
  );
}

export function Forgot() {
  const next = useSearchParams()[0].get("next");
  const [sentTo, setSentTo] = useState("");
  async function requestLink({ email = "" }: { email?: string }) {
    await auth("request-password-reset", { email });
    setSentTo(email);
  }
  return (
    <AuthLayout title="Reset your password">
      {sentTo ? (
        <>
          <Sent to={sentTo} />
          <MailFolderHint />
        </>
      ) : (
        <Form onSubmit={requestLink} submit="Send reset link">
          <Field name="email" label="E-mail" type="email" autoComplete="username" required />
        </Form>
      )}
      <p>
        <Link href={hrefWithNext("/sign-in", next)}>Back to sign in</Link>
      </p>
    </AuthLayout>
  );
}
