/** What was sent to an endpoint in 30 days, and sending it again. */
import { useState } from "react";
import { refreshAll } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { Choice } from "../ui/form/form.tsx";
import { Badge } from "../ui/page.tsx";
import { Failure, QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { type Delivery, type Endpoint, type EndpointCalls, useCall } from "./endpoint-calls.ts";

const TONES = { delivered: "good", pending: "plain", failed: "bad" } as const;
const STATUSES = Object.keys(TONES) as Delivery["status"][];

export function Deliveries({ of: { id, name }, calls }: { of: Endpoint; calls: EndpointCalls }) {
  const [status, setStatus] = useState<Delivery["status"] | "">("");
  const [cursors, setCursors] = useState<string[]>([]); // of the pages behind the first
  const [failure, setFailure] = useState<Error | null>(null);
  const cursor = cursors.at(-1);
  const deliveries = useCall(calls, `deliveries ${id} ${status} ${cursor ?? ""}`, () =>
    calls.deliveries(id, { ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) }),
  );
  const retry = async (delivery: string) => {
    setFailure(null);
    await calls.retry(id, delivery).then(refreshAll, setFailure);
  };
  return (
    <section aria-label={`Deliveries of ${name}`}>
      <Choice
        label="Show"
        value={status}
        onChange={({ target }) => {
          setStatus(target.value as Delivery["status"] | "");
          setCursors([]);
        }}
      >
        <option value="">All deliveries</option>
        {STATUSES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Choice>
      {failure && <Failure error={failure} />}
      <QueryBoundary of={deliveries}>
        {({ data, next_cursor: next }) => (
          <>
            <Table
              caption={`Deliveries of ${name}, the newest first`}
              columns={columns(retry)}
              rows={data}
              keyOf={(delivery) => delivery.id}
              empty="Nothing was sent."
            />
            <div className="actions">
              {cursor && <Button onClick={() => setCursors([])}>Newest</Button>}
              {next && <Button onClick={() => setCursors([...cursors, next])}>Older</Button>}
            </div>
          </>
        )}
      </QueryBoundary>
    </section>
  );
}

const columns = (onRetry: (delivery: string) => Promise<void>): Column<Delivery>[] => [
  {
    name: "Event",
    of: ({ event_type, event_id }) => (
      <>
        <strong>{event_type}</strong>
        <code className="second-line">{event_id}</code>
      </>
    ),
  },
  { name: "Status", phone: "side", of: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { name: "Answer", of: answerOf },
  { name: "Attempt", numeric: true, of: ({ attempt }) => attempt },
  {
    name: "Next attempt",
    isExtra: true,
    of: ({ next_attempt_at }) => <RelativeTime time={next_attempt_at} otherwise="none" />,
  },
  { name: "Sent", of: ({ created_at }) => <RelativeTime time={created_at} /> },
  {
    name: "Actions",
    isActions: true,
    of: ({ id, event_type, status }) =>
      status !== "pending" && (
        <Button kind="quiet" aria-label={`Send again: ${event_type}`} onClick={() => void onRetry(id)}>
          Send again
        </Button>
      ),
  },
];

function answerOf({ status_code, error, duration_ms }: Delivery): string {
  const answer = status_code ?? error;
  if (answer === null) return "none yet";
  return duration_ms === null ? String(answer) : `${answer} in ${duration_ms} ms`;
}
