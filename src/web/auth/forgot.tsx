/** Requests a password reset link. The response is the same for every address, registered or not. */

import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useRead } from "../api/queries.ts";
import { auth } from "../api/server.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { bold } from "../ui/rich.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { MailFolderHint } from "./mail.tsx";
import { hrefWithNext } from "./next.ts";

function Sent({ to }: { to: string }) {
  const { data } = useRead("GET /api/installation", {});
  if (data?.mail === "folder") return null;
  return <p role="status">{signInTexts().rich("resetSent", { email: to, b: bold })}</p>;
}

export function Forgot() {
  const t = signInTexts();
  const next = useSearchParams()[0].get("next");
  const [sentTo, setSentTo] = useState("");
  async function requestLink({ email = "" }: { email?: string }) {
    await auth("request-password-reset", { email });
    setSentTo(email);
  }
  return (
    <AuthLayout title={t("resetTitle")}>
      {sentTo ? (
        <>
          <Sent to={sentTo} />
          <MailFolderHint />
        </>
      ) : (
        <Form onSubmit={requestLink} submit={t("sendReset")}>
          <Field name="email" label={t("email")} type="email" autoComplete="username" required />
        </Form>
      )}
      <p>
        <Link href={hrefWithNext("/sign-in", next)}>{t("backToSignIn")}</Link>
      </p>
    </AuthLayout>
  );
}
