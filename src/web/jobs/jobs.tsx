/** The jobs of the organization, newest first, or one of them. The address holds the whole state. */

import { Link } from "wouter";
import { isUnfinished } from "../../job-statuses.ts";
import { useRead } from "../api/queries.ts";
import { searchOf } from "../api/server.ts";
import { useOrganization, useShowsMoney } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { seconds } from "../format/numbers.ts";
import { Moment } from "../requests/request-table.tsx";
import { FilterChoice, optionsOf } from "../ui/form/filter-choice.tsx";
import { Money } from "../ui/money.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { useAddress } from "../usage/filters.tsx";
import { type Job, STATUS_NAMES, sourceOf, UNFINISHED_EVERY_MS } from "./job.ts";
import { JobPage } from "./job-page.tsx";
import { JobProgress, JobStatus } from "./job-state.tsx";

export function Jobs() {
  const [search] = useAddress();
  const open = search.get("open");
  return open === null ? <JobList /> : <JobPage key={open} id={open} />;
}

type Filters = { status?: Job["status"]; project_id?: string; cursor?: string };

/** Ignores what there is no status for. */
function filtersOf(search: URLSearchParams): Filters {
  const {
    status = "",
    project_id,
    cursor,
  } = Object.fromEntries(search) as Record<string, string | undefined>;
  return {
    ...(status in STATUS_NAMES ? { status: status as Job["status"] } : {}),
    ...(project_id ? { project_id } : {}),
    ...(cursor ? { cursor } : {}),
  };
}

function JobList() {
  const { id: organization } = useOrganization();
  const showsMoney = useShowsMoney();
  const [search, change] = useAddress();
  const filters = filtersOf(search);
  const ids = { organization };
  const projects = useRead("GET /api/organizations/:organization/projects", { ids }).data?.data ?? [];
  const jobs = useRead(
    "GET /api/organizations/:organization/jobs",
    { ids, query: filters },
    { keep: true, everyMs: (last) => (last?.data.some(isUnfinished) ? UNFINISHED_EVERY_MS : 0) },
  );
  const all = columnsOf(organization);
  // a cursor is only valid for its own filters
  const choose = (name: keyof Filters) => (value: string) => change({ [name]: value, cursor: null });
  return (
    <Page title="Jobs">
      <section className="filters" aria-label="Filters">
        <FilterChoice
          label="Status"
          value={filters.status ?? ""}
          options={optionsOf(STATUS_NAMES)}
          onChoose={choose("status")}
        />
        <FilterChoice
          label="Project"
          value={filters.project_id ?? ""}
          options={projects}
          onChoose={choose("project_id")}
        />
      </section>
      <QueryBoundary of={jobs}>
        {({ data, next_cursor: next }) => (
          <Card className="wide" title="Newest first">
            <div className="table-part">
              <Table
                caption="Jobs, newest first"
                columns={showsMoney ? all : all.filter(({ name }) => name !== "Cost")}
                rows={data}
                keyOf={({ id }) => id}
                empty={<Empty organization={organization} isNarrow={Object.keys(filters).length > 0} />}
                isLinked
              />
            </div>
            <Pages filters={filters} next={next} />
            <p className="hint">
              A job transcribes a recording of hours, or speaks a book, in the background. Its result is kept
              for a week, unless the organization's privacy settings say otherwise.
            </p>
          </Card>
        )}
      </QueryBoundary>
    </Page>
  );
}

const columnsOf = (organization: string): Column<Job>[] => [
  {
    name: "Recording or text",
    of: (job) => (
      <Link href={`${hrefOf(organization, "jobs")}?open=${job.id}`} className="row-link" title={job.id}>
        <bdi>{sourceOf(job)}</bdi>
        <small className="second-line">{job.model}</small>
      </Link>
    ),
  },
  { name: "Status", phone: "side", of: (job) => <JobStatus of={job} /> },
  { name: "Progress", of: (job) => <JobProgress of={job} /> },
  {
    name: "Length",
    numeric: true,
    of: ({ input }) => (input.duration_seconds === null ? "" : seconds(input.duration_seconds)),
  },
  { name: "Made", of: ({ created_at }) => <Moment time={created_at} /> },
  {
    name: "Result kept until",
    phone: "hidden",
    of: ({ status, expires_at }) => status === "completed" && <RelativeTime time={expires_at} />,
  },
  {
    name: "Cost",
    numeric: true,
    of: ({ usage, cost_micros }) => usage !== null && <Money micros={cost_micros} />,
  },
];

function Empty({ organization, isNarrow }: { organization: string; isNarrow: boolean }) {
  if (isNarrow)
    return (
      <p>
        No matching jobs. <Link href="?">Show all</Link>
      </p>
    );
  return (
    <p>
      No jobs yet. Send a recording or a text with <code>background</code>, or a book or a web page in the{" "}
      <Link href={hrefOf(organization, "playground")}>Playground</Link>, and it goes on here without you.
    </p>
  );
}

/** Links to the pages that follow; the browser's Back button leads to those before. */
function Pages({ filters: { cursor, ...others }, next }: { filters: Filters; next: string | null }) {
  if (!cursor && !next) return null;
  return (
    <nav className="actions" aria-label="Pages">
      {cursor && <Link href={searchOf(others) || "?"}>First page</Link>}
      {next && <Link href={searchOf({ ...others, cursor: next })}>Next page</Link>}
    </nav>
  );
}
