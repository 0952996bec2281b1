/** Signing in with the account of a company: a button for each provider, and what became of it. */

import { useState } from "react";
import { auth } from "../api/server.ts";
import { keepPage } from "../browser/kept-page.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/page.tsx";

type Provider = { id: string; name: string };

/** `next`: the page to open afterwards, which this browser remembers meanwhile. */
export function CompanyButtons({ providers, next }: { providers: Provider[]; next: string | null }) {
  const t = signInTexts();
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  async function begin(id: string) {
    setBusy(id);
    setFailure(null);
    try {
      const { url } = await auth<{ url: string }>(`sign-in/${id}`, {});
      keepPage(next);
      location.assign(url);
    } catch (error) {
      setFailure((error as Error).message);
      setBusy(null);
    }
  }
  if (providers.length === 0) return null;
  return (
    <div className="companies">
      {providers.map(({ id, name }) => (
        <Button key={id} busy={busy === id} onClick={() => void begin(id)}>
          {t("continueWith", { name })}
        </Button>
      ))}
      {failure !== null && (
        <Notice tone="bad">
          <p>{failure}</p>
        </Notice>
      )}
    </div>
  );
}

const REFUSALS = {
  invalid_token: "companyTooLong",
  email_not_verified: "companyUnverified",
  sign_up_closed: "companyClosed",
  not_signed_in: "companyNotSignedIn",
  rate_limit_exceeded: "companyLimited",
} as const;

const isKnown = (code: string): code is keyof typeof REFUSALS => Object.hasOwn(REFUSALS, code);

/** `code`: of the refusal with which the browser came back. */
export function SignInRefused({ code }: { code: string | null }) {
  if (code === null) return null;
  return (
    <Notice tone="bad">
      <p>{signInTexts()(isKnown(code) ? REFUSALS[code] : "companyFailed")}</p>
    </Notice>
  );
}
