/** The state of the server: process, engines, models, counters and recent errors. */

import type { ReactNode } from "react";
import { Link } from "wouter";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useSession } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { byteSize, count } from "../format/numbers.ts";
import { moment, span } from "../format/times.ts";
import { Button } from "../ui/button.tsx";
import { DownloadCard } from "../ui/download-card.tsx";
import { Name } from "../ui/name.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table, type TableProps } from "../ui/table.tsx";
import { Activity } from "./activity.tsx";
import { isTrouble, sentenceOf } from "./counter-sentences.ts";
import { Machines } from "./machines.tsx";
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
          <Machines />
          <Activity />
          <div className="columns">
            <Engines engines={health.engines} isOne={health.nodes.length === 1} />
            <TableCard
              title="Models"
              caption="Models and the versions they resolve to"
              columns={MODELS}
              rows={health.models}
              keyOf={byId}
              empty="No models in the catalogue."
            />
          </div>
          {health.database === "sqlite" && <Backup />}
          <Counters counters={health.counters} nodes={health.nodes.length} />
          <TableCard
            title="Recent errors"
            caption="Server errors, newest first"
            columns={ERRORS}
            rows={health.errors}
            keyOf={byId}
            empty="No server errors."
          />
        </>
      )}
    </QueryBoundary>
  );
}

const byId = ({ id }: { id: string }): string => id;

type TableCardProps<Row> = TableProps<Row> & { title: string; children?: ReactNode };

const TableCard = <Row,>({ title, children, ...table }: TableCardProps<Row>) => (
  <Card title={title}>
    <Table {...table} />
    {children}
  </Card>
);

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
        <dd>{byteSize(health.memory_bytes)}</dd>
        <dt>Database</dt>
        <dd>{DATABASES[health.database]}</dd>
        <dt>Rate limits</dt>
        <dd>{STORES[health.limits]}</dd>
      </dl>
    </Card>
  );
}

const Backup = () => (
  <DownloadCard title="Backup" route="POST /api/operator/backup" input={{}} button="Download a backup">
    <p>
      One file with everything but model packages, recordings and files of callers. It holds secrets: keep it
      where only you can read it. <code>loquat restore FILE</code> starts a server from it.
    </p>
  </DownloadCard>
);

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

/** With several nodes, the one that answers would be unloaded, which need not be the one that is meant. */
function Engines({ engines, isOne }: { engines: Engine[]; isOne: boolean }) {
  const unload = useWrite("POST /api/operator/unload");
  const unloading: Column<Engine> = {
    name: "Unload",
    isActions: true,
    of: ({ name, loaded, running, waiting }) =>
      loaded &&
      running + waiting === 0 && (
        <Button
          kind="quiet"
          onClick={() => unload.mutate({ body: { engine: name } })}
          disabled={unload.isPending}
        >
          Unload
        </Button>
      ),
  };
  return (
    <TableCard
      title="Engines"
      caption="Engines"
      columns={isOne ? [...ENGINES, unloading] : ENGINES}
      rows={engines}
      keyOf={({ name }) => name}
      empty="No engines."
    >
      {unload.data?.unloaded === false && (
        <p role="status">It is not unloaded: it had a task within the last minute.</p>
      )}
    </TableCard>
  );
}

const MODELS: Column<Health["models"][number]>[] = [
  { name: "Model", of: ({ id }) => <code className="id">{id}</code> },
  { name: "Version", of: ({ version }) => version ?? <Badge tone="warn">Not installed</Badge> },
];

const ERRORS: Column<ErrorRecord>[] = [
  { name: "When", of: ({ created_at }) => <span className="one-line">{moment(created_at)}</span> },
  {
    name: "Request",
    of: (error) => (
      <>
        {error.endpoint}
        <span className="second-line">
          <RequestId of={error} />
        </span>
      </>
    ),
  },
  { name: "Status", of: ({ status, error_code }) => `${status} ${error_code ?? ""}` },
  { name: "Model", of: ({ model }) => model ?? "–" },
  {
    name: "Organization",
    of: ({ organization_id: id, organization_name: name }) =>
      name === null ? (
        <code className="id">{id}</code>
      ) : (
        <Link href={`/operator/organizations/${id}`}>
          <Name of={name} />
        </Link>
      ),
  },
];

/** Members of the organization can open it. */
function RequestId({ of: { id, organization_id: organization } }: { of: ErrorRecord }) {
  const isMember = useSession().organizations.some((each) => each.id === organization);
  const text = <code className="id">{id}</code>;
  return isMember ? <Link href={`${hrefOf(organization, "requests")}?open=${id}`}>{text}</Link> : text;
}

type CountersProps = { counters: Record<string, number>; nodes: number };

/** What was counted since the server started, as sentences: first what is worth a look at the log. */
function Counters({ counters, nodes }: CountersProps) {
  const counted = Object.entries(counters).filter(([, value]) => value > 0);
  const [troubles, others] = [true, false].map((isOne) =>
    counted.filter(([name]) => isTrouble(name) === isOne),
  ) as [typeof counted, typeof counted];
  return (
    <Card title={nodes > 1 ? "All nodes since they started" : "Since the server started"}>
      <ul className="sentences">
        {troubles.length === 0 && (
          <li>
            <Badge tone="good">Good</Badge> Nothing was lost, dropped or replaced.
          </li>
        )}
        {troubles.map(([name, value]) => (
          <li key={name}>
            <Badge tone="warn">Check</Badge> {sentenceOf(name, value)}
          </li>
        ))}
        {others.map(([name, value]) => (
          <li key={name}>{sentenceOf(name, value)}</li>
        ))}
      </ul>
    </Card>
  );
}
