/** Sets a new password with the token of a reset link; every session of the account ends. */

import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { auth } from "../api/server.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { LinkButton } from "../ui/button.tsx";
import { Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { AuthLayout } from "./auth-layout.tsx";

export function Reset() {
  const t = signInTexts();
  const token = useSearchParams()[0].get("token") ?? "";
  const [isDone, setDone] = useState(false);
  if (isDone)
    return (
      <AuthLayout title={t("passwordChanged")}>
        <p role="status">{t("signedOutEverywhere")}</p>
        <LinkButton kind="primary" href="/sign-in">
          {t("signIn")}
        </LinkButton>
      </AuthLayout>
    );
  async function reset({ newPassword }: { newPassword?: string }) {
    await auth("reset-password", { token, newPassword });
    setDone(true);
  }
  return (
    <AuthLayout title={t("setNewPassword")}>
      <Form
        onSubmit={reset}
        submit={t("setPassword")}
        actions={<Link href="/forgot">{t("requestAnother")}</Link>}
      >
        <Password name="newPassword" label={t("newPassword")} isNew />
      </Form>
    </AuthLayout>
  );
}
