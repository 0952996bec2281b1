/** An endpoint with its events, what can be done with it, and what was sent to it. */
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Name } from "../ui/name.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { Deliveries } from "./deliveries.tsx";
import type { Endpoint, EndpointCalls } from "./endpoint-calls.ts";
import { type Action, EndpointDialog } from "./endpoint-dialogs.tsx";

const REASONS: Record<NonNullable<Endpoint["disabled_reason"]>, string> = {
  failing: "switched off: it failed too often",
  gone: "switched off: it answered 410 Gone",
  requested: "switched off",
};

export function EndpointCard({ of: endpoint, calls }: { of: Endpoint; calls: EndpointCalls }) {
  const [action, setAction] = useState<Action | null>(null);
  const [isOpen, setOpen] = useState(false);
  const { name, url, status, disabled_reason: reason, event_types: types } = endpoint;
  const button = (label: string, kind: Action, tone: "plain" | "quiet" | "danger" = "quiet") => (
    <Button kind={tone} aria-label={`${label}: ${name}`} onClick={() => setAction(kind)}>
      {label}
    </Button>
  );
  return (
    <Card
      title={name}
      actions={
        <Badge tone={status === "enabled" ? "good" : "warn"}>
          {status === "enabled" ? "on" : REASONS[reason ?? "requested"]}
        </Badge>
      }
    >
      <p>
        <code>
          <Name of={url} />
        </code>
      </p>
      <p className="hint">
        {types.join(", ")}. Signing secret <code>{endpoint.signing_secret_hint}</code>.
      </p>
      <div className="actions">
        {button("Send a test", "test", "plain")}
        <Button kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Deliveries
        </Button>
        {button("Edit", "edit")}
        {button("New secret", "rotate")}
        {status === "enabled" ? button("Switch off", "disable") : button("Switch on", "enable")}
        {button("Delete", "delete", "danger")}
      </div>
      {isOpen && <Deliveries of={endpoint} calls={calls} />}
      {action && (
        <EndpointDialog action={action} of={endpoint} calls={calls} onClose={() => setAction(null)} />
      )}
    </Card>
  );
}
