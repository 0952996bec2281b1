/** Projects of an organization: they separate reports, and restrict their keys. Quota and credit belong to the organization. */
import { and, asc, count, desc, eq, isNull, type SQL } from "drizzle-orm";
import { type AuditEvent, created, differences, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { type Database, isConflict, type Tables } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { DataRetention } from "../kept-data.ts";
import { budgetPeriodAt, type NewRestrictions, restrictionsRecord } from "../restrictions.ts";
import { followed, restricted, restrictedTo } from "./restricting.ts";

export type Project = Tables["project"]["$inferSelect"];

/** `resetBudget`: of its budget, nothing is used. */
type ProjectChange = {
  name?: string;
  restrictions?: NewRestrictions | null;
  resetBudget?: boolean;
  defaultKeyRestrictions?: NewRestrictions | null;
  /** Null: as its organization. */
  dataRetention?: DataRetention | null;
};

export type Projects = {
  createProject(organizationId: string, name: string): Promise<Project>;
  updateProject(id: string, change: ProjectChange): Promise<Project | null>;
  project(id: string): Promise<Project | null>;
  listProjects(organizationId: string): Promise<Project[]>;
  defaultProject(organizationId: string): Promise<Project | null>;
  /** Idempotent; its keys are revoked with it. */
  archiveProject(id: string): Promise<Project | null>;
};

const PROJECTS_MAX = 200;

const tooMany = () =>
  new Refusal("rate_limit_exceeded", `An organization can have at most ${PROJECTS_MAX} projects.`, {
    retryAfterSeconds: 60,
  });

export function openProjects(database: Database, clock: Clock): Projects {
  const { query, tables } = database;
  const { project, apiKey } = tables;
  const audit = openAudit(database, clock);
  const projectWhere = async (condition: SQL | undefined) =>
    (await query.select().from(project).where(condition))[0] ?? null;
  return {
    async createProject(organizationId: string, name: string) {
      const [held] = await query
        .select({ projects: count() })
        .from(project)
        .where(eq(project.organizationId, organizationId));
      if (Number(held!.projects) >= PROJECTS_MAX) throw tooMany();
      const row = newProject({ organizationId, name, isDefault: false }, clock);
      const insertion = audit.atomically(
        [query.insert(project).values(row)],
        [projectEvent("project.created", row, created({ name }))],
      );
      await unlessTaken(name, insertion);
      return row;
    },
    async updateProject(id: string, change: ProjectChange) {
      const before = await projectWhere(eq(project.id, id));
      if (before === null) return null;
      const fields = changed(before, change, unixSeconds(clock));
      const update = query
        .update(project)
        .set({ ...fields, id }) // an update without fields is none
        .where(eq(project.id, id));
      const changes = differences(toldOf(before), toldOf(fields));
      const event = projectEvent("project.updated", before, changes);
      const then = followed(database, before, fields);
      await unlessTaken(change.name ?? "", audit.ifChanged(update, then, changes.length > 0 ? [event] : []));
      return projectWhere(eq(project.id, id));
    },
    project: (id: string) => projectWhere(eq(project.id, id)),
    listProjects: async (organizationId: string) =>
      query
        .select()
        .from(project)
        .where(eq(project.organizationId, organizationId))
        .orderBy(desc(project.isDefault), asc(project.createdAt), asc(project.id)),
    defaultProject: (organizationId: string) =>
      projectWhere(and(eq(project.organizationId, organizationId), eq(project.isDefault, true))),
    async archiveProject(id: string) {
      const matching = await projectWhere(eq(project.id, id));
      if (matching?.isDefault)
        throw new Refusal("default_project", `${matching.name} is the default project.`);
      const now = unixSeconds(clock);
      const archival = query
        .update(project)
        .set({ status: "archived", archivedAt: now })
        .where(and(eq(project.id, id), isNull(project.archivedAt)));
      const revocation = query
        .update(apiKey)
        .set({ revokedAt: now })
        .where(and(eq(apiKey.projectId, id), isNull(apiKey.revokedAt)));
      if (matching) await audit.ifChanged(archival, [revocation], [projectArchived(matching)]);
      return projectWhere(eq(project.id, id));
    },
  };
}

/** What is stored of a change. */
const changed = (
  before: Project,
  { name, restrictions, resetBudget = false, defaultKeyRestrictions, dataRetention }: ProjectChange,
  now: number,
): Partial<Project> => ({
  ...(name !== undefined && { name }),
  ...(dataRetention !== undefined && { dataRetention }),
  ...restricted(before.restrictions, { restrictions, resetBudget, now }),
  ...(defaultKeyRestrictions !== undefined && {
    defaultKeyRestrictions: restrictedTo(defaultKeyRestrictions, null, now),
  }),
});

/** As events name the fields. */
const toldOf = ({ name, restrictions, defaultKeyRestrictions, dataRetention }: Partial<Project>) => ({
  name,
  data_retention: dataRetention,
  restrictions,
  default_key_restrictions: defaultKeyRestrictions,
});

const projectEvent = (
  type: AuditEvent["type"],
  { id, organizationId }: Project,
  changes: AuditEvent["changes"] = [],
): AuditEvent => ({ type, organizationId, projectId: id, resourceId: id, changes });

const projectArchived = (project: Project): AuditEvent => ({
  ...projectEvent("project.archived", project),
  raises: { type: "project.archived", data: { id: project.id } },
});

async function unlessTaken<T>(name: string, written: PromiseLike<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (isConflict(error)) throw new Refusal("name_taken", `A project named ${name} already exists.`);
    throw error;
  }
}

export function newProject(
  fields: Pick<Project, "organizationId" | "name" | "isDefault">,
  clock: Clock,
): Project {
  return {
    id: newId("proj", clock),
    ...fields,
    status: "active",
    createdAt: unixSeconds(clock),
    archivedAt: null,
    restrictions: null,
    defaultKeyRestrictions: null,
    dataRetention: null,
  };
}

/** `now` in Unix seconds. */
export const projectRecord = (
  {
    organizationId,
    isDefault,
    createdAt,
    archivedAt,
    restrictions,
    defaultKeyRestrictions,
    dataRetention,
    ...rest
  }: Project,
  now: number,
) => ({
  object: "project" as const,
  ...rest,
  organization_id: organizationId,
  is_default: isDefault,
  created_at: createdAt,
  archived_at: archivedAt,
  restrictions: restrictionsRecord(restrictions),
  budget_period: budgetPeriodAt(restrictions, now),
  default_key_restrictions: restrictionsRecord(defaultKeyRestrictions),
  data_retention: dataRetention,
});
