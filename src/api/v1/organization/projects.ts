/** /v1/organization/projects: the projects of the organization. Archiving one revokes its keys. */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Project } from "../../../accounts/projects.ts";
import { BudgetUse } from "../../../budget-use.ts";
import { type Clock, unixSeconds } from "../../../clock.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import {
  budgetPeriodAt,
  ProjectRestrictionsFields,
  RestrictionsFields,
  restrictionsRecord,
} from "../../../restrictions.ts";
import { type AdminCall, type AdminRoute, adminRoute } from "./admin-route.ts";
import { noSuch } from "./keyed-route.ts";
import { listOf, PAGED, pageOf, partOf } from "./listing.ts";
import { given, Name, nullable, Time, withUse } from "./records.ts";

const ProjectRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal("organization.project"),
  name: Type.String(),
  status: Type.Enum(["active", "archived"]),
  created_at: Time,
  archived_at: nullable(Time),
  /** What it may use at most, beside what its organization may, and what its new keys have; null: as much. */
  restrictions: nullable(ProjectRestrictionsFields),
  budget_period: nullable(BudgetUse),
  default_key_restrictions: nullable(RestrictionsFields),
});

/** `{}` restricts nothing. */
const Restricting = {
  restrictions: Type.Optional(ProjectRestrictionsFields),
  default_key_restrictions: Type.Optional(RestrictionsFields),
  reset_budget: Type.Optional(Type.Boolean({ description: "With true, its budget begins unused." })),
};

export type ProjectCall = Pick<AdminCall, "principal" | "ids"> & Partial<AdminCall>;

/** The project of the path, which the organization of the key has. */
export function ownProject(accounts: Accounts): (call: ProjectCall) => Promise<Project> {
  return async ({ principal, ids }) => {
    const project = await accounts.project(ids.project!);
    if (project?.organizationId !== principal.organizationId) throw noSuch("project");
    return project;
  };
}

type ProjectDeps = { accounts: Accounts; ledger: Pick<Ledger, "budgets">; clock: Clock };

export function projectRoutes({ accounts, ledger, clock }: ProjectDeps): AdminRoute[] {
  const own = ownProject(accounts);
  const recordsOf = (projects: Project[]) => {
    const now = unixSeconds(clock);
    return withUse(
      ledger,
      projects.map((project) => projectOf(project, now)),
    );
  };
  const recordOf = async (project: Project) => (await recordsOf([project]))[0]!;
  const found = (project: Project | null) => {
    if (project === null) throw noSuch("project");
    return recordOf(project);
  };
  return [
    adminRoute({
      ...{ method: "GET", path: "/projects", id: "listProjects", scope: "organization:read" },
      summary: "List the organization's projects",
      query: Type.Object({
        ...PAGED,
        include_archived: Type.Optional(Type.Boolean({ description: "With true, archived ones too." })),
      }),
      reply: listOf(ProjectRecord),
      handle: async ({ principal, query: { include_archived = false, ...paged } }) => {
        const all = await accounts.listProjects(principal.organizationId);
        const shown = all.filter(({ status }) => include_archived || status === "active");
        const page = await pageOf(paged, async (place) => partOf(shown, place));
        return { ...page, data: await recordsOf(page.data) };
      },
    }),
    adminRoute({
      ...{ method: "POST", path: "/projects", id: "createProject", scope: "organization:write" },
      ...{ summary: "Create a project", refusals: ["name_taken"] },
      body: Type.Object({ name: Name("project") }),
      reply: ProjectRecord,
      handle: async ({ principal, body }) =>
        recordOf(await accounts.createProject(principal.organizationId, body.name)),
    }),
    adminRoute({
      ...{ method: "GET", path: "/projects/:project", id: "getProject", scope: "organization:read" },
      ...{ summary: "Get a project", reply: ProjectRecord },
      handle: async (call) => recordOf(await own(call)),
    }),
    adminRoute({
      ...{ method: "POST", path: "/projects/:project", id: "updateProject", scope: "organization:write" },
      ...{ summary: "Change the name or the restrictions of a project", refusals: ["name_taken"] },
      body: Type.Object({ name: Type.Optional(Name("project")), ...Restricting }),
      reply: ProjectRecord,
      handle: async ({ body, ...call }) => {
        const project = await own({ ...call, body: {} });
        const { name, restrictions, default_key_restrictions, reset_budget: resetBudget } = body;
        const fields = { name, restrictions, resetBudget, defaultKeyRestrictions: default_key_restrictions };
        const change = given(fields);
        return Object.keys(change).length === 0
          ? recordOf(project)
          : found(await accounts.updateProject(project.id, change));
      },
    }),
    adminRoute({
      ...{ method: "POST", path: "/projects/:project/archive", id: "archiveProject" },
      ...{ scope: "organization:write", summary: "Archive a project and revoke its keys" },
      ...{ refusals: ["default_project"], reply: ProjectRecord },
      handle: async (call) => found(await accounts.archiveProject((await own(call)).id)),
    }),
  ];
}

const projectOf = ({ id, name, status, createdAt, archivedAt, ...project }: Project, now: number) => ({
  organization_id: project.organizationId,
  ...{ id, object: "organization.project", name, status },
  ...{ created_at: createdAt, archived_at: archivedAt },
  restrictions: restrictionsRecord(project.restrictions),
  budget_period: budgetPeriodAt(project.restrictions, now),
  default_key_restrictions: restrictionsRecord(project.defaultKeyRestrictions),
});
