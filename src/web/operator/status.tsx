/** How this server is: what it is, how busy its engines are, what it counted, and what failed last. */
import "../style/operator.css";
import { bytes, count, moment, span } from "../lib/format.ts";
import { useRead } from "../lib/queries.ts";
import type { Reply } from "../lib/server.ts";
import { Badge, Card, Figure, Figures } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { OperatorsOnly } from "./operators-only.tsx";

type Health = Reply<"GET /api/operator/status">;
type Engine = Health["engines"][number];
type Fault = Health["errors"][number];

const EVERY_MS = 2000;

export function Status() {
  return (
    <OperatorsOnly title="Status">
      <Live />
    </OperatorsOnly>
  );
}

function Live() {
  const read = useRead("GET /api/operator/status", {}, { everyMs: EVERY_MS });
  return (
    <QueryBoundary of={read}>
      {(health) => (
        <>
          <Process health={health} />
          <div className="columns">
            <Card title="Engines">
              <Table
                caption="Engines, as they are now"
                columns={ENGINES}
                rows={health.engines}
                keyOf={({ name }) => name}
                empty="No engine is there."
              />
            </Card>
            <Card title="Models">
              <Table
                caption="Models, and the version that each resolves to"
                columns={MODELS}
                rows={health.models}
                keyOf={({ id }) => id}
                empty="The catalogue has no model."
              />
            </Card>
          </div>
          <Card title="Counters since the start">
            <Table
              caption="What was counted since the start"
              columns={COUNTERS}
              rows={Object.entries(health.counters)}
              keyOf={([name]) => name}
              empty="Nothing was counted yet."
            />
          </Card>
          <Card title="Last failures">
            <Table
              caption="Requests that failed on this side, newest first"
              columns={FAULTS}
              rows={health.errors}
              keyOf={({ id }) => id}
              empty="No request failed on this side."
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
        <Figure name="Up for" value={span(health.uptime_seconds)} />
        <Figure name="Memory" value={bytes(health.memory_bytes)} />
        <Figure name="Database" value={DATABASES[health.database]} />
        <Figure name="Limits" value={STORES[health.limits]} />
      </Figures>
    </Card>
  );
}

const ENGINES: Column<Engine>[] = [
  { name: "Engine", of: ({ name }) => <code className="id">{name}</code> },
  { name: "State", of: ({ loaded }) => (loaded ? <Badge tone="good">Loaded</Badge> : <Badge>Asleep</Badge>) },
  { name: "Running", numeric: true, of: ({ running }) => count(running) },
  {
    name: "Waiting",
    numeric: true,
    of: ({ waiting }) => (waiting > 0 ? <Badge tone="warn">{count(waiting)}</Badge> : "0"),
  },
];

const MODELS: Column<Health["models"][number]>[] = [
  { name: "Model", of: ({ id }) => <code className="id">{id}</code> },
  { name: "Version", of: ({ version }) => version ?? <Badge tone="warn">Nothing installed</Badge> },
];

const COUNTERS: Column<[string, number]>[] = [
  { name: "Counter", of: ([name]) => <code className="id">{name}</code> },
  { name: "Count", numeric: true, of: ([, value]) => count(value) },
];

const FAULTS: Column<Fault>[] = [
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
