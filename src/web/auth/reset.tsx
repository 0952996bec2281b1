/** Where the link of that mail leads: a new password, and every session ends. */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { auth } from "../lib/server.ts";
import { LinkButton } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { Door } from "./auth-layout.tsx";
import { Password } from "./password.tsx";

export function Reset() {
  const token = useSearchParams()[0].get("token") ?? "";
  const [done, setDone] = useState(false);
  if (done)
    return (
      <Door title="The new password is set">
        <p role="status">Every session of yours has ended. Sign in with the new password.</p>
        <LinkButton kind="primary" href="/sign-in">
          Sign in
        </LinkButton>
      </Door>
    );
  async function reset({ newPassword }: { newPassword?: string }) {
    await auth("reset-password", { token, newPassword });
    setDone(true);
  }
  return (
    <Door title="Set a new password">
      <Form
        onSubmit={reset}
        submit="Set the password"
        actions={<Link href="/forgot">Ask for another link</Link>}
      >
        <Password name="newPassword" label="New password" isNew />
      </Form>
    </Door>
  );
}
