/** From nothing to the first request: a key, a call to copy, and a page that notices it. */
import { useEffect, useState } from "react";
import { hrefOf } from "../lib/navigation.ts";
import { useRead } from "../lib/queries.ts";
import { useOrganization } from "../lib/session.ts";
import { CopyButton, LinkButton, tabKeys } from "../ui/button.tsx";
import { Badge, Card } from "../ui/page.tsx";

/** `onShown`: from now on a first request is one that was waited for. */
export function FirstSteps({ onShown }: { onShown: () => void }) {
  const { id } = useOrganization();
  const keys = useRead("GET /api/organizations/:organization/keys", {
    ids: { organization: id },
    query: { status: "active", limit: 1 },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(onShown, []);
  const ready = (keys.data?.data.length ?? 0) > 0;
  return (
    <Card title="First steps">
      <ol className="steps">
        <li>
          <h3>Create an API key {ready && <Badge tone="good">done</Badge>}</h3>
          <p>Its secret is shown once: keep it where your program finds it, as LOQUAT_KEY.</p>
          <LinkButton kind={ready ? "plain" : "primary"} href={hrefOf(id, "keys")}>
            {ready ? "See the keys" : "Create a key"}
          </LinkButton>
        </li>
        <li>
          <h3>Send a request</h3>
          <Snippets />
        </li>
        <li>
          <h3>See it here</h3>
          <p className="waiting" role="status">
            Waiting for your first request …
          </p>
          <p className="hint">This page notices it by itself.</p>
        </li>
      </ol>
    </Card>
  );
}

const SAID = "Good morning from Loquat.";

const snippets = (base: string): Record<string, string> => ({
  curl: `curl ${base}/audio/speech \\
  -H "Authorization: Bearer $LOQUAT_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "svc-tts1", "voice": "female-warm", "input": "${SAID}"}' \\
  -o hello.wav`,
  Python: `import os
from openai import OpenAI

client = OpenAI(base_url="${base}", api_key=os.environ["LOQUAT_KEY"])
speech = client.audio.speech.create(
    model="svc-tts1", voice="female-warm", input="${SAID}", response_format="wav"
)
speech.write_to_file("hello.wav")`,
  JavaScript: `import { writeFile } from "node:fs/promises";
import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${base}", apiKey: process.env.LOQUAT_KEY });
const speech = await client.audio.speech.create({
  model: "svc-tts1",
  voice: "female-warm",
  input: "${SAID}",
  response_format: "wav",
});
await writeFile("hello.wav", Buffer.from(await speech.arrayBuffer()));`,
});

function Snippets() {
  const all = snippets(`${location.origin}/v1`);
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre id="snippet" role="tabpanel" aria-labelledby={`tab-${chosen}`} tabIndex={0}>
        <code>{all[chosen]}</code>
      </pre>
    </div>
  );
}
