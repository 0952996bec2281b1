/** The keys of an organization: who may call the API, with what, until when. */
import { type ReactNode, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useRead } from "../lib/queries.ts";
import { type Reply, searchOf } from "../lib/server.ts";
import { useOrganization } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { Table } from "../ui/table.tsx";
import { type Change, KeyChange } from "./change.tsx";
import { type Filters, filtersOf, KeyFilters } from "./key-filters.tsx";
import { NewKey } from "./new.tsx";
import { keyColumns } from "./row.tsx";
import "../style/organization.css";

export type Key = Reply<"GET /api/keys/:key">;
export type Project = Reply<"GET /api/projects/:project">;

export function Keys() {
  const { id } = useOrganization();
  const [search, setSearch] = useSearchParams();
  const [open, setOpen] = useState<"new" | Change | null>(null);
  const filters = filtersOf(search);
  const ids = { organization: id };
  const projects = useRead("GET /api/organizations/:organization/projects", { ids });
  const keys = useRead("GET /api/organizations/:organization/keys", { ids, query: filters }, { keep: true });
  const known = projects.data?.data ?? [];
  const create = (
    <Button kind="primary" disabled={!projects.data} onClick={() => setOpen("new")}>
      Create a key
    </Button>
  );
  return (
    <Page title="API keys" actions={create}>
      <KeyFilters filters={filters} projects={known} onChange={setSearch} />
      <QueryBoundary of={keys}>
        {({ data, next_cursor }) => (
          <>
            <Table
              caption="API keys"
              columns={keyColumns(known, setOpen)}
              rows={data}
              keyOf={(key) => key.id}
              empty={isNarrowed(filters) ? <NoneLikeThis /> : <None />}
            />
            <Pages filters={filters} next={next_cursor} />
          </>
        )}
      </QueryBoundary>
      {open === "new" && <NewKey projects={known} onClose={() => setOpen(null)} />}
      {open && open !== "new" && <KeyChange change={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}

const isNarrowed = (filters: Filters): boolean => Object.values(filters).some(Boolean);

function None(): ReactNode {
  return <p>No keys yet. Create one: programs call the API with it, as the official OpenAI clients do.</p>;
}

function NoneLikeThis(): ReactNode {
  return (
    <p>
      No keys like this. <Link href="?">Show all</Link>
    </p>
  );
}

/** Older ones follow; Back leads to the newer. */
function Pages({ filters, next }: { filters: Filters; next: string | null }) {
  const { cursor, ...others } = filters;
  if (!cursor && !next) return null;
  return (
    <nav className="actions" aria-label="Pages">
      {cursor && <Link href={searchOf(others) || "?"}>Newest</Link>}
      {next && <Link href={searchOf({ ...others, cursor: next })}>Older</Link>}
    </nav>
  );
}
