/** The sign-up page, as far as the server's sign-up policy allows. */

import { Link, useSearchParams } from "wouter";
import { useRead } from "../api/queries.ts";
import { auth, type Reply } from "../api/server.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { Notice } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { bold, code, linkTo } from "../ui/rich.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { MailFolderHint, ResendVerification } from "./mail.tsx";
import { hrefWithNext } from "./next.ts";

export function SignUp() {
  const t = signInTexts();
  const [search, setSearch] = useSearchParams();
  const next = search.get("next");
  const installation = useRead("GET /api/installation", {});
  // in the address, so that a reload shows the same page
  const sentTo = search.get("sent");
  if (sentTo) return <CheckMail email={sentTo} next={next} />;
  return (
    <AuthLayout title={t("createAccount")}>
      <QueryBoundary of={installation}>
        {(policy) => (
          <>
            <PolicyNotice policy={policy} />
            {policy.sign_up !== "closed" && (
              <SignUpForm
                policy={policy}
                email={search.get("email") ?? ""}
                isInvited={next?.startsWith("/invitation?") ?? false}
                onSent={(email) => setSearch({ sent: email, ...(next ? { next } : {}) })}
              />
            )}
          </>
        )}
      </QueryBoundary>
      <p>{t.rich("haveAccount", { link: linkTo(hrefWithNext("/sign-in", next)) })}</p>
    </AuthLayout>
  );
}

type Policy = Reply<"GET /api/installation">;

function PolicyNotice({ policy: { sign_up, fresh } }: { policy: Policy }) {
  const t = signInTexts();
  if (sign_up === "closed")
    return (
      <Notice>
        <p>{fresh ? t.rich("closedFresh", { code }) : t("closed")}</p>
      </Notice>
    );
  if (fresh)
    return (
      <Notice>
        <p>{t("firstUser")}</p>
      </Notice>
    );
  if (sign_up === "invited")
    return (
      <Notice>
        <p>{t("invitedOnly")}</p>
      </Notice>
    );
  return null;
}

type Values = { name?: string; email?: string; password?: string; organizationName?: string };

type SignUpFormProps = {
  policy: Policy;
  email: string;
  isInvited: boolean;
  onSent: (email: string) => void;
};

function SignUpForm({ policy, email, isInvited, onSent }: SignUpFormProps) {
  const t = signInTexts();
  // the first user and invited users join an organization that already exists
  const createsOrganization = !policy.fresh && policy.sign_up === "open" && !isInvited;
  async function signUp({ organizationName, ...values }: Values) {
    await auth("sign-up/email", { ...values, organizationName: organizationName?.trim() || undefined });
    onSent(values.email ?? "");
  }
  return (
    <Form onSubmit={signUp} submit={t("create")}>
      <Field name="name" label={t("yourName")} autoComplete="name" maxLength={100} required />
      <Field
        name="email"
        label={t("email")}
        type="email"
        autoComplete="username"
        defaultValue={email}
        required
      />
      <Password name="password" label={t("password")} isNew />
      {createsOrganization && (
        <Field
          name="organizationName"
          label={t("organization")}
          autoComplete="organization"
          maxLength={100}
          hint={t("organizationHint")}
        />
      )}
    </Form>
  );
}

/** The same for new and registered addresses, so that it does not reveal which have accounts. */
function CheckMail({ email, next }: { email: string; next: string | null }) {
  const t = signInTexts();
  const { data } = useRead("GET /api/installation", {});
  const isSent = data?.mail !== "folder";
  return (
    <AuthLayout title={t(isSent ? "checkMail" : "almostThere")}>
      {isSent ? (
        <>
          <p role="status">{t.rich("linkSent", { email, b: bold })}</p>
          <ResendVerification email={email} />
        </>
      ) : (
        <>
          <p role="status">{t.rich("awaitsApproval", { email, b: bold })}</p>
          <MailFolderHint />
        </>
      )}
      <p>
        <Link href={hrefWithNext("/sign-in", next)}>{t("backToSignIn")}</Link>
      </p>
    </AuthLayout>
  );
}
