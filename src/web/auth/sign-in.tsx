/** The sign-in page. */

import { useState } from "react";
import { Link, Redirect, useSearchParams } from "wouter";
import { useRead } from "../api/queries.ts";
import { auth, ServerError } from "../api/server.ts";
import { site } from "../browser/site.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { Notice } from "../ui/page.tsx";
import { linkTo } from "../ui/rich.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { CodeStep } from "./code-step.tsx";
import { CompanyButtons, SignInRefused } from "./company.tsx";
import { MailFolderHint, ResendVerification } from "./mail.tsx";
import { hrefWithNext, nextOf } from "./next.ts";

type Credentials = { email?: string; password?: string };

export function SignIn() {
  const t = signInTexts();
  const [search] = useSearchParams();
  const next = search.get("next");
  const installation = useRead("GET /api/installation", {});
  const [unverified, setUnverified] = useState("");
  const [isCodeAwaited, setCodeAwaited] = useState(false);
  async function signIn({ email = "", password = "" }: Credentials) {
    setUnverified("");
    let reply: { twoFactorRedirect?: true };
    try {
      reply = await auth<{ twoFactorRedirect?: true }>("sign-in/email", { email, password });
    } catch (error) {
      if (error instanceof ServerError && error.code === "email_not_verified") setUnverified(email);
      throw error;
    }
    if (reply.twoFactorRedirect) setCodeAwaited(true);
    else enter();
  }
  // a full page load, so that nothing cached before signing in remains
  const enter = () => location.assign(nextOf(next, location.origin, site.base));
  const { fresh, passwords = "on", sign_in_providers: providers = [] } = installation.data ?? {};
  if (fresh && passwords === "on" && providers.length === 0) return <Redirect to="/setup" replace />;
  if (isCodeAwaited)
    return (
      <AuthLayout title={t("signIn")}>
        <CodeStep onDone={enter} onBack={() => setCodeAwaited(false)} />
      </AuthLayout>
    );
  return (
    <AuthLayout title={t("signIn")}>
      <SignInRefused code={search.get("error")} />
      <CompanyButtons providers={providers} next={next} />
      {passwords !== "off" && <PasswordForm signIn={signIn} email={search.get("email")} next={next} />}
      {unverified && (
        <Notice tone="warn">
          {installation.data?.mail === "folder" ? (
            <>
              <p>{t("notApproved", { email: unverified })}</p>
              <MailFolderHint />
            </>
          ) : (
            <>
              <p>{t("openLinkFirst", { email: unverified })}</p>
              <ResendVerification email={unverified} />
            </>
          )}
        </Notice>
      )}
      <SignUpLink next={next} />
    </AuthLayout>
  );
}

type PasswordFormProps = {
  signIn: (credentials: Credentials) => Promise<void>;
  email: string | null;
  next: string | null;
};

function PasswordForm({ signIn, email, next }: PasswordFormProps) {
  const t = signInTexts();
  return (
    <Form
      onSubmit={signIn}
      submit={t("signIn")}
      actions={<Link href={hrefWithNext("/forgot", next)}>{t("forgotPassword")}</Link>}
    >
      <Field
        name="email"
        label={t("email")}
        type="email"
        autoComplete="username"
        defaultValue={email ?? ""}
        required
      />
      <Password name="password" label={t("password")} />
    </Form>
  );
}

/** As far as the sign-up policy allows. */
function SignUpLink({ next }: { next: string | null }) {
  const { data } = useRead("GET /api/installation", {});
  if (!data || data.sign_up === "closed" || data.passwords !== "on") return null;
  const signUp = hrefWithNext("/sign-up", next);
  return (
    <p>{signInTexts().rich(data.sign_up === "invited" ? "invited" : "newHere", { link: linkTo(signUp) })}</p>
  );
}
