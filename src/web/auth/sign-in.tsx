/** The sign-in page. */
import { useState } from "react";
import { Link, Redirect, useSearchParams } from "wouter";
import { useRead } from "../api/queries.ts";
import { auth, ServerError } from "../api/server.ts";
import { site } from "../browser/site.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { Notice } from "../ui/page.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { MailFolderHint, ResendVerification } from "./mail.tsx";
import { hrefWithNext, nextOf } from "./next.ts";

type Credentials = { email?: string; password?: string };

export function SignIn() {
  const [search] = useSearchParams();
  const next = search.get("next");
  const installation = useRead("GET /api/installation", {});
  const [unverified, setUnverified] = useState("");
  async function signIn({ email = "", password = "" }: Credentials) {
    setUnverified("");
    try {
      await auth("sign-in/email", { email, password });
    } catch (error) {
      if (error instanceof ServerError && error.code === "email_not_verified") setUnverified(email);
      throw error;
    }
    // a full page load, so that nothing cached before signing in remains
    location.assign(nextOf(next, location.origin, site.base));
  }
  if (installation.data?.fresh) return <Redirect to="/setup" replace />;
  return (
    <AuthLayout title="Sign in">
      <Form
        onSubmit={signIn}
        submit="Sign in"
        actions={<Link href={hrefWithNext("/forgot", next)}>Forgot your password?</Link>}
      >
        <Field
          name="email"
          label="E-mail"
          type="email"
          autoComplete="username"
          defaultValue={search.get("email") ?? ""}
          required
        />
        <Password name="password" label="Password" />
      </Form>
      {unverified && (
        <Notice tone="warn">
          <p>Open the verification link of {unverified} first.</p>
          <MailFolderHint />
          <ResendVerification email={unverified} />
        </Notice>
      )}
      <SignUpLink next={next} />
    </AuthLayout>
  );
}

/** As far as the sign-up policy allows. */
function SignUpLink({ next }: { next: string | null }) {
  const { data } = useRead("GET /api/installation", {});
  if (!data || data.sign_up === "closed") return null;
  const signUp = hrefWithNext("/sign-up", next);
  return (
    <p>
      {data.sign_up === "invited" ? "Invited? " : "New here? "}
      <Link href={signUp}>Create an account</Link>
    </p>
  );
}
