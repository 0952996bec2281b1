/** Making an account, as far as this server lets people. */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useRead } from "../lib/queries.ts";
import { auth, type Reply } from "../lib/server.ts";
import { Field, Form } from "../ui/form.tsx";
import { Answer, Notice } from "../ui/page.tsx";
import { Door } from "./auth-layout.tsx";
import { SendAgain, WhereMailIs } from "./mail.tsx";
import { doorTo } from "./next.ts";
import { Password } from "./password.tsx";

export function SignUp() {
  const next = useSearchParams()[0].get("next");
  const installation = useRead("GET /api/installation", {});
  const [sentTo, setSentTo] = useState("");
  if (sentTo) return <Sent email={sentTo} />;
  return (
    <Door title="Make an account">
      <Answer of={installation}>
        {(policy) => (
          <>
            <Told of={policy} />
            {policy.sign_up !== "closed" && <Fields policy={policy} onSent={setSentTo} />}
          </>
        )}
      </Answer>
      <p>
        Have an account? <Link href={doorTo("/sign-in", next)}>Sign in</Link>
      </p>
    </Door>
  );
}

type Policy = Reply<"GET /api/installation">;

function Told({ of: { sign_up, fresh } }: { of: Policy }) {
  if (sign_up === "closed")
    return (
      <Notice>
        {fresh ? (
          <p>
            Sign-up is closed. The first account is made where the server runs, with{" "}
            <code>loquat admin create</code>.
          </p>
        ) : (
          <p>Sign-up is closed. Ask whoever runs this server for an account.</p>
        )}
      </Notice>
    );
  if (fresh)
    return (
      <Notice>
        <p>Whoever first verifies their address here will run this server, and own its first organization.</p>
      </Notice>
    );
  if (sign_up === "invited")
    return (
      <Notice>
        <p>Only who was invited can make an account. Use the address that the invitation was mailed to.</p>
      </Notice>
    );
  return null;
}

type Values = { name?: string; email?: string; password?: string; organizationName?: string };

/** The first account and who is invited come to an organization that is there. */
function Fields({ policy, onSent }: { policy: Policy; onSent: (email: string) => void }) {
  const isFounding = !policy.fresh && policy.sign_up === "open";
  async function signUp({ organizationName, ...values }: Values) {
    await auth("sign-up/email", { ...values, organizationName: organizationName?.trim() || undefined });
    onSent(values.email ?? "");
  }
  return (
    <Form onSubmit={signUp} submit="Make the account">
      <Field name="name" label="Your name" autoComplete="name" maxLength={100} required />
      <Field name="email" label="E-mail" type="email" autoComplete="username" required />
      <Password name="password" label="Password" isNew />
      {isFounding && (
        <Field
          name="organizationName"
          label="Organization (optional)"
          autoComplete="organization"
          maxLength={100}
          hint="What keys, usage and credit belong to. It can be renamed."
        />
      )}
    </Form>
  );
}

/** The same for an address that had an account before. */
function Sent({ email }: { email: string }) {
  return (
    <Door title="Look into your mail">
      <p role="status">
        A link was sent to <strong>{email}</strong>. Open it and give your password once more: that proves
        that the address is yours, and you are in.
      </p>
      <WhereMailIs />
      <SendAgain email={email} />
      <p>
        <Link href="/sign-in">Back to sign in</Link>
      </p>
    </Door>
  );
}
