/** The operator's account, created with the secret in the fragment of the printed link. It needs no mail. */
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { queryClient } from "../api/queries.ts";
import { auth } from "../api/server.ts";
import { AuthLayout } from "../auth/auth-layout.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";

const tokenIn = (hash: string): string => new URLSearchParams(hash.slice(1)).get("token") ?? "";

/** Of a link, or of what follows `token=` in it. */
const tokenOf = (pasted: string): string => {
  const at = pasted.indexOf("#");
  return at < 0 ? pasted.trim() : tokenIn(pasted.slice(at).trim());
};

/** A link that is opened in the tab of this page changes the fragment alone. */
function useToken() {
  const [token, setToken] = useState(() => tokenIn(location.hash));
  useEffect(() => {
    const take = () => setToken(tokenIn(location.hash));
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  return [token, setToken] as const;
}

export function AccountStep() {
  const [token, setToken] = useToken();
  const [, navigate] = useLocation();
  async function create(account: Record<string, string>) {
    await auth("set-up", { ...account, token });
    queryClient.clear();
    navigate("/setup/purpose", { replace: true }); // the link is used
  }
  if (token === "") return <WithoutLink onPaste={(pasted) => setToken(tokenOf(pasted))} />;
  return (
    <AuthLayout title="Set up this server">
      <p>This account operates the server. No e-mail is sent.</p>
      <Form onSubmit={create} submit="Create account">
        <Field name="name" label="Your name" autoComplete="name" maxLength={100} required />
        <Field name="email" label="E-mail" type="email" autoComplete="username" required />
        <Password name="password" label="Password" isNew />
      </Form>
    </AuthLayout>
  );
}

function WithoutLink({ onPaste }: { onPaste: (pasted: string) => void }) {
  return (
    <AuthLayout title="This server is not set up">
      <p>
        Open the set-up link that the server printed when it started, or print another on its machine with{" "}
        <code>loquat admin link</code>.
      </p>
      <Form submit="Continue" onSubmit={async ({ link }) => onPaste(link ?? "")}>
        <Field name="link" label="Set-up link or its code" autoComplete="off" spellCheck={false} required />
      </Form>
      <p>
        Without the link, the first person who verifies an e-mail address becomes the operator.{" "}
        <Link href="/sign-up">Create an account</Link>
      </p>
    </AuthLayout>
  );
}
