/** Signing in with the account of a company: a button for each provider, and what became of it. */
import { useState } from "react";
import { auth } from "../api/server.ts";
import { keepPage } from "../browser/kept-page.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/page.tsx";

type Provider = { id: string; name: string };

/** `next`: the page to open afterwards, which this browser remembers meanwhile. */
export function CompanyButtons({ providers, next }: { providers: Provider[]; next: string | null }) {
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
          Continue with {name}
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

const REFUSALS: Record<string, string> = {
  invalid_token: "The sign-in took too long, or was begun in another window. Try again.",
  email_not_verified: "Your company's sign-in has no verified e-mail address of yours. Ask who runs it.",
  sign_up_closed: "Your account may not use this server. Ask its operator.",
  not_signed_in: "You did not sign in. Try again.",
  rate_limit_exceeded: "Too many attempts. Try again later.",
};
const FAILED =
  "Your company's sign-in did not answer, or is not set up completely. Try again in a moment; the server's log says why.";

/** `code`: of the refusal with which the browser came back. */
export function SignInRefused({ code }: { code: string | null }) {
  if (code === null) return null;
  return (
    <Notice tone="bad">
      <p>{Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : FAILED}</p>
    </Notice>
  );
}
