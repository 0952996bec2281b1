/** The jobs of the organization, newest first, or one of them. The address holds the whole state. */

import { Link } from "wouter";
import { isUnfinished, JOB_STATUSES } from "../../job-statuses.ts";
import { useRead } from "../api/queries.ts";
import { searchOf } from "../api/server.ts";
import { useOrganization, useShowsMoney } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { seconds } from "../format/numbers.ts";
import { jobsTexts } from "../language/en/jobs.ts";
import { Moment } from "../requests/request-table.tsx";
import { FilterChoice } from "../ui/form/filter-choice.tsx";
import { Money } from "../ui/money.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { code, linkTo } from "../ui/rich.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { useAddress } from "../usage/filters.tsx";
import { type Job, sourceOf, UNFINISHED_EVERY_MS } from "./job.ts";
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
    ...(JOB_STATUSES.some((each) => each === status) ? { status: status as Job["status"] } : {}),
    ...(project_id ? { project_id } : {}),
    ...(cursor ? { cursor } : {}),
  };
}

function JobList() {
  const t = jobsTexts();
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
    <Page title={t("title")}>
      <section className="filters" aria-label={t("filters")}>
        <FilterChoice
          label={t("status")}
          value={filters.status ?? ""}
          options={JOB_STATUSES.map((id) => ({ id, name: t(id) }))}
          onChoose={choose("status")}
        />
        <FilterChoice
          label={t("project")}
          value={filters.project_id ?? ""}
          options={projects}
          onChoose={choose("project_id")}
        />
      </section>
      <QueryBoundary of={jobs}>
        {({ data, next_cursor: next }) => (
          <Card className="wide" title={t("newest")}>
            <div className="table-part">
              <Table
                caption={t("caption")}
                columns={showsMoney ? all : all.filter(({ name }) => name !== t("cost"))}
                rows={data}
                keyOf={({ id }) => id}
                empty={<Empty organization={organization} isNarrow={Object.keys(filters).length > 0} />}
                isLinked
              />
            </div>
            <Pages filters={filters} next={next} />
            <p className="hint">{t("hint")}</p>
          </Card>
        )}
      </QueryBoundary>
    </Page>
  );
}

const columnsOf = (organization: string, t = jobsTexts()): Column<Job>[] => [
  {
    name: t("source"),
    of: (job) => (
      <Link href={`${hrefOf(organization, "jobs")}?open=${job.id}`} className="row-link" title={job.id}>
        <bdi>{sourceOf(job)}</bdi>
        <small className="second-line">{job.model}</small>
      </Link>
    ),
  },
  { name: t("status"), phone: "side", of: (job) => <JobStatus of={job} /> },
  { name: t("progress"), of: (job) => <JobProgress of={job} /> },
  {
    name: t("length"),
    numeric: true,
    of: ({ input }) => (input.duration_seconds === null ? "" : seconds(input.duration_seconds)),
  },
  { name: t("made"), of: ({ created_at }) => <Moment time={created_at} /> },
  {
    name: t("keptUntil"),
    phone: "hidden",
    of: ({ status, expires_at }) => status === "completed" && <RelativeTime time={expires_at} />,
  },
  {
    name: t("cost"),
    numeric: true,
    of: ({ usage, cost_micros }) => usage !== null && <Money micros={cost_micros} />,
  },
];

function Empty({ organization, isNarrow }: { organization: string; isNarrow: boolean }) {
  const t = jobsTexts();
  if (isNarrow) return <p>{t.rich("noMatch", { link: linkTo("?") })}</p>;
  return <p>{t.rich("empty", { code, link: linkTo(hrefOf(organization, "playground")) })}</p>;
}

/** Links to the pages that follow; the browser's Back button leads to those before. */
function Pages({ filters: { cursor, ...others }, next }: { filters: Filters; next: string | null }) {
  const t = jobsTexts();
  if (!cursor && !next) return null;
  return (
    <nav className="actions" aria-label={t("pages")}>
      {cursor && <Link href={searchOf(others) || "?"}>{t("firstPage")}</Link>}
      {next && <Link href={searchOf({ ...others, cursor: next })}>{t("nextPage")}</Link>}
    </nav>
  );
}
