/** Reads the audit log, of an organization, of the server or of both, and deletes what is older than it is kept. */

import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, lte, type SQL } from "drizzle-orm";
import type { Database, Tables } from "../db/database.ts";
import { forgetOldest } from "../db/queries/forget-oldest.ts";
import { stampAt } from "../ids.ts";

export type AuditRow = Tables["auditEvent"]["$inferSelect"];

/** Null: what changed of the server itself. */
export type AuditScope = { organizationId: string | null } | "everything";

/** Ids and words are any of the list. Times are Unix seconds. */
export type AuditFilter = {
  types?: string[] | undefined;
  projectIds?: string[] | undefined;
  actorIds?: string[] | undefined;
  actorEmails?: string[] | undefined;
  actorTypes?: string[] | undefined;
  resourceIds?: string[] | undefined;
  effectiveAt?: Partial<Record<"gt" | "gte" | "lt" | "lte", number | undefined>>;
};

/** `after`: the id of an event that is newer than those read; `before`: of one that is older. */
type Place = { after: string | null; before: string | null; limit: number };

export type AuditReads = {
  /** Newest first, unless `before` is given. */
  auditEvents(scope: AuditScope, filter: AuditFilter, place: Place): Promise<AuditRow[]>;
  /** Deletes the oldest from before then, in Unix seconds. Whether there may be more. */
  forget(before: number): Promise<boolean>;
  auditNames: AuditNames;
};

export function openAuditReads(database: Database): AuditReads {
  const { query, tables } = database;
  const { auditEvent } = tables;
  return {
    async auditEvents(scope, filter, { after, before, limit }) {
      const { id } = auditEvent; // an id begins with its time
      return query
        .select()
        .from(auditEvent)
        .where(
          and(
            scopeOf(auditEvent, scope),
            after === null ? undefined : lt(id, after),
            before === null ? undefined : gt(id, before),
            ...conditions(auditEvent, filter),
          ),
        )
        .orderBy(before === null ? desc(id) : asc(id))
        .limit(limit);
    },
    forget: (before) =>
      forgetOldest(database, { table: auditEvent, id: auditEvent.id, at: auditEvent.effectiveAt }, before),
    auditNames: openAuditNames(database),
  };
}

function scopeOf({ organizationId }: Tables["auditEvent"], scope: AuditScope): SQL | undefined {
  if (scope === "everything") return undefined;
  return scope.organizationId === null ? isNull(organizationId) : eq(organizationId, scope.organizationId);
}

function conditions(auditEvent: Tables["auditEvent"], filter: AuditFilter): (SQL | undefined)[] {
  const { types, projectIds, actorIds, actorEmails, actorTypes, resourceIds, effectiveAt = {} } = filter;
  const at = auditEvent.effectiveAt;
  return [
    types && inArray(auditEvent.type, types),
    projectIds && inArray(auditEvent.projectId, projectIds),
    actorIds && inArray(auditEvent.actorId, actorIds),
    actorEmails && inArray(auditEvent.actorEmail, actorEmails),
    actorTypes && inArray(auditEvent.actorType, actorTypes),
    resourceIds && inArray(auditEvent.resourceId, resourceIds),
    effectiveAt.gt === undefined ? undefined : gt(at, effectiveAt.gt),
    effectiveAt.gte === undefined ? undefined : gte(at, effectiveAt.gte),
    effectiveAt.lt === undefined ? undefined : lt(at, effectiveAt.lt),
    effectiveAt.lte === undefined ? undefined : lte(at, effectiveAt.lte),
    ...withinIds(auditEvent, effectiveAt),
  ];
}

const SLACK_SECONDS = 3600; // an id may be made before its event takes effect

/** The same bounds as ids, which the list is read in the order of: what lies outside of them is not looked at. */
function withinIds(
  { id }: Tables["auditEvent"],
  { gt: after, gte: from, lt: before, lte: until }: NonNullable<AuditFilter["effectiveAt"]>,
): (SQL | undefined)[] {
  const [start, end] = [after ?? from, before ?? until];
  return [
    start === undefined ? undefined : gt(id, stampAt("audit", Math.max(0, start - SLACK_SECONDS))),
    end === undefined ? undefined : lt(id, stampAt("audit", end + SLACK_SECONDS)),
  ];
}

/**
 * The names of what events are about and of who made them, as they are now: ids are all that events have.
 *
 * By id. What is deleted, and what has no name, is left out.
 */
type AuditNames = (ids: (string | null)[]) => Promise<ReadonlyMap<string, string>>;

function openAuditNames({ query, tables }: Database): AuditNames {
  const { organization, project, apiKey, adminApiKey, serviceAccount, user, voice, webhookEndpoint } = tables;
  const { invitation } = tables;
  const named = [
    ["org_", organization],
    ["proj_", project],
    ["key_", apiKey],
    ["akey_", adminApiKey],
    ["svc_", serviceAccount],
    ["user_", user],
    ["voice_", voice],
    ["whe_", webhookEndpoint],
  ] as const;
  return async (ids) => {
    const known = [...new Set(ids)].filter((id) => id !== null);
    const beginning = (prefix: string) => known.filter((id) => id.startsWith(prefix));
    const reads = named.map(async ([prefix, table]) => {
      const wanted = beginning(prefix);
      if (wanted.length === 0) return [];
      return query.select({ id: table.id, name: table.name }).from(table).where(inArray(table.id, wanted));
    });
    const invited = beginning("inv_");
    const addresses =
      invited.length === 0
        ? []
        : query
            .select({ id: invitation.id, name: invitation.email })
            .from(invitation)
            .where(inArray(invitation.id, invited));
    const rows = await Promise.all([...reads, addresses]);
    return new Map(rows.flat().map(({ id, name }) => [id, name]));
  };
}
