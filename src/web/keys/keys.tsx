/** The API keys of the organization. */
import { type ReactNode, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useRead } from "../api/queries.ts";
import { searchOf } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { count } from "../format/numbers.ts";
import { Button } from "../ui/button.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { Table } from "../ui/table.tsx";
import type { KeyChange } from "./key.ts";
import { KeyDialog } from "./key-dialogs.tsx";
import { type Filters, filtersOf, isNarrow, KeyFilters } from "./key-filters.tsx";
import { NewKey } from "./new.tsx";
import { keyColumns } from "./row.tsx";

export function Keys() {
  const { id } = useOrganization();
  const [search, setSearch] = useSearchParams();
  const [open, setOpen] = useState<"new" | KeyChange | null>(null);
  const filters = filtersOf(search);
  const ids = { organization: id };
  const query = { ...filters, playground: filters.playground ?? ("excluded" as const) };
  const projects = useRead("GET /api/organizations/:organization/projects", { ids });
  const keys = useRead("GET /api/organizations/:organization/keys", { ids, query }, { keep: true });
  const projectList = projects.data?.data ?? [];
  const create = (
    <Button kind="primary" disabled={!projects.data} onClick={() => setOpen("new")}>
      Create key
    </Button>
  );
  return (
    <Page title="API keys" actions={create}>
      <KeyFilters filters={filters} projects={projectList} onChange={setSearch} />
      <QueryBoundary of={keys}>
        {({ data, next_cursor, total }) => (
          <Card title={total === 1 ? "1 key" : `${count(total)} keys`}>
            <Table
              caption="API keys"
              columns={keyColumns({ keys: data, projects: projectList, onChange: setOpen })}
              rows={data}
              keyOf={(key) => key.id}
              empty={isNarrow(filters) ? <NoMatches /> : <NoKeys />}
            />
            <Pages filters={filters} next={next_cursor} />
          </Card>
        )}
      </QueryBoundary>
      {open === "new" && <NewKey projects={projectList} onClose={() => setOpen(null)} />}
      {open && open !== "new" && <KeyDialog change={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}

function NoKeys(): ReactNode {
  return <p>No keys yet. Create one to call the API, for example with an OpenAI client.</p>;
}

function NoMatches(): ReactNode {
  return (
    <p>
      No matching keys. <Link href="?">Show all</Link>
    </p>
  );
}

/** Links to the pages that follow; the browser's Back button leads to those before. */
function Pages({ filters, next }: { filters: Filters; next: string | null }) {
  const { cursor, ...others } = filters;
  if (!cursor && !next) return null;
  return (
    <nav className="actions" aria-label="Pages">
      {cursor && <Link href={searchOf(others) || "?"}>First page</Link>}
      {next && <Link href={searchOf({ ...others, cursor: next })}>Next page</Link>}
    </nav>
  );
}
