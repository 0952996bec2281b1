/** Tests an upstream with one request to each model, and removes it. */
import { useWrite } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../../ui/page.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import { RemoveButton } from "../remove-button.tsx";
import type { Upstream } from "./upstream.ts";

export function UpstreamActions({ item: { name, source } }: { item: Upstream }) {
  const test = useWrite("POST /api/operator/upstreams/:upstream/test");
  const remove = useWrite("DELETE /api/operator/upstreams/:upstream");
  return (
    <>
      <div role="status">
        {test.data?.data.map(({ model, ok, message }) => (
          <p key={model}>
            <Badge tone={ok ? "good" : "bad"}>{ok ? "Works" : "Failed"}</Badge> <code>{model}</code> {message}
          </p>
        ))}
      </div>
      {test.error && <Failure error={test.error} />}
      <div className="actions">
        <Button
          busy={test.isPending}
          aria-label={`Test ${name}`}
          onClick={() => test.mutate({ ids: { upstream: name } })}
        >
          Test
        </Button>
        {source === "own" && (
          <RemoveButton name={name} remove={() => remove.mutateAsync({ ids: { upstream: name } })}>
            Its models are no longer offered, on any node. Models of the same names here are used again.
          </RemoveButton>
        )}
      </div>
    </>
  );
}
