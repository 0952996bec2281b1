/** One job: how far it is, what it costs, what it was made with, and its result. */

import { useState } from "react";
import { Link, useLocation } from "wouter";
import { isUnfinished } from "../../job-statuses.ts";
import { queryClient, useRead, useWrite } from "../api/queries.ts";
import { call } from "../api/server.ts";
import { useOrganization, useShowsMoney } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { money } from "../format/dollars.ts";
import { byteSize, seconds } from "../format/numbers.ts";
import { Moment } from "../requests/request-table.tsx";
import { Button, CopyButton, LinkButton } from "../ui/button.tsx";
import { type Fact, Facts } from "../ui/facts.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Card, Notice, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Names, useNames } from "../usage/names.ts";
import { type Job, sourceOf, UNFINISHED_EVERY_MS } from "./job.ts";
import { JobResult } from "./job-result.tsx";
import { JobProgress, JobStatus } from "./job-state.tsx";

export function JobPage({ id }: { id: string }) {
  const { id: organization } = useOrganization();
  const [ending, setEnding] = useState<"cancel" | "delete" | null>(null);
  const job = useRead(
    "GET /api/organizations/:organization/jobs/:job",
    { ids: { organization, job: id } },
    { everyMs: (last) => (last && isUnfinished(last) ? UNFINISHED_EVERY_MS : 0) },
  );
  return (
    <Page
      title="Job"
      actions={
        <>
          <LinkButton kind="quiet" href={hrefOf(organization, "jobs")}>
            All jobs
          </LinkButton>
          {job.data && isUnfinished(job.data) && <Button onClick={() => setEnding("cancel")}>Cancel</Button>}
          {job.data && (
            <Button kind="danger" onClick={() => setEnding("delete")}>
              Delete
            </Button>
          )}
        </>
      }
    >
      <QueryBoundary of={job}>
        {(data) => (
          <>
            <About of={data} />
            <JobResult of={data} />
          </>
        )}
      </QueryBoundary>
      {ending === "cancel" && <Cancel id={id} onClose={() => setEnding(null)} />}
      {ending === "delete" && <Delete id={id} onClose={() => setEnding(null)} />}
    </Page>
  );
}

function About({ of: job }: { of: Job }) {
  const names = useNames();
  const showsMoney = useShowsMoney();
  const { error } = job;
  return (
    <Card title={sourceOf(job)} actions={<JobStatus of={job} />}>
      {error && (
        <Notice tone="bad">
          <p>
            <strong>{error.code}</strong>
          </p>
          <p>
            {error.message}{" "}
            {job.usage === null ? "It cost nothing." : "Its chapters that are spoken were charged."}
          </p>
        </Notice>
      )}
      {isUnfinished(job) && (
        <p className="job-progress">
          <JobProgress of={job} />
        </p>
      )}
      <div className="columns">
        <Facts of={[...timesOf(job), ...(showsMoney ? costOf(job) : [])]} />
        <Facts of={originOf(job, names)} />
      </div>
    </Card>
  );
}

const charactersText = (count: number): string => `${count.toLocaleString("en")} characters`;

const at = (time: number | null) => time && <Moment time={time} />;

const timesOf = (job: Job): Fact[] => [
  ["Made", at(job.created_at)],
  ["Begun", at(job.started_at)],
  ["Ended", at(job.completed_at)],
  ["Result kept until", job.status === "expired" ? null : at(job.expires_at)],
  ["Length", job.input.duration_seconds === null ? null : seconds(job.input.duration_seconds)],
  ["Text", job.input.characters === null ? null : charactersText(job.input.characters)],
  ["Speech", job.output && `${seconds(job.output.seconds)}, ${byteSize(job.output.bytes)}`],
  ["Size", job.input.bytes === null ? null : byteSize(job.input.bytes)],
  ["Model", job.model],
  ["Kind", job.kind],
];

const costOf = ({ usage, cost_micros }: Job): Fact[] => [
  ["Cost", usage === null ? null : `${money(cost_micros)} for ${amountOf(usage)}`],
];

const amountOf = (usage: NonNullable<Job["usage"]>): string =>
  usage.type === "duration" ? seconds(usage.seconds) : charactersText(usage.characters);

const originOf = (job: Job, names: Names): Fact[] => [
  [
    "ID",
    <>
      <code>{job.id}</code> <CopyButton text={job.id} label="Copy ID" />
    </>,
  ],
  ["Project", names.nameOf("project", job.project_id)],
  ["API key", names.nameOf("key", job.key_id)],
  ["Environment", names.nameOf("environment", job.environment)],
  ["File", job.input.file_id && <code>{job.input.file_id}</code>],
  ["Address", job.input.url],
  ["Request", <RequestLink key="request" id={job.request_id} />],
  ...Object.entries(job.metadata).map(([name, value]): Fact => [name, <bdi key={name}>{value}</bdi>]),
];

function RequestLink({ id }: { id: string }) {
  const { id: organization } = useOrganization();
  return (
    <Link href={`${hrefOf(organization, "requests")}?open=${id}`}>
      <code>{id}</code>
    </Link>
  );
}

type EndingProps = { id: string; onClose: () => void };

function Cancel({ id: job, onClose }: EndingProps) {
  const { id: organization } = useOrganization();
  const { mutateAsync: cancel } = useWrite("POST /api/organizations/:organization/jobs/:job/cancel");
  return (
    <FormDialog
      kind="danger"
      title="Cancel this job?"
      submit="Cancel the job"
      onSubmit={() => cancel({ ids: { organization, job } })}
      onClose={onClose}
    >
      <p>
        It stops within a second. What was recognized so far is deleted, and costs nothing; chapters that are
        spoken are kept and charged.
      </p>
    </FormDialog>
  );
}

function Delete({ id: job, onClose }: EndingProps) {
  const { id: organization } = useOrganization();
  const [, navigate] = useLocation();
  async function submit() {
    await call("DELETE /api/organizations/:organization/jobs/:job", { ids: { organization, job } });
    void queryClient.invalidateQueries({ queryKey: ["GET /api/organizations/:organization/jobs"] });
    navigate(hrefOf(organization, "jobs"));
  }
  return (
    <FormDialog
      kind="danger"
      title="Delete this job?"
      submit="Delete the job"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        If it has not ended, it is cancelled. What is kept of its recording and its result is deleted at once;
        a file that it reads stays. This cannot be undone.
      </p>
    </FormDialog>
  );
}
