/** The operator's account, created with the secret in the fragment of the printed link. It needs no mail. */

import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { queryClient } from "../api/queries.ts";
import { auth } from "../api/server.ts";
import { AuthLayout } from "../auth/auth-layout.tsx";
import { setUpTexts } from "../language/en/set-up.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Field, Form } from "../ui/form/form.tsx";
import { Password } from "../ui/form/password.tsx";
import { code, linkTo } from "../ui/rich.tsx";

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
  const t = setUpTexts();
  const fields = signInTexts();
  const [token, setToken] = useToken();
  const [, navigate] = useLocation();
  async function create(account: Record<string, string>) {
    await auth("set-up", { ...account, token });
    queryClient.clear();
    navigate("/setup/purpose", { replace: true }); // the link is used
  }
  if (token === "") return <WithoutLink onPaste={(pasted) => setToken(tokenOf(pasted))} />;
  return (
    <AuthLayout title={t("title")}>
      <p>{t("operates")}</p>
      <Form onSubmit={create} submit={fields("create")}>
        <Field name="name" label={fields("yourName")} autoComplete="name" maxLength={100} required />
        <Field name="email" label={fields("email")} type="email" autoComplete="username" required />
        <Password name="password" label={fields("password")} isNew />
      </Form>
    </AuthLayout>
  );
}

function WithoutLink({ onPaste }: { onPaste: (pasted: string) => void }) {
  const t = setUpTexts();
  return (
    <AuthLayout title={t("notSetUp")}>
      <p>{t.rich("openLink", { code })}</p>
      <Form submit={t("continue")} onSubmit={async ({ link }) => onPaste(link ?? "")}>
        <Field name="link" label={t("linkField")} autoComplete="off" spellCheck={false} required />
      </Form>
      <p>{t.rich("withoutLink", { link: linkTo("/sign-up") })}</p>
    </AuthLayout>
  );
}
