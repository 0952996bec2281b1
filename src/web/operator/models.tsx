/** Packages of models: what is installed, what can be had, and how far a pull has come. */
import "../style/operator.css";
import { bytes } from "../lib/format.ts";
import { useRead } from "../lib/queries.ts";
import type { Reply } from "../lib/server.ts";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { OperatorsOnly } from "./operators-only.tsx";
import { PackageActions } from "./package-actions.tsx";

type Answered = Reply<"GET /api/operator/models">;
export type Package = Answered["data"][number];

const BUSY_MS = 1000;
const IDLE_MS = 15_000;

export function Models() {
  return (
    <OperatorsOnly title="Models">
      <Packages />
    </OperatorsOnly>
  );
}

const runs = ({ pull }: Package) => pull?.status === "running";

function Packages() {
  const read = useRead(
    "GET /api/operator/models",
    {},
    { everyMs: (last) => (last?.data.some(runs) ? BUSY_MS : IDLE_MS) },
  );
  return (
    <QueryBoundary of={read}>
      {({ data }) => (
        <>
          <Card title="Installed">
            <Table
              caption="Installed packages"
              columns={COLUMNS}
              rows={data.filter(({ installed_version }) => installed_version !== null)}
              keyOf={({ name }) => name}
              empty="No package is installed: the models use the voices and recognizers that come with the server. Pull a recommended one below."
            />
          </Card>
          <Card title="To be had">
            <Table
              caption="Packages that can be pulled"
              columns={COLUMNS}
              rows={data
                .filter(({ installed_version }) => installed_version === null)
                .sort((a, b) => Number(b.recommended) - Number(a.recommended))}
              keyOf={({ name }) => name}
              empty="Everything is installed."
            />
          </Card>
        </>
      )}
    </QueryBoundary>
  );
}

const COLUMNS: Column<Package>[] = [
  {
    name: "Package",
    of: ({ name, title, recommended }) => (
      <>
        {title} {recommended && <Badge tone="good">Recommended</Badge>}
        <br />
        <code className="id">{name}</code>
      </>
    ),
  },
  {
    name: "Version",
    of: ({ version, installed_version }) => (
      <>
        <span className="one-line">{installed_version ?? version}</span>
        {installed_version !== null && installed_version !== version && (
          <small className="second-line">{version} can be had</small>
        )}
      </>
    ),
  },
  { name: "Family", of: ({ family }) => family },
  {
    name: "Size",
    numeric: true,
    of: ({ bytes: size }) => (size === null ? "–" : <span className="one-line">{bytes(size)}</span>),
  },
  {
    name: "Licence",
    of: ({ license }) => (
      <a href={license.url} target="_blank" rel="noreferrer" aria-label={`${license.spdx}, in a new tab`}>
        {license.spdx}
      </a>
    ),
  },
  { name: "State", of: (item) => <State item={item} /> },
  { name: "Change", of: (item) => <PackageActions item={item} /> },
];

function State({ item: { name, pull, installed_version } }: { item: Package }) {
  if (pull?.status === "running")
    return (
      <>
        <progress
          className="bar"
          aria-label={`Pulling ${name}`}
          {...(pull.total > 0 ? { max: pull.total, value: pull.bytes } : {})}
        />
        <small>
          {pull.total > 0 ? `${bytes(pull.bytes)} of ${bytes(pull.total)}` : "Waiting for its turn"}
        </small>
      </>
    );
  return (
    <span role="status">
      {pull?.status === "failed" && (
        <>
          <Badge tone="bad">Failed</Badge> <small className="second-line">{pull.message}</small>
        </>
      )}
      {!pull &&
        (installed_version === null ? <Badge>Not installed</Badge> : <Badge tone="good">Installed</Badge>)}
    </span>
  );
}
