/** The state of the server: process, engines, models, counters and recent errors. */
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { bytes, count } from "../format/numbers.ts";
import { moment, span } from "../format/times.ts";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Activity } from "./activity.tsx";
import { isTrouble, sentenceOf } from "./counter-sentences.ts";
import { Nodes } from "./nodes.tsx";
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
          <Nodes nodes={health.nodes} engineNodes={health.engine_nodes} />
          <Activity />
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
          <Counters counters={health.counters} nodes={health.nodes.length} />
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
const STORES = { memory: "In memory", redis: "Redis", postgres: "PostgreSQL" };

function Process({ health }: { health: Health }) {
  return (
    <Card title="Process">
      <dl className="facts">
        <dt>Version</dt>
        <dd>
          {health.version} on {health.runtime}
        </dd>
        <dt>Uptime</dt>
        <dd>{span(health.uptime_seconds)}</dd>
        <dt>Memory</dt>
        <dd>{bytes(health.memory_bytes)}</dd>
        <dt>Database</dt>
        <dd>{DATABASES[health.database]}</dd>
        <dt>Rate limits</dt>
        <dd>{STORES[health.limits]}</dd>
      </dl>
    </Card>
  );
}

const ENGINES: Column<Engine>[] = [
  { name: "Engine", of: ({ name }) => <code className="id">{name}</code> },
  {
    name: "State",
    phone: "side",
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
  {
    name: "Organization",
    of: ({ organization_id: id }) => (
      <Link href={`/operator/organizations/${id}`}>
        <code className="id">{id}</code>
      </Link>
    ),
  },
];

type CountersProps = { counters: Record<string, number>; nodes: number };

/** What was counted since the server started, as sentences. */
function Counters({ counters, nodes }: CountersProps) {
  return (
    <Card title={nodes > 1 ? "All nodes since they started" : "Since the server started"}>
      <ul className="sentences">
        {Object.entries(counters).map(([name, value]) => (
          <li key={name}>
            {isTrouble(name, value) && <Badge tone="warn">Check</Badge>} {sentenceOf(name, value)}
          </li>
        ))}
      </ul>
    </Card>
  );
}
