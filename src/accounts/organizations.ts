/** Organizations and their projects. Quota and credit belong to the organization; projects separate reports only. */
import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  isNull,
  notInArray,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import { type Database, isConflict, type Tables } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Plan } from "../plans.ts";
import { SCOPES } from "../scopes.ts";
import { type KeyWithSecret, keyRecord, newKey } from "./keys.ts";

export type Organization = Tables["organization"]["$inferSelect"];
export type Project = Tables["project"]["$inferSelect"];

export type FirstStart = { organizationId: string; key: KeyWithSecret };

/** Prepaid and without an owner, unless said. */
type NewOrganization = { plan?: Plan; ownerId?: string };

export type Organizations = {
  /** On an empty database: organization and project "Default" and one live key. Otherwise null. */
  firstStart(plan?: Plan): Promise<FirstStart | null>;
  /** The organization of the first start; null before it. */
  firstOrganization(): Promise<string | null>;
  /** A user, if given, becomes its owner; one who owns too many organizations is refused. */
  createOrganization(name: string, more?: NewOrganization): Promise<Organization>;
  /** Null if there is no such organization, as below. */
  renameOrganization(id: string, name: string): Promise<Organization | null>;
  organization(id: string): Promise<Organization | null>;
  listOrganizations(): Promise<Organization[]>;
  /** Replaces the organization's own limits; null restores those of its tier. */
  setLimits(id: string, overrides: Record<string, number> | null): Promise<Organization | null>;
  /** Requests are admitted under the new plan within a second; those in flight keep theirs. */
  setPlan(id: string, plan: Plan): Promise<Organization | null>;
  /** The keys of a suspended organization are refused within a second; the first organization cannot be suspended. */
  setStatus(id: string, status: Organization["status"]): Promise<Organization | null>;
  createProject(organizationId: string, name: string): Promise<Project>;
  renameProject(id: string, name: string): Promise<Project | null>;
  project(id: string): Promise<Project | null>;
  listProjects(organizationId: string): Promise<Project[]>;
  defaultProject(organizationId: string): Promise<Project | null>;
  /** Idempotent; its keys are revoked with it. */
  archiveProject(id: string): Promise<Project | null>;
};

export function openOrganizations(database: Database, clock: Clock): Organizations {
  return { ...organizationsOf(database, clock), ...projectsOf(database, clock) };
}

function organizationsOf(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { installation, organization, project, apiKey } = tables;
  const changed = async (id: string, change: Partial<Organization>) =>
    (await query.update(organization).set(change).where(eq(organization.id, id)).returning())[0] ?? null;
  const created = founding(database, clock);
  return {
    async firstStart(plan: Plan = "prepaid") {
      if ((await query.select().from(installation)).length > 0) return null;
      const { owner, home } = newOrganization({ name: "Default", plan }, clock);
      const fields = { projectId: home.id, name: "first", environment: "live", expiresAt: null } as const;
      const { row, secret } = newKey({ ...fields, scopes: SCOPES }, owner.id, clock);
      try {
        await database.atomically([
          query.insert(installation).values({ id: 1, organizationId: owner.id }),
          query.insert(organization).values(owner),
          query.insert(project).values(home),
          query.insert(apiKey).values(row),
        ]);
      } catch (error) {
        if (isConflict(error)) return null; // another node was first
        throw error;
      }
      return { organizationId: owner.id, key: { ...keyRecord(row, clock), secret } };
    },
    async firstOrganization() {
      const [first] = await query.select().from(installation);
      return first?.organizationId ?? null;
    },
    async createOrganization(name: string, { plan = "prepaid", ownerId }: NewOrganization = {}) {
      const { owner, home } = newOrganization({ name, plan }, clock);
      const made = [query.insert(organization).values(owner), query.insert(project).values(home)];
      if (ownerId === undefined) await database.atomically(made);
      else if (!(await created({ made, organizationId: owner.id, ownerId })))
        throw tooMany("A user can own", OWNED_MAX, "organizations");
      return owner;
    },
    renameOrganization: (id: string, name: string) => changed(id, { name }),
    organization: async (id: string) =>
      (await query.select().from(organization).where(eq(organization.id, id)))[0] ?? null,
    listOrganizations: async () =>
      query.select().from(organization).orderBy(asc(organization.createdAt), asc(organization.id)),
    setLimits: (id: string, limitOverrides: Record<string, number> | null) => changed(id, { limitOverrides }),
    setPlan: (id: string, plan: Plan) => changed(id, { plan }),
    async setStatus(id: string, status: Organization["status"]) {
      const [first] = await query.select().from(installation);
      if (status === "suspended" && first?.organizationId === id)
        throw new Refusal("first_organization", "The first organization of a server cannot be suspended.");
      return changed(id, { status });
    },
  };
}

type Founding = { made: SQLWrapper[]; organizationId: string; ownerId: string };

/** Creates an organization with its owner, or nothing if the user owns too many already. */
function founding({ query, tables, atomically }: Database, clock: Clock) {
  const { organization, project, member, user } = tables;
  return async ({ made, organizationId, ownerId }: Founding): Promise<boolean> => {
    const ownedCount = query
      .select({ owned: count() })
      .from(member)
      .where(and(eq(member.userId, ownerId), eq(member.role, "owner")));
    const seat = { id: newId("mem", clock), organizationId, userId: ownerId, role: "owner" };
    const taken = query
      .select({ id: member.organizationId })
      .from(member)
      .where(eq(member.organizationId, organizationId));
    await atomically([
      query.update(user).set({ id: ownerId }).where(eq(user.id, ownerId)), // locks the row: concurrent calls wait
      ...made,
      query.insert(member).values({ ...seat, createdAt: new Date(clock.now()) }),
      query.delete(member).where(and(eq(member.id, seat.id), gt(sql`(${ownedCount})`, OWNED_MAX))),
      query
        .delete(project)
        .where(and(eq(project.organizationId, organizationId), notInArray(project.organizationId, taken))),
      query
        .delete(organization)
        .where(and(eq(organization.id, organizationId), notInArray(organization.id, taken))),
    ]);
    return (await query.select().from(member).where(eq(member.id, seat.id))).length > 0;
  };
}

const OWNED_MAX = 10;
const PROJECTS_MAX = 200;

const tooMany = (who: string, most: number, what: string) =>
  new Refusal("rate_limit_exceeded", `${who} at most ${most} ${what}.`, { retryAfterSeconds: 60 });

function projectsOf(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { project, apiKey } = tables;
  const projectWhere = async (condition: SQL | undefined) =>
    (await query.select().from(project).where(condition))[0] ?? null;
  return {
    async createProject(organizationId: string, name: string) {
      const [held] = await query
        .select({ projects: count() })
        .from(project)
        .where(eq(project.organizationId, organizationId));
      if (Number(held!.projects) >= PROJECTS_MAX)
        throw tooMany("An organization can have", PROJECTS_MAX, "projects");
      const row = newProject({ organizationId, name, isDefault: false }, clock);
      await unlessTaken(name, query.insert(project).values(row));
      return row;
    },
    async renameProject(id: string, name: string) {
      const renamed = query.update(project).set({ name }).where(eq(project.id, id)).returning();
      return (await unlessTaken(name, renamed))[0] ?? null;
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
      await database.atomically([
        query
          .update(project)
          .set({ status: "archived", archivedAt: now })
          .where(and(eq(project.id, id), isNull(project.archivedAt))),
        query
          .update(apiKey)
          .set({ revokedAt: now })
          .where(and(eq(apiKey.projectId, id), isNull(apiKey.revokedAt))),
      ]);
      return projectWhere(eq(project.id, id));
    },
  };
}

async function unlessTaken<T>(name: string, written: PromiseLike<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (isConflict(error)) throw new Refusal("name_taken", `A project named ${name} already exists.`);
    throw error;
  }
}

/** An organization and its first project. */
type Tenancy = { owner: Organization; home: Project };

export function newOrganization(input: Pick<Organization, "name" | "plan">, clock: Clock): Tenancy {
  const createdAt = unixSeconds(clock);
  const owner: Organization = {
    id: newId("org", clock),
    ...input,
    status: "active",
    limitOverrides: null,
    createdAt,
  };
  return { owner, home: newProject({ organizationId: owner.id, name: "Default", isDefault: true }, clock) };
}

function newProject(fields: Pick<Project, "organizationId" | "name" | "isDefault">, clock: Clock): Project {
  return {
    id: newId("proj", clock),
    ...fields,
    status: "active",
    createdAt: unixSeconds(clock),
    archivedAt: null,
  };
}

export const projectRecord = ({ organizationId, isDefault, createdAt, archivedAt, ...rest }: Project) => ({
  object: "project" as const,
  ...rest,
  organization_id: organizationId,
  is_default: isDefault,
  created_at: createdAt,
  archived_at: archivedAt,
});
