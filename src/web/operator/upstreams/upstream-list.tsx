/** Upstreams: speech servers elsewhere whose models this server offers, their health, and adding others. */
import { useState } from "react";
import { useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { OperatorsOnly } from "../operators-only.tsx";
import { AddUpstream } from "./add-upstream.tsx";
import { UpstreamCard } from "./upstream-card.tsx";

const EVERY_MS = 5000;

export function UpstreamList() {
  return (
    <OperatorsOnly title="Upstreams">
      <p>
        An upstream is another speech server whose models this one offers as its own: keys, limits, prices and
        formats are those of this server.
      </p>
      <AllUpstreams />
    </OperatorsOnly>
  );
}

function AllUpstreams() {
  const query = useRead("GET /api/operator/upstreams", {}, { everyMs: EVERY_MS });
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <p>
        <Button kind="primary" onClick={() => setAdding(true)}>
          Add an upstream
        </Button>
      </p>
      <QueryBoundary of={query}>
        {({ data, presets }) => (
          <>
            {data.length === 0 && (
              <Card title="None yet">
                <p>
                  Add a server that speaks the API of a known kind, such as vLLM, Kokoro-FastAPI or another
                  Loquat.
                </p>
              </Card>
            )}
            {data.map((item) => (
              <UpstreamCard key={item.name} item={item} />
            ))}
            {isAdding && <AddUpstream presets={presets} onClose={() => setAdding(false)} />}
          </>
        )}
      </QueryBoundary>
    </>
  );
}
