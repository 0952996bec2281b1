/** Model packages: installed ones, available ones, and the progress of downloads. */
import "../style/operator.css";
import { bytes } from "../lib/format.ts";
import { useRead } from "../lib/queries.ts";
import type { Reply } from "../lib/server.ts";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { OperatorsOnly } from "./operators-only.tsx";
import type { Package } from "./package.ts";
import { PackageActions } from "./package-actions.tsx";
import { isPulling, PackageState } from "./package-state.tsx";

export type Packages = Reply<"GET /api/operator/models">;
const BUSY_MS = 1000;
const IDLE_MS = 15_000;

export function Models() {
  return (
    <OperatorsOnly title="Models">
      <PackageTables />
    </OperatorsOnly>
  );
}

function PackageTables() {
  const query = useRead(
    "GET /api/operator/models",
    {},
    { everyMs: (last) => (last?.data.some(isPulling) ? BUSY_MS : IDLE_MS) },
  );
  return (
    <QueryBoundary of={query}>
      {({ data }) => (
        <>
          <Card title="Installed">
            <Table
              caption="Installed packages"
              columns={COLUMNS}
              rows={data.filter(({ installed_version }) => installed_version !== null)}
              keyOf={({ name }) => name}
              empty="No packages installed: the built-in voices and recognizers are used. Pull a recommended package below."
            />
          </Card>
          <Card title="Available">
            <Table
              caption="Available packages"
              columns={COLUMNS}
              rows={data
                .filter(({ installed_version }) => installed_version === null)
                .sort((a, b) => Number(b.recommended) - Number(a.recommended))}
              keyOf={({ name }) => name}
              empty="All packages are installed."
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
          <small className="second-line">{version} available</small>
        )}
      </>
    ),
  },
  { name: "Family", of: ({ family }) => family },
  {
    name: "Size",
    numeric: true,
    of: ({ bytes: size }) => (size === null ? "unknown" : <span className="one-line">{bytes(size)}</span>),
  },
  {
    name: "Licence",
    of: ({ license }) => (
      <a href={license.url} target="_blank" rel="noreferrer" aria-label={`${license.spdx}, in a new tab`}>
        {license.spdx}
      </a>
    ),
  },
  { name: "State", of: (item) => <PackageState item={item} /> },
  { name: "Actions", of: (item) => <PackageActions item={item} /> },
];
