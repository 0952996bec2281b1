/** Rows of webhook endpoints, and the statements that change them with what an attempt met. */
import { and, desc, eq, isNull, lt, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";
import { insertWhere } from "./insert-where.ts";

export type EndpointRow = Tables["webhookEndpoint"]["$inferSelect"];

/** Whose they are. `projectId` null: of all projects, and of the organization. `organizationId` null: the server's. */
export type EndpointOwner = { organizationId: string | null; projectId: string | null };

/** When failing switches an endpoint off, times in Unix seconds. */
type FailingSince = { failures: number; succeededBefore: number; enabledBefore: number };

export function openEndpointRows(database: Database) {
  const { query, tables } = database;
  const { webhookEndpoint, organization, installation } = tables;
  const { id, organizationId, projectId, status } = webhookEndpoint;
  const isOfAll = (owner: Pick<EndpointOwner, "organizationId">): SQL =>
    owner.organizationId === null ? isNull(organizationId) : eq(organizationId, owner.organizationId);
  const isOf = (owner: EndpointOwner): SQL | undefined =>
    and(isOfAll(owner), owner.projectId === null ? undefined : eq(projectId, owner.projectId));
  return {
    ...metOf(database),
    /** Statements: add it, unless its organization has so many; of those that are added at once, one after another. */
    added: (row: EndpointRow, max: number): SQLWrapper[] => [
      row.organizationId === null
        ? query.update(installation).set({ id: 1 }).where(eq(installation.id, 1)) // locks the row, as below
        : query
            .update(organization)
            .set({ id: row.organizationId })
            .where(eq(organization.id, row.organizationId)),
      insertWhere(
        webhookEndpoint,
        row,
        sql`(select count(*) from ${webhookEndpoint} where ${isOfAll(row)}) < ${max}`,
      ),
    ],
    /** A condition: it is there. */
    isThere: (endpointId: string): SQL =>
      sql`exists (select 1 from ${webhookEndpoint} where ${eq(id, endpointId)})`,
    /** Newest first; `after`: the id of one that is newer than those read. */
    async list(owner: EndpointOwner, { after, limit }: { after: string | null; limit: number }) {
      return query
        .select()
        .from(webhookEndpoint)
        .where(and(isOf(owner), after === null ? undefined : lt(id, after)))
        .orderBy(desc(id))
        .limit(limit);
    },
    async find(owner: EndpointOwner, endpointId: string): Promise<EndpointRow | null> {
      return (
        (
          await query
            .select()
            .from(webhookEndpoint)
            .where(and(eq(id, endpointId), isOf(owner)))
        )[0] ?? null
      );
    },
    /** Statements, here and below. `ifOff`: only where it is switched off. */
    changed: (endpointId: string, change: Partial<EndpointRow>, ifOff = false): SQLWrapper =>
      query
        .update(webhookEndpoint)
        .set(change)
        .where(and(eq(id, endpointId), ifOff ? eq(status, "disabled") : undefined)),
    /** `oldSecretUntil`: how long the secret before signs too; null: it does not. */
    rotated: (
      endpointId: string,
      to: Pick<EndpointRow, "secret" | "secretHint" | "oldSecretUntil" | "updatedAt">,
    ): SQLWrapper =>
      query
        .update(webhookEndpoint)
        .set({ ...to, oldSecret: to.oldSecretUntil === null ? null : sql`${webhookEndpoint.secret}` })
        .where(eq(id, endpointId)),
    deleted: (endpointId: string): SQLWrapper => query.delete(webhookEndpoint).where(eq(id, endpointId)),
  };
}

/** Statements that note what an attempt met. */
function metOf({ query, tables: { webhookEndpoint } }: Database) {
  const { id, status, failures, succeededAt, enabledAt } = webhookEndpoint;
  const isFailing = ({ failures: most, succeededBefore, enabledBefore }: FailingSince) =>
    and(
      sql`${failures} >= ${most}`,
      or(lt(succeededAt, succeededBefore), and(isNull(succeededAt), lt(enabledAt, enabledBefore))),
    );
  return {
    failed: (endpointId: string): SQLWrapper =>
      query
        .update(webhookEndpoint)
        .set({ failures: sql`${failures} + 1` })
        .where(eq(id, endpointId)),
    succeeded: (endpointId: string, at: number): SQLWrapper =>
      query.update(webhookEndpoint).set({ failures: 0, succeededAt: at }).where(eq(id, endpointId)),
    /** Changes nothing where it is off already, or does not fail for so long. */
    switchedOff: (
      endpointId: string,
      off: Pick<EndpointRow, "disabledReason" | "disabledAt">,
      since?: FailingSince,
    ): SQLWrapper =>
      query
        .update(webhookEndpoint)
        .set({ ...off, status: "disabled", updatedAt: off.disabledAt! })
        .where(and(eq(id, endpointId), eq(status, "enabled"), since && isFailing(since))),
  };
}
