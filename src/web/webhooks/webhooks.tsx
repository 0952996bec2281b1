/** Webhooks: where events of an organization, or of the server, are sent. */
import { useState } from "react";
import { useHasRole, useOrganization } from "../api/session.ts";
import { OperatorsOnly } from "../operator/operators-only.tsx";
import { Button } from "../ui/button.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { CALLS_OF_SERVER, callsOf, type EndpointCalls, useCall } from "./endpoint-calls.ts";
import { EndpointCard } from "./endpoint-card.tsx";
import { NewEndpointDialog } from "./endpoint-dialogs.tsx";

export function Webhooks() {
  const { id } = useOrganization();
  const isAdmin = useHasRole("admin");
  return (
    <Page title="Webhooks">
      {isAdmin ? (
        <Endpoints calls={callsOf(id)} />
      ) : (
        <Card title="Endpoints">
          <p>Only owners and admins of the organization see and create them.</p>
        </Card>
      )}
    </Page>
  );
}

export function ServerWebhooks() {
  return (
    <OperatorsOnly title="Webhooks of the server">
      <Endpoints calls={CALLS_OF_SERVER} />
    </OperatorsOnly>
  );
}

function Endpoints({ calls }: { calls: EndpointCalls }) {
  const endpoints = useCall(calls, "endpoints", calls.list);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <p>
        Events are sent to these addresses as signed requests, at least once, with new attempts for four days.
      </p>
      <p>
        <Button kind="primary" onClick={() => setAdding(true)}>
          Add an endpoint
        </Button>
      </p>
      <QueryBoundary of={endpoints}>
        {({ data }) =>
          data.length === 0 ? (
            <Card title="None yet">
              <p>An endpoint is an https address of yours that takes events, such as a top-up that failed.</p>
            </Card>
          ) : (
            data.map((endpoint) => <EndpointCard key={endpoint.id} of={endpoint} calls={calls} />)
          )
        }
      </QueryBoundary>
      {isAdding && <NewEndpointDialog calls={calls} onClose={() => setAdding(false)} />}
    </>
  );
}
