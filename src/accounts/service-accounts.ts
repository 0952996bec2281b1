/**
 * Service accounts: the owners of keys of programs, in place of a person. Such a key stays when the member who
 * made it leaves; it ends with its service account, or with its project.
 */
import { and, asc, count, desc, eq, gt, isNull, max, or, sql } from "drizzle-orm";
import { type AuditEvent, created, differences, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { KeyWithSecret } from "./key-record.ts";
import type { Keys, NewKey } from "./keys.ts";

export type ServiceAccount = Tables["serviceAccount"]["$inferSelect"];

/** `keys`: how many are active. `lastUsedAt`: any of its keys, in Unix seconds. */
type UsedAccount = { account: ServiceAccount; keys: number; lastUsedAt: number | null };

type NewServiceAccount = Pick<ServiceAccount, "projectId" | "name">;

/** `after`: the id of a service account: only those behind it are listed. */
type Place = { after: string | null; limit: number };

/** What a key of a service account has of its own. */
type OwnKey = Omit<NewKey, "projectId" | "createdBy" | "serviceAccountId">;

export type ServiceAccounts = {
  createServiceAccount(account: NewServiceAccount): Promise<ServiceAccount>;
  /** With its first key; without room for the key, nothing is made. */
  createServiceAccountWithKey(
    account: NewServiceAccount,
    key: OwnKey,
  ): Promise<{ account: ServiceAccount; key: KeyWithSecret }>;
  createServiceAccountKey(account: ServiceAccount, key: OwnKey): Promise<KeyWithSecret>;
  /** In the order of their creation. */
  serviceAccountsOf(projectId: string, place: Place): Promise<ServiceAccount[]>;
  /** Those of all projects of an organization, newest first. */
  serviceAccountsIn(organizationId: string): Promise<UsedAccount[]>;
  /** Null if there is no such service account, here and below. */
  serviceAccount(id: string): Promise<ServiceAccount | null>;
  updateServiceAccount(
    id: string,
    change: Partial<Pick<ServiceAccount, "name" | "role">>,
  ): Promise<ServiceAccount | null>;
  /** Its keys are revoked with it. `organization_id`: whose keys have ended. */
  deleteServiceAccount(id: string): Promise<{ organization_id: string } | null>;
};

const OF_A_PROJECT_MAX = 200;

type Deps = { database: Database; keys: Pick<Keys, "createKey" | "revokeKey">; clock: Clock };

export function openServiceAccounts(deps: Deps): ServiceAccounts {
  const { query, tables } = deps.database;
  const { serviceAccount } = tables;
  const found = async (id: string) =>
    (await query.select().from(serviceAccount).where(eq(serviceAccount.id, id)))[0] ?? null;
  const { createServiceAccount, deleteServiceAccount } = lives(deps, found);

  /** Revokes the key again if the service account was deleted meanwhile, since the deletion did not see it. */
  async function createServiceAccountKey({ id, projectId }: ServiceAccount, key: OwnKey) {
    const made = await deps.keys.createKey({ ...key, projectId, serviceAccountId: id });
    if (await found(id)) return made;
    await deps.keys.revokeKey(made.id);
    throw new Refusal("not_found", "There is no such service account.");
  }

  return {
    createServiceAccount,
    createServiceAccountKey,
    async createServiceAccountWithKey(fields, key) {
      const account = await createServiceAccount(fields);
      try {
        return { account, key: await createServiceAccountKey(account, key) };
      } catch (error) {
        await deleteServiceAccount(account.id);
        throw error;
      }
    },
    serviceAccountsOf: async (projectId, { after, limit }) =>
      query
        .select()
        .from(serviceAccount)
        .where(
          and(
            eq(serviceAccount.projectId, projectId),
            after === null ? undefined : gt(serviceAccount.id, after),
          ),
        )
        .orderBy(asc(serviceAccount.id)) // an id begins with its time
        .limit(limit),
    serviceAccountsIn: (organizationId) => usedAccounts(deps, organizationId),
    serviceAccount: found,
    async updateServiceAccount(id, change) {
      const account = await found(id);
      if (account === null) return null;
      const same = { ...change, id }; // an update without fields is none
      const update = query.update(serviceAccount).set(same).where(eq(serviceAccount.id, id));
      const changes = differences(account, change);
      const event = await eventOf(deps.database, "service_account.updated", account);
      const isThere = await openAudit(deps.database, deps.clock).ifChanged(
        update,
        [],
        [{ ...event, changes }],
      );
      return isThere ? { ...account, ...change } : null;
    },
    deleteServiceAccount,
  };
}

function lives(
  { database, clock }: Pick<Deps, "database" | "clock">,
  found: ServiceAccounts["serviceAccount"],
) {
  const { query, tables } = database;
  const { serviceAccount, project, apiKey } = tables;
  const audit = openAudit(database, clock);
  return {
    async createServiceAccount({ projectId, name }: NewServiceAccount): Promise<ServiceAccount> {
      const [owner] = await query.select().from(project).where(eq(project.id, projectId));
      if (!owner) throw new Refusal("not_found", `There is no project ${projectId}.`);
      if (owner.status === "archived") throw new Refusal("project_archived", `${owner.name} is archived.`);
      const [held] = await query
        .select({ accounts: count() })
        .from(serviceAccount)
        .where(eq(serviceAccount.projectId, projectId));
      if (Number(held!.accounts) >= OF_A_PROJECT_MAX)
        throw new Refusal(
          "rate_limit_exceeded",
          `A project can have at most ${OF_A_PROJECT_MAX} service accounts.`,
          { retryAfterSeconds: 60 },
        );
      const createdAt = unixSeconds(clock);
      const row: ServiceAccount = { id: newId("svc", clock), projectId, name, role: "member", createdAt };
      const event = await eventOf(database, "service_account.created", row);
      const changes = created({ name, role: row.role });
      await audit.atomically([query.insert(serviceAccount).values(row)], [{ ...event, changes }]);
      return row;
    },
    async deleteServiceAccount(id: string) {
      const account = await found(id);
      if (account === null) return null;
      const event = await eventOf(database, "service_account.deleted", account);
      const isTheirs = and(eq(apiKey.serviceAccountId, id), isNull(apiKey.revokedAt));
      const revocation = query
        .update(apiKey)
        .set({ revokedAt: unixSeconds(clock) })
        .where(isTheirs);
      const deletion = query.delete(serviceAccount).where(eq(serviceAccount.id, id));
      const isDeleted = await audit.ifChanged(deletion, [revocation], [event]);
      return isDeleted ? { organization_id: event.organizationId! } : null;
    },
  };
}

async function usedAccounts({ database, clock }: Deps, organizationId: string): Promise<UsedAccount[]> {
  const { query, tables } = database;
  const { serviceAccount, project, apiKey } = tables;
  const lasts = or(isNull(apiKey.expiresAt), gt(apiKey.expiresAt, unixSeconds(clock)));
  const isActive = and(isNull(apiKey.revokedAt), lasts);
  const keys = sql<number>`count(case when ${isActive} then 1 end)`;
  const rows = await query
    .select({ account: serviceAccount, keys, lastUsedAt: max(apiKey.lastUsedAt) })
    .from(serviceAccount)
    .innerJoin(project, eq(project.id, serviceAccount.projectId))
    .leftJoin(apiKey, eq(apiKey.serviceAccountId, serviceAccount.id))
    .where(eq(project.organizationId, organizationId))
    .groupBy(serviceAccount.id)
    .orderBy(desc(serviceAccount.id)); // an id begins with its time
  return rows.map((row) => ({
    account: row.account,
    keys: Number(row.keys),
    lastUsedAt: row.lastUsedAt === null ? null : Number(row.lastUsedAt),
  }));
}

async function eventOf(
  { query, tables: { project } }: Database,
  type: AuditEvent["type"],
  { id: resourceId, projectId }: ServiceAccount,
): Promise<AuditEvent> {
  const [owner] = await query.select().from(project).where(eq(project.id, projectId));
  return { type, organizationId: owner!.organizationId, projectId, resourceId };
}
