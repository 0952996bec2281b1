/** The audit log: who changed what in an organization, or on the whole server. The address holds the whole state. */
import { Link } from "wouter";
import { searchOf } from "../api/server.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { zone } from "../format/times.ts";
import { OperatorsOnly } from "../operator/operators-only.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { useAddress } from "../usage/filters.tsx";
import { fileHref, useAuditEvents } from "./audit-calls.ts";
import { AuditDetail } from "./audit-detail.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditTable } from "./audit-table.tsx";

export function AuditLog() {
  const { id } = useOrganization();
  const isAdmin = useHasRole("admin");
  return (
    <Page title="Audit log">
      {isAdmin ? (
        <Events organization={id} />
      ) : (
        <Card title="Events">
          <p>Only owners and admins of the organization see who changed what.</p>
        </Card>
      )}
    </Page>
  );
}

export const ServerAuditLog = () => (
  <OperatorsOnly title="Audit log of the server">
    <Events organization={null} />
  </OperatorsOnly>
);

function Events({ organization }: { organization: string | null }) {
  const [search, change] = useAddress();
  const events = useAuditEvents(organization, search);
  const open = search.get("open");
  return (
    <>
      <AuditFilters organization={organization} />
      <QueryBoundary of={events}>
        {({ data, next_cursor: next }) => {
          const shown = data.find(({ id }) => id === open);
          return (
            <Card
              className="wide"
              title="Newest first"
              actions={data.length > 0 && <Exports {...{ organization, search }} />}
            >
              <AuditTable rows={data} showsOrganization={organization === null} search={search} />
              <Pages search={search} next={next} />
              <p className="hint">
                Times are in {zone()}. Events are kept for 400 days, and hold no secrets, texts or recordings.
              </p>
              {shown && (
                <AuditDetail
                  event={shown}
                  ids={data.map(({ id }) => id)}
                  onOpen={(id) => change({ open: id }, { replace: true })}
                />
              )}
            </Card>
          );
        }}
      </QueryBoundary>
    </>
  );
}

/** All that the filters match, written by the server. */
const Exports = ({ organization, search }: { organization: string | null; search: URLSearchParams }) =>
  (["csv", "json"] as const).map((format) => (
    <a
      key={format}
      className="button plain"
      download
      href={fileHref(organization, search, format)}
      title="All events that the filters match"
    >
      Export {format.toUpperCase()}
    </a>
  ));

/** Links to the pages that follow; the browser's Back button leads to those before. */
function Pages({ search, next }: { search: URLSearchParams; next: string | null }) {
  const { open: _, cursor, ...others } = Object.fromEntries(search) as Record<string, string | undefined>;
  if (!cursor && !next) return null;
  return (
    <nav className="actions" aria-label="Pages">
      {cursor && <Link href={searchOf(others) || "?"}>Newest</Link>}
      {next && <Link href={searchOf({ ...others, cursor: next })}>Older</Link>}
    </nav>
  );
}
