/** Guides a new organization to its first request: create a key, send a request, see it arrive. */

import { useEffect } from "react";
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { speechSnippets } from "../api/snippets.ts";
import { apiBase } from "../browser/addresses.ts";
import { hrefOf } from "../browser/navigation.ts";
import { LinkButton } from "../ui/button.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { CodeTabs } from "../ui/tabs.tsx";

/** `onMount`: from now on, the first request is announced when it arrives. */
export function FirstSteps({ onMount }: { onMount: () => void }) {
  const { id } = useOrganization();
  const keys = useRead("GET /api/organizations/:organization/keys", {
    ids: { organization: id },
    query: { status: "active", limit: 1 },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: on mount only
  useEffect(onMount, []);
  const hasKey = (keys.data?.data.length ?? 0) > 0;
  return (
    <Card title="First steps">
      <ol className="steps">
        <li>
          <h3>Create an API key {hasKey && <Badge tone="good">done</Badge>}</h3>
          <p>The secret is shown only once. Store it in the environment variable LOQUAT_KEY.</p>
          <LinkButton kind={hasKey ? "plain" : "primary"} href={hrefOf(id, "keys")}>
            {hasKey ? "View keys" : "Create key"}
          </LinkButton>
        </li>
        <li>
          <h3>Send a request</h3>
          <FirstCall />
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

const REQUEST = { model: "svc-tts1", voice: "female-warm", input: "Good morning from Loquat." };

/** A first call in several languages. */
export const FirstCall = () => <CodeTabs snippets={speechSnippets(apiBase(), REQUEST)} />;
