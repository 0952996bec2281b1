/** Guides a new organization to its first request: create a key, send a request, see it arrive. */
import { useEffect, useState } from "react";
import { hrefOf } from "../lib/navigation.ts";
import { useRead } from "../lib/queries.ts";
import { useOrganization } from "../lib/session.ts";
import { speechSnippets } from "../lib/snippets.ts";
import { CopyButton, LinkButton, tabKeys } from "../ui/button.tsx";
import { Badge, Card } from "../ui/page.tsx";

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
          <Snippets />
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
export function Snippets() {
  const all = speechSnippets(`${location.origin}/v1`, REQUEST);
  const names = Object.keys(all);
  const [chosen, setChosen] = useState("curl");
  const step = tabKeys("tab", { names, chosen, choose: setChosen });
  return (
    <div className="snippet">
      <div className="actions">
        <div className="actions" role="tablist" aria-label="Language" onKeyDown={step}>
          {names.map((name) => (
            <button
              key={name}
              id={`tab-${name}`}
              type="button"
              role="tab"
              className="button quiet"
              aria-selected={name === chosen}
              aria-controls="snippet"
              tabIndex={name === chosen ? 0 : -1}
              onClick={() => setChosen(name)}
            >
              {name}
            </button>
          ))}
        </div>
        <CopyButton text={all[chosen]!} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard */}
      <pre id="snippet" role="tabpanel" aria-labelledby={`tab-${chosen}`} tabIndex={0}>
        <code>{all[chosen]}</code>
      </pre>
    </div>
  );
}
