/** The port of Wyoming, which an operator opens for Home Assistant and closes again, without a restart. */
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { Button } from "../ui/button.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";
import { Failure, QueryBoundary } from "../ui/query-boundary.tsx";

type Port = Reply<"GET /api/operator/wyoming">;

const USUAL_PORT = 10_300;

/** `keyId`: of the key that was created on the page; null before. */
export function WyomingPort({ keyId }: { keyId: string | null }) {
  const query = useRead("GET /api/operator/wyoming", {});
  return (
    <QueryBoundary of={query}>
      {(port) => !port.is_fixed && <PortCard port={port} keyId={keyId} />}
    </QueryBoundary>
  );
}

function PortCard({ port: { port, key_id: usedId }, keyId }: { port: Port; keyId: string | null }) {
  const open = useWrite("PUT /api/operator/wyoming");
  const close = useWrite("DELETE /api/operator/wyoming");
  const isOpen = port !== null && (keyId === null || keyId === usedId);
  return (
    <Card title={port === null ? "Assist over the Wyoming protocol" : `Port ${port} is open for Assist`}>
      {!isOpen && keyId !== null && (
        <Form
          submit={port === null ? "Open the port" : "Use the new key"}
          onSubmit={(values) => open.mutateAsync({ body: { port: Number(values.port), key_id: keyId } })}
        >
          <Field
            name="port"
            label="Port"
            hint="The protocol has no authentication: everyone who reaches the port uses the key. Open it on a trusted network only."
            type="number"
            min={1}
            max={65_535}
            required
            defaultValue={port ?? USUAL_PORT}
          />
        </Form>
      )}
      {port === null && keyId === null && (
        <p className="hint">Create a key above: then its port can be opened here.</p>
      )}
      {port !== null && (
        <div className="actions">
          <Button kind="danger" busy={close.isPending} onClick={() => close.mutate({})}>
            Close the port
          </Button>
          <span className="hint">
            Its requests use the key <code>{usedId}</code>. It stays open after a restart.
          </span>
        </div>
      )}
      {close.error && <Failure error={close.error} />}
    </Card>
  );
}
