/** Sets a new password with the token of a reset link; every session of the account ends. */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { auth } from "../api/server.ts";
import { LinkButton } from "../ui/button.tsx";
import { Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { AuthLayout } from "./auth-layout.tsx";

export function Reset() {
  const token = useSearchParams()[0].get("token") ?? "";
  const [isDone, setDone] = useState(false);
  if (isDone)
    return (
      <AuthLayout title="Password changed">
        <p role="status">You have been signed out everywhere. Sign in with the new password.</p>
        <LinkButton kind="primary" href="/sign-in">
          Sign in
        </LinkButton>
      </AuthLayout>
    );
  async function reset({ newPassword }: { newPassword?: string }) {
    await auth("reset-password", { token, newPassword });
    setDone(true);
  }
  return (
    <AuthLayout title="Set a new password">
      <Form onSubmit={reset} submit="Set password" actions={<Link href="/forgot">Request another link</Link>}>
        <Password name="newPassword" label="New password" isNew />
      </Form>
    </AuthLayout>
  );
}
