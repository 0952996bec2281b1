/** Organizations and their projects. Quota and credit belong to the organization; projects separate reports only. */
import { and, asc, count, eq, gt, isNull, lt, ne, notInArray, or, type SQLWrapper, sql } from "drizzle-orm";
import { type AuditEvent, differences, created as made, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import { type Database, isConflict, type Tables } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import { datedAt, FACTOR_ONE, type Plan, shownFactors } from "../plans.ts";
import { USUAL_SCOPES } from "../scopes.ts";
import type { KeyWithSecret } from "./key-record.ts";
import { keyRecord } from "./key-record.ts";
import { newKey } from "./keys.ts";
import { newProject, openProjects, type Project, type Projects } from "./projects.ts";
import { newEndUserKey } from "./secret.ts";

export type Organization = Tables["organization"]["$inferSelect"];

/** As its members and operators see it. */
export const statusOf = ({ status, deleteAt }: Organization): Organization["status"] =>
  status === "active" && deleteAt !== null ? "suspended" : status;

export type FirstStart = { organizationId: string; key: KeyWithSecret };

/** What is kept of it, and for how long: see `src/kept-data.ts`. Null: as the server says. */
export type Retention = Pick<
  Organization,
  | "requestLogDays"
  | "requestLogAddresses"
  | "dataRetention"
  | "keyMaxDays"
  | "jobResultDays"
  | "endUserHeader"
  | "endUsersHashed"
>;

/** Prepaid and without an owner, unless said. */
type NewOrganization = { plan?: Plan; ownerId?: string };

export type Organizations = Projects & {
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
  /** Charges of requests that begin from then on, in Unix seconds; null: from now on. In units of 1/10,000. */
  setPriceFactor(id: string, factor: number, from: number | null): Promise<Organization | null>;
  /** Requests are admitted under the new plan within a second; those in flight keep theirs. */
  setPlan(id: string, plan: Plan): Promise<Organization | null>;
  /** The keys of a suspended organization are refused within a second; the first organization cannot be suspended. */
  setStatus(id: string, status: "active" | "suspended"): Promise<Organization | null>;
  /** Whether members need a second factor: sessions of passwords without one then see their account page only. */
  requireTwoFactor(id: string, isRequired: boolean): Promise<Organization | null>;
  needsTwoFactor(id: string): Promise<boolean>;
  setRetention(id: string, retention: Partial<Retention>): Promise<Organization | null>;
  /** What operators note about it, which its members never read; null: nothing. */
  setOperatorNote(id: string, note: string | null): Promise<Organization | null>;
  /** Its request log is complete from then on only, in Unix seconds. */
  noteLogsFrom(id: string, from: number): Promise<void>;
};

export function openOrganizations(database: Database, clock: Clock): Organizations {
  return { ...organizationsOf(database, clock), ...openProjects(database, clock) };
}

/** `changes`: absent: the fields that differ. `organizationId` null: its members do not read it. */
type Told = Pick<AuditEvent, "type" | "raises" | "changes"> & Partial<Pick<AuditEvent, "organizationId">>;

function organizationsOf(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { installation, organization, project, apiKey } = tables;
  const audit = openAudit(database, clock);
  const found = async (id: string) =>
    (await query.select().from(organization).where(eq(organization.id, id)))[0] ?? null;
  async function changed(id: string, change: Partial<Organization>, told: Told) {
    const before = await found(id);
    if (before === null) return null;
    const isLeft = and(eq(organization.id, id), ne(organization.status, "deleted")); // what is left of one never changes
    const update = query.update(organization).set(change).where(isLeft);
    const changes = differences(before, change);
    const event = { ...eventOf(told.type, before, changes), ...told };
    await audit.ifChanged(update, [], changes.length > 0 ? [event] : []);
    return found(id);
  }
  const created = founding(database, clock);
  return {
    async firstStart(plan: Plan = "prepaid") {
      if ((await query.select().from(installation)).length > 0) return null;
      const { owner, home } = newOrganization({ name: "Default", plan }, clock);
      const fields = { projectId: home.id, name: "first", environment: "live", expiresAt: null } as const;
      const { row, secret } = newKey({ ...fields, scopes: USUAL_SCOPES }, owner.id, clock);
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
      const rows = [query.insert(organization).values(owner), query.insert(project).values(home)];
      const event = organizationAdded(owner);
      if (ownerId === undefined) await audit.atomically(rows, [event]);
      else if (!(await created({ made: rows, event, ownerId })))
        throw tooMany("A user can own", OWNED_MAX, "organizations");
      return owner;
    },
    renameOrganization: (id: string, name: string) => changed(id, { name }, { type: "organization.updated" }),
    organization: found,
    listOrganizations: async () =>
      query.select().from(organization).orderBy(asc(organization.createdAt), asc(organization.id)),
    ...settingsOf(database, changed),
    setPriceFactor: pricing({ found, changed }, clock),
    needsTwoFactor: async (id: string) => (await found(id))?.requireTwoFactor === true,
    async setStatus(id: string, status: "active" | "suspended") {
      if (status === "suspended") await refuseFirst(database, id, "suspended");
      if ((await found(id))?.status === "deleted") throw organizationDeleted();
      const type = status === "suspended" ? "organization.suspended" : "organization.resumed";
      return changed(id, { status }, { type, raises: { type, data: { id } } });
    },
  };
}

type Changed = (id: string, change: Partial<Organization>, told: Told) => Promise<Organization | null>;

function settingsOf({ query, tables: { organization } }: Database, changed: Changed) {
  /** Once: what is stored with it can be found as long as it is the same. */
  const giveEndUserKey = async (id: string) =>
    query
      .update(organization)
      .set({ endUserKey: newEndUserKey() })
      .where(
        and(eq(organization.id, id), isNull(organization.endUserKey), ne(organization.status, "deleted")),
      );
  return {
    setLimits: (id: string, limitOverrides: Record<string, number> | null) =>
      changed(id, { limitOverrides }, { type: "rate_limit.updated" }),
    setPlan: (id: string, plan: Plan) => changed(id, { plan }, { type: "plan.updated" }),
    requireTwoFactor: (id: string, requireTwoFactor: boolean) =>
      changed(id, { requireTwoFactor }, { type: "organization.updated" }),
    setOperatorNote: (id: string, operatorNote: string | null) =>
      changed(id, { operatorNote }, { type: "organization.note.updated", organizationId: null, changes: [] }),
    async setRetention(id: string, retention: Partial<Retention>) {
      if (retention.endUsersHashed) await giveEndUserKey(id);
      return changed(id, { ...retention, id }, { type: "organization.updated" }); // an update without fields is none
    },
    async noteLogsFrom(id: string, requestLogsFrom: number) {
      const isEarlier = or(
        isNull(organization.requestLogsFrom),
        lt(organization.requestLogsFrom, requestLogsFrom),
      );
      await query
        .update(organization)
        .set({ requestLogsFrom })
        .where(and(eq(organization.id, id), isEarlier));
    },
  };
}

type Pricing = { found: (id: string) => Promise<Organization | null>; changed: Changed };

function pricing({ found, changed }: Pricing, clock: Clock): Organizations["setPriceFactor"] {
  return async (id, priceFactor, from) => {
    const now = unixSeconds(clock);
    const before = await found(id);
    if (before === null) return null;
    const after = { priceFactor, priceFactorFrom: from ?? now, priceFactorBefore: datedAt(before, now) };
    const shown = shownFactors(before, now);
    const isSame = from === null && shown.next_price_factor === null && before.priceFactor === priceFactor;
    if (isSame) return before;
    const changes = differences(shown, shownFactors(after, now));
    return changed(id, after, { type: "billing.price_factor.updated", changes });
  };
}

const eventOf = (
  type: AuditEvent["type"],
  { id }: Organization,
  changes: AuditEvent["changes"] = [],
): AuditEvent => ({ type, organizationId: id, resourceId: id, changes });

/** For the transaction that adds it. */
export const organizationAdded = (owner: Organization) => ({
  ...eventOf("organization.created", owner, made({ name: owner.name, plan: owner.plan })),
  organizationId: owner.id,
  raises: { type: "organization.created" as const, data: { id: owner.id } },
});

type Founding = {
  made: SQLWrapper[];
  event: AuditEvent & { organizationId: string };
  ownerId: string;
};

/** Creates an organization with its owner, or nothing if the user owns too many already. */
function founding(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { organization, project, member, user } = tables;
  const { atomically } = openAudit(database, clock);
  return async ({ made, event, ownerId }: Founding): Promise<boolean> => {
    const { organizationId } = event;
    const ownedCount = query
      .select({ owned: count() })
      .from(member)
      .where(and(eq(member.userId, ownerId), eq(member.role, "owner")));
    const seat = { id: newId("mem", clock), organizationId, userId: ownerId, role: "owner" };
    const taken = query
      .select({ id: member.organizationId })
      .from(member)
      .where(eq(member.organizationId, organizationId));
    const statements = [
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
    ];
    const when = sql`exists (select 1 from ${member} where ${eq(member.id, seat.id)})`;
    await atomically(statements, [{ ...event, when }]);
    return (await query.select().from(member).where(eq(member.id, seat.id))).length > 0;
  };
}

/** The server's tests and samples are of the first organization. */
export async function refuseFirst(
  { query, tables }: Pick<Database, "query" | "tables">,
  id: string,
  what: "suspended" | "deleted",
): Promise<void> {
  const [first] = await query.select().from(tables.installation);
  if (first?.organizationId === id)
    throw new Refusal("first_organization", `The first organization of a server cannot be ${what}.`);
}

export const organizationDeleted = () =>
  new Refusal("organization_deleted", "This organization was deleted, which cannot be undone.");

const OWNED_MAX = 10;

const tooMany = (who: string, most: number, what: string) =>
  new Refusal("rate_limit_exceeded", `${who} at most ${most} ${what}.`, { retryAfterSeconds: 60 });

/** An organization and its first project. */
type Tenancy = { owner: Organization; home: Project };

export function newOrganization(input: Pick<Organization, "name" | "plan">, clock: Clock): Tenancy {
  const createdAt = unixSeconds(clock);
  const owner: Organization = {
    id: newId("org", clock),
    ...input,
    status: "active",
    limitOverrides: null,
    ...{ priceFactor: FACTOR_ONE, priceFactorFrom: null, priceFactorBefore: FACTOR_ONE },
    requireTwoFactor: false,
    ...{ requestLogDays: null, keyMaxDays: null, jobResultDays: null, requestLogsFrom: null, deleteAt: null },
    ...{ requestLogAddresses: "full", dataRetention: "none", endUserHeader: null },
    ...{ endUsersHashed: false, endUserKey: null, operatorNote: null },
    createdAt,
  };
  return { owner, home: newProject({ organizationId: owner.id, name: "Default", isDefault: true }, clock) };
}
