/** Asking for a link that sets a new password. The answer is the same for every address. */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { auth } from "../lib/server.ts";
import { Field, Form } from "../ui/form.tsx";
import { Door } from "./auth-layout.tsx";
import { WhereMailIs } from "./mail.tsx";
import { doorTo } from "./next.ts";

export function Forgot() {
  const next = useSearchParams()[0].get("next");
  const [sentTo, setSentTo] = useState("");
  async function ask({ email = "" }: { email?: string }) {
    await auth("request-password-reset", { email });
    setSentTo(email);
  }
  return (
    <Door title="A new password">
      {sentTo ? (
        <>
          <p role="status">
            If <strong>{sentTo}</strong> has an account here, a link was sent to it. It works for one hour.
          </p>
          <WhereMailIs />
        </>
      ) : (
        <Form onSubmit={ask} submit="Send me a link">
          <Field name="email" label="E-mail" type="email" autoComplete="username" required />
        </Form>
      )}
      <p>
        <Link href={doorTo("/sign-in", next)}>Back to sign in</Link>
      </p>
    </Door>
  );
}
