/** The projects of the organization, which group keys and usage. */

import { useState } from "react";
import { Link } from "wouter";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useHasRole, useOrganization, useShowsMoney } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { Caps } from "../caps/budget-use.tsx";
import { count } from "../format/numbers.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Money } from "../ui/money.tsx";
import { Name } from "../ui/name.tsx";
import { Badge, Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { RestrictProject } from "./restrict-project.tsx";

type Project = Reply<"GET /api/projects/:project">;
type Change = { kind: "create" } | { kind: "rename" | "restrict" | "archive"; project: Project };

export function Projects() {
  const { id } = useOrganization();
  const isAdmin = useHasRole("admin");
  const [change, setChange] = useState<Change | null>(null);
  const projects = useRead("GET /api/organizations/:organization/projects", { ids: { organization: id } });
  const use = useOfProjects(id);
  const showsMoney = useShowsMoney();
  const close = () => setChange(null);
  return (
    <Page
      title="Projects"
      actions={
        isAdmin && (
          <Button kind="primary" onClick={() => setChange({ kind: "create" })}>
            Create project
          </Button>
        )
      }
    >
      <Card title="All projects">
        <p className="hint">
          Projects separate keys and usage reports. Limits are shared by the whole organization; a project can
          have less.
        </p>
        <QueryBoundary of={projects}>
          {({ data }) => (
            <Table
              caption="Projects"
              columns={columns({ organizationId: id, use, showsMoney, onChange: isAdmin ? setChange : null })}
              rows={data}
              keyOf={(project) => project.id}
              empty="No projects."
            />
          )}
        </QueryBoundary>
      </Card>
      {change?.kind === "create" && <Create onClose={close} />}
      {change?.kind === "rename" && <Rename of={change.project} onClose={close} />}
      {change?.kind === "restrict" && <RestrictProject of={change.project} onClose={close} />}
      {change?.kind === "archive" && <Archive of={change.project} onClose={close} />}
    </Page>
  );
}

type Use = { requests: number; cost_micros: number };

/** The last 30 days, which is what the server sums unless asked for others. */
function useOfProjects(organization: string): Map<string, Use> {
  const { data } = useRead("GET /api/organizations/:organization/usage", {
    ids: { organization },
    query: { group_by: "project" },
  });
  const sums = new Map<string, Use>();
  for (const { groups, requests, cost_micros } of data?.data ?? []) {
    const id = groups.project ?? "";
    const sum = sums.get(id) ?? { requests: 0, cost_micros: 0 };
    sums.set(id, { requests: sum.requests + requests, cost_micros: sum.cost_micros + cost_micros });
  }
  return sums;
}

const costColumn = (use: Map<string, Use>): Column<Project> => ({
  name: "Cost, 30 days",
  numeric: true,
  of: ({ id }) => <Money micros={use.get(id)?.cost_micros ?? 0} />,
});

type ProjectColumns = {
  organizationId: string;
  /** Of the last 30 days, by project. */
  use: Map<string, Use>;
  showsMoney: boolean;
  onChange: ((change: Change) => void) | null;
};

function columns({ organizationId, use, showsMoney, onChange }: ProjectColumns): Column<Project>[] {
  const base: Column<Project>[] = [
    {
      name: "Project",
      of: ({ id, name, is_default }) => (
        <>
          <Link href={`${hrefOf(organizationId, "usage")}?project_id=${id}`}>
            <strong>
              <Name of={name} />
            </strong>
          </Link>{" "}
          {is_default && <Badge>default</Badge>}
        </>
      ),
    },
    {
      name: "Status",
      phone: "side",
      of: ({ status }) => <Badge tone={status === "active" ? "good" : "plain"}>{status}</Badge>,
    },
    {
      name: "Requests, 30 days",
      numeric: true,
      of: ({ id }) => count(use.get(id)?.requests ?? 0),
    },
    ...(showsMoney ? [costColumn(use)] : []),
    { name: "At most", of: (project) => (project.restrictions ? <Caps of={project} /> : "not restricted") },
    { name: "Created", phone: "hidden", of: ({ created_at }) => <RelativeTime time={created_at} /> },
    {
      name: "Keys",
      of: ({ id, name }) => (
        <Link href={`${hrefOf(organizationId, "keys")}?project_id=${id}`} aria-label={`Keys of ${name}`}>
          Keys
        </Link>
      ),
    },
  ];
  if (!onChange) return base;
  return [
    ...base,
    {
      name: "Actions",
      isActions: true,
      of: (project) => <ProjectActions of={project} onChange={onChange} />,
    },
  ];
}

function ProjectActions({ of: project, onChange }: { of: Project; onChange: (change: Change) => void }) {
  if (project.status === "archived") return null;
  const button = (kind: "rename" | "restrict" | "archive", name: string) => (
    <Button
      kind={kind === "archive" ? "danger" : "quiet"}
      aria-label={`${name} ${project.name}`}
      onClick={() => onChange({ kind, project })}
    >
      {name}
    </Button>
  );
  return (
    <span className="changes">
      {button("rename", "Rename")}
      {button("restrict", "Restrict")}
      {!project.is_default && button("archive", "Archive")}
    </span>
  );
}

function Create({ onClose }: { onClose: () => void }) {
  const organization = useOrganization();
  const { mutateAsync: create } = useWrite("POST /api/organizations/:organization/projects");
  return (
    <FormDialog
      title="Create a project"
      onClose={onClose}
      submit="Create project"
      onSubmit={({ name = "" }) => create({ ids: { organization: organization.id }, body: { name } })}
    >
      <Field name="name" label="Name" maxLength={100} autoComplete="off" required />
    </FormDialog>
  );
}

type ProjectProps = { of: Project; onClose: () => void };

function Rename({ of: { id, name: before }, onClose }: ProjectProps) {
  const { mutateAsync: rename } = useWrite("PATCH /api/projects/:project");
  return (
    <FormDialog
      title={`Rename ${before}`}
      onClose={onClose}
      submit="Rename"
      onSubmit={({ name = "" }) => rename({ ids: { project: id }, body: { name } })}
    >
      <Field name="name" label="Name" defaultValue={before} maxLength={100} autoComplete="off" required />
    </FormDialog>
  );
}

function Archive({ of: { id, name }, onClose }: ProjectProps) {
  const { mutateAsync: archive } = useWrite("POST /api/projects/:project/archive");
  return (
    <FormDialog
      kind="danger"
      title={`Archive ${name}?`}
      submit="Archive project"
      onSubmit={() => archive({ ids: { project: id } })}
      onClose={onClose}
    >
      <p>
        All keys of this project are revoked immediately, and requests with them are rejected. Its usage stays
        in the reports. This cannot be undone.
      </p>
    </FormDialog>
  );
}
