/** The sign-up page, as far as the server's sign-up policy allows. */
import { Link, useSearchParams } from "wouter";
import { useRead } from "../api/queries.ts";
import { auth, type Reply } from "../api/server.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { Notice } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { MailFolderHint, ResendVerification } from "./mail.tsx";
import { hrefWithNext } from "./next.ts";

export function SignUp() {
  const [search, setSearch] = useSearchParams();
  const next = search.get("next");
  const installation = useRead("GET /api/installation", {});
  // in the address, so that a reload shows the same page
  const sentTo = search.get("sent");
  if (sentTo) return <CheckMail email={sentTo} />;
  return (
    <AuthLayout title="Create an account">
      <QueryBoundary of={installation}>
        {(policy) => (
          <>
            <PolicyNotice policy={policy} />
            {policy.sign_up !== "closed" && (
              <SignUpForm
                policy={policy}
                email={search.get("email") ?? ""}
                isInvited={next?.startsWith("/invitation?") ?? false}
                onSent={(email) => setSearch({ sent: email })}
              />
            )}
          </>
        )}
      </QueryBoundary>
      <p>
        Already have an account? <Link href={hrefWithNext("/sign-in", next)}>Sign in</Link>
      </p>
    </AuthLayout>
  );
}

type Policy = Reply<"GET /api/installation">;

function PolicyNotice({ policy: { sign_up, fresh } }: { policy: Policy }) {
  if (sign_up === "closed")
    return (
      <Notice>
        {fresh ? (
          <p>
            Sign-up is closed. Create the first account on the server with <code>loquat admin create</code>.
          </p>
        ) : (
          <p>Sign-up is closed. Ask the operator of this server for an account.</p>
        )}
      </Notice>
    );
  if (fresh)
    return (
      <Notice>
        <p>
          The first user to verify an address becomes the operator of this server and the owner of its first
          organization.
        </p>
      </Notice>
    );
  if (sign_up === "invited")
    return (
      <Notice>
        <p>Sign-up is by invitation only. Use the address your invitation was sent to.</p>
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
  // the first user and invited users join an organization that already exists
  const createsOrganization = !policy.fresh && policy.sign_up === "open" && !isInvited;
  async function signUp({ organizationName, ...values }: Values) {
    await auth("sign-up/email", { ...values, organizationName: organizationName?.trim() || undefined });
    onSent(values.email ?? "");
  }
  return (
    <Form onSubmit={signUp} submit="Create account">
      <Field name="name" label="Your name" autoComplete="name" maxLength={100} required />
      <Field name="email" label="E-mail" type="email" autoComplete="username" defaultValue={email} required />
      <Password name="password" label="Password" isNew />
      {createsOrganization && (
        <Field
          name="organizationName"
          label="Organization (optional)"
          autoComplete="organization"
          maxLength={100}
          hint="Owns your keys, usage and credit. You can rename it later."
        />
      )}
    </Form>
  );
}

/** The same for new and registered addresses, so that it does not reveal which have accounts. */
function CheckMail({ email }: { email: string }) {
  const { data } = useRead("GET /api/installation", {});
  const isSent = data?.mail !== "folder";
  return (
    <AuthLayout title={isSent ? "Check your e-mail" : "Almost there"}>
      {isSent ? (
        <>
          <p role="status">
            We sent a link to <strong>{email}</strong>. Open it and enter your password again to verify the
            address and sign in.
          </p>
          <ResendVerification email={email} />
        </>
      ) : (
        <>
          <p role="status">
            The operator of this server approves new accounts: sign in once <strong>{email}</strong> is
            approved.
          </p>
          <MailFolderHint />
        </>
      )}
      <p>
        <Link href="/sign-in">Back to sign in</Link>
      </p>
    </AuthLayout>
  );
}
