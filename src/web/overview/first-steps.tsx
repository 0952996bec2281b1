/** Guides a new organization to its first request: create a key, send a request, see it arrive. */

import { useEffect, useState } from "react";
import { Link } from "wouter";
import { useNewKey } from "../api/new-key.ts";
import { useOrganization, useSession } from "../api/session.ts";
import { speechCurl, speechSnippets } from "../api/snippets.ts";
import { apiBase } from "../browser/addresses.ts";
import { hrefOf } from "../browser/navigation.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { Failure } from "../ui/query-boundary.tsx";
import { CodeTabs } from "../ui/tabs.tsx";

/** `onMount`: from now on, the first request is announced when it arrives. */
export function FirstSteps({ onMount }: { onMount: () => void }) {
  const { id } = useOrganization();
  const [secret, setSecret] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on mount only
  useEffect(onMount, []);
  return (
    <Card title="First steps">
      <ol className="steps">
        <li>
          <h3>Create an API key</h3>
          {secret === null ? <KeyStep onCreated={setSecret} /> : <Secret of={secret} />}
        </li>
        <li>
          <h3>Send a request</h3>
          <FirstCall secret={secret} />
          <p>
            Or try a voice in the <Link href={hrefOf(id, "playground")}>playground</Link>.
          </p>
        </li>
        <li>
          <h3>View it here</h3>
          <p className="waiting" role="status">
            Waiting for your first request …
          </p>
          <p className="hint">This page updates automatically.</p>
        </li>
      </ol>
    </Card>
  );
}

/** A key for the call below; a new server has one already, which only its operator can read. */
function KeyStep({ onCreated }: { onCreated: (secret: string) => void }) {
  const { id } = useOrganization();
  const { operator } = useSession().user;
  const { make, isReady, isBusy, error } = useNewKey(id, ({ secret }) => onCreated(secret));
  return (
    <>
      <p>
        It is filled in below. All keys are on the page <Link href={hrefOf(id, "keys")}>API keys</Link>.
      </p>
      <Button kind="primary" busy={isBusy} disabled={!isReady} onClick={() => make({ name: "First steps" })}>
        Create a key
      </Button>
      {operator && (
        <p className="hint">
          A key that the server made when it first started is in the file <code>first-key</code> of its data
          directory.
        </p>
      )}
      {error && <Failure error={error} />}
    </>
  );
}

const Secret = ({ of }: { of: string }) => (
  <>
    <p className="copied">
      <code>{of}</code>
      <CopyButton text={of} label="Copy the key" />
    </p>
    <p className="hint">Store it safely: it is not shown again after your first request.</p>
  </>
);

const REQUEST = { model: "svc-tts1", voice: "female-warm", input: "Good morning from Loquat." };

/** A first call in several languages. `secret`: of the key that is filled in. */
export function FirstCall({ secret = null }: { secret?: string | null }) {
  const snippets = speechSnippets(apiBase(), REQUEST);
  const filled = secret === null ? snippets : { ...snippets, curl: speechCurl(apiBase(), REQUEST, secret) };
  return (
    <>
      <CodeTabs snippets={filled} />
      <p className="hint">
        {secret === null ? "The code reads" : "Python and JavaScript read"} the key from the environment
        variable LOQUAT_KEY.
      </p>
    </>
  );
}
