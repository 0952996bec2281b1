/** Signing in. */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useRead } from "../lib/queries.ts";
import { auth, ServerError } from "../lib/server.ts";
import { Field, Form } from "../ui/form.tsx";
import { Notice } from "../ui/page.tsx";
import { Door } from "./auth-layout.tsx";
import { SendAgain, WhereMailIs } from "./mail.tsx";
import { doorTo, nextOf } from "./next.ts";
import { Password } from "./password.tsx";

type Credentials = { email?: string; password?: string };

export function SignIn() {
  const next = useSearchParams()[0].get("next");
  const [unverified, setUnverified] = useState("");
  async function signIn({ email = "", password = "" }: Credentials) {
    setUnverified("");
    try {
      await auth("sign-in/email", { email, password });
    } catch (error) {
      if (error instanceof ServerError && error.code === "email_not_verified") setUnverified(email);
      throw error;
    }
    // a fresh page, so that nothing that was read before signing in is left
    location.assign(nextOf(next, location.origin));
  }
  return (
    <Door title="Sign in">
      <Form
        onSubmit={signIn}
        submit="Sign in"
        actions={<Link href={doorTo("/forgot", next)}>Forgot the password?</Link>}
      >
        <Field name="email" label="E-mail" type="email" autoComplete="username" required />
        <Password name="password" label="Password" />
      </Form>
      {unverified && (
        <Notice tone="warn">
          <p>Open the link that was mailed to {unverified} first.</p>
          <WhereMailIs />
          <SendAgain email={unverified} />
        </Notice>
      )}
      <NoAccount next={next} />
    </Door>
  );
}

/** How to get in for the first time. */
function NoAccount({ next }: { next: string | null }) {
  const { data } = useRead("GET /api/installation", {});
  if (!data || data.sign_up === "closed") return null;
  const signUp = doorTo("/sign-up", next);
  if (data.fresh)
    return (
      <Notice>
        <p>
          Nobody has an account here yet. <Link href={signUp}>Make the first one</Link>: it runs this server.
        </p>
      </Notice>
    );
  return (
    <p>
      {data.sign_up === "invited" ? "Invited? " : "New here? "}
      <Link href={signUp}>Make an account</Link>
    </p>
  );
}
