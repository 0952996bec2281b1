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
import { jobsTexts } from "../language/en/jobs.ts";
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
  const t = jobsTexts();
  const { id: organization } = useOrganization();
  const [ending, setEnding] = useState<"cancel" | "delete" | null>(null);
  const job = useRead(
    "GET /api/organizations/:organization/jobs/:job",
    { ids: { organization, job: id } },
    { everyMs: (last) => (last && isUnfinished(last) ? UNFINISHED_EVERY_MS : 0) },
  );
  return (
    <Page
      title={t("job")}
      actions={
        <>
          <LinkButton kind="quiet" href={hrefOf(organization, "jobs")}>
            {t("allJobs")}
          </LinkButton>
          {job.data && isUnfinished(job.data) && (
            <Button onClick={() => setEnding("cancel")}>{t("cancel")}</Button>
          )}
          {job.data && (
            <Button kind="danger" onClick={() => setEnding("delete")}>
              {t("delete")}
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
  const t = jobsTexts();
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
            <span lang="en">{error.message}</span> {t(job.usage === null ? "free" : "chaptersCharged")}
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

const charactersText = (count: number): string => jobsTexts()("characters", { count });

const at = (time: number | null) => time && <Moment time={time} />;

const timesOf = (job: Job, t = jobsTexts()): Fact[] => [
  [t("made"), at(job.created_at)],
  [t("begun"), at(job.started_at)],
  [t("ended"), at(job.completed_at)],
  [t("keptUntil"), job.status === "expired" ? null : at(job.expires_at)],
  [t("length"), job.input.duration_seconds === null ? null : seconds(job.input.duration_seconds)],
  [t("text"), job.input.characters === null ? null : charactersText(job.input.characters)],
  [
    t("speech"),
    job.output &&
      t("speechSize", { duration: seconds(job.output.seconds), size: byteSize(job.output.bytes) }),
  ],
  [t("size"), job.input.bytes === null ? null : byteSize(job.input.bytes)],
  [t("model"), job.model],
  [t("kind"), t(job.kind)],
];

const costOf = ({ usage, cost_micros }: Job, t = jobsTexts()): Fact[] => [
  [t("cost"), usage && t("costFor", { cost: money(cost_micros), amount: amountOf(usage) })],
];

const amountOf = (usage: NonNullable<Job["usage"]>): string =>
  usage.type === "duration" ? seconds(usage.seconds) : charactersText(usage.characters);

const originOf = (job: Job, names: Names, t = jobsTexts()): Fact[] => [
  [
    t("id"),
    <>
      <code>{job.id}</code> <CopyButton text={job.id} label={t("copyId")} />
    </>,
  ],
  [t("project"), names.nameOf("project", job.project_id)],
  [t("key"), names.nameOf("key", job.key_id)],
  [t("environment"), t(job.environment)],
  [t("file"), job.input.file_id && <code>{job.input.file_id}</code>],
  [t("address"), job.input.url],
  [t("request"), <RequestLink key="request" id={job.request_id} />],
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
  const t = jobsTexts();
  const { id: organization } = useOrganization();
  const { mutateAsync: cancel } = useWrite("POST /api/organizations/:organization/jobs/:job/cancel");
  return (
    <FormDialog
      kind="danger"
      title={t("cancelTitle")}
      submit={t("cancelJob")}
      onSubmit={() => cancel({ ids: { organization, job } })}
      onClose={onClose}
    >
      <p>{t("cancelText")}</p>
    </FormDialog>
  );
}

function Delete({ id: job, onClose }: EndingProps) {
  const t = jobsTexts();
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
      title={t("deleteTitle")}
      submit={t("deleteJob")}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t("deleteText")}</p>
    </FormDialog>
  );
}
