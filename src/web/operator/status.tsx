/** The state of the server: process, engines, models, counters and recent errors. */
import "../style/operator.css";
import { bytes, count, moment, span } from "../lib/format.ts";
import { useRead } from "../lib/queries.ts";
import type { Reply } from "../lib/server.ts";
import { Badge, Card, Figure, Figures } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Counters } from "./counters.tsx";
import { OperatorsOnly } from "./operators-only.tsx";

type Health = Reply<"GET /api/operator/status">;
type Engine = Health["engines"][number];
type ErrorRecord = Health["errors"][number];

const EVERY_MS = 2000;

export function Status() {
  return (
    <OperatorsOnly title="Status">
      <ServerStatus />
    </OperatorsOnly>
  );
}

function ServerStatus() {
  const query = useRead("GET /api/operator/status", {}, { everyMs: EVERY_MS });
  return (
    <QueryBoundary of={query}>
      {(health) => (
        <>
          <Process health={health} />
          <div className="columns">
            <Card title="Engines">
              <Table
                caption="Engines"
                columns={ENGINES}
                rows={health.engines}
                keyOf={({ name }) => name}
                empty="No engines."
              />
            </Card>
            <Card title="Models">
              <Table
                caption="Models and the versions they resolve to"
                columns={MODELS}
                rows={health.models}
                keyOf={({ id }) => id}
                empty="No models in the catalogue."
              />
            </Card>
          </div>
          <Counters counters={health.counters} />
          <Card title="Recent errors">
            <Table
              caption="Server errors, newest first"
              columns={ERRORS}
              rows={health.errors}
              keyOf={({ id }) => id}
              empty="No server errors."
            />
          </Card>
        </>
      )}
    </QueryBoundary>
  );
}

const DATABASES = { sqlite: "SQLite", postgres: "PostgreSQL" };
const STORES = { memory: "In memory", redis: "Redis" };

function Process({ health }: { health: Health }) {
  return (
    <Card title="Process">
      <Figures>
        <Figure name="Version" value={health.version} />
        <Figure name="Runtime" value={health.runtime} />
        <Figure name="Uptime" value={span(health.uptime_seconds)} />
        <Figure name="Memory" value={bytes(health.memory_bytes)} />
        <Figure name="Database" value={DATABASES[health.database]} />
        <Figure name="Rate limits" value={STORES[health.limits]} />
      </Figures>
    </Card>
  );
}

const ENGINES: Column<Engine>[] = [
  { name: "Engine", of: ({ name }) => <code className="id">{name}</code> },
  {
    name: "State",
    of: ({ loaded }) => (loaded ? <Badge tone="good">Loaded</Badge> : <Badge>Unloaded</Badge>),
  },
  { name: "Running", numeric: true, of: ({ running }) => count(running) },
  {
    name: "Queued",
    numeric: true,
    of: ({ waiting }) => (waiting > 0 ? <Badge tone="warn">{count(waiting)}</Badge> : "0"),
  },
];

const MODELS: Column<Health["models"][number]>[] = [
  { name: "Model", of: ({ id }) => <code className="id">{id}</code> },
  { name: "Version", of: ({ version }) => version ?? <Badge tone="warn">Not installed</Badge> },
];

const ERRORS: Column<ErrorRecord>[] = [
  { name: "When", of: ({ created_at }) => <span className="one-line">{moment(created_at)}</span> },
  {
    name: "Request",
    of: ({ id, endpoint }) => (
      <>
        {endpoint}
        <br />
        <code className="id">{id}</code>
      </>
    ),
  },
  { name: "Status", of: ({ status, error_code }) => `${status} ${error_code ?? ""}` },
  { name: "Model", of: ({ model }) => model ?? "–" },
  { name: "Organization", of: ({ organization_id }) => <code className="id">{organization_id}</code> },
];
