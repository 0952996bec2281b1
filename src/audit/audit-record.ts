/** Events of the audit log as pages, files and the command line show them: with the names of what their ids stand for. */
import { type ActorType, sentenceOf } from "../audit-types.ts";
import type { Row } from "../csv.ts";
import type { Change } from "./audit-events.ts";
import type { AuditFilter, AuditReads, AuditRow, AuditScope } from "./audit-reads.ts";

export type AuditRecord = ReturnType<ReturnType<typeof namedBy>>;

export async function auditRecords(
  { auditNames }: Pick<AuditReads, "auditNames">,
  rows: AuditRow[],
): Promise<AuditRecord[]> {
  const ids = rows.flatMap(({ actorId, resourceId, organizationId }) => [
    actorId,
    resourceId,
    organizationId,
  ]);
  return rows.map(namedBy(await auditNames(ids)));
}

function namedBy(names: ReadonlyMap<string, string>) {
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
  return (row: AuditRow) => ({
    ...{ id: row.id, object: "audit_event" as const, type: row.type, effective_at: row.effectiveAt },
    ...{ organization_id: row.organizationId, organization_name: nameOf(row.organizationId) },
    ...{ project_id: row.projectId, resource_id: row.resourceId, resource_name: nameOf(row.resourceId) },
    actor: {
      ...{ type: row.actorType as ActorType, id: row.actorId, name: nameOf(row.actorId) },
      ...{ email: row.actorEmail, ip_address: row.address, user_agent: row.userAgent },
    },
    changes: JSON.parse(row.changes) as Change[],
  });
}

const PAGE = 200;

type Asked = { scope: AuditScope; filter: AuditFilter; most: number };

/** Newest first, at most `most`; what is kept of them is one page. */
export async function* auditPages(
  reads: Pick<AuditReads, "auditEvents" | "auditNames">,
  { scope, filter, most }: Asked,
): AsyncGenerator<AuditRecord[]> {
  let after: string | null = null;
  for (let left = most; left > 0; left -= PAGE) {
    const limit = Math.min(PAGE, left);
    const rows = await reads.auditEvents(scope, filter, { after, before: null, limit });
    if (rows.length > 0) yield await auditRecords(reads, rows);
    if (rows.length < limit) return;
    after = rows.at(-1)!.id;
  }
}

/** Who did what, such as "Ada created the API key Website". */
export function sentenceText(record: AuditRecord): string {
  const { actor, deed, resource } = sentenceOf(record);
  return [actor, deed, resource].filter((part) => part !== null).join(" ");
}

/** A row of a file. */
export const auditFields = (record: AuditRecord): Row => {
  const { actor, changes, effective_at } = record;
  return {
    ...{ id: record.id, time: new Date(effective_at * 1000).toISOString(), effective_at },
    ...{ type: record.type, event: sentenceText(record) },
    ...{ organization_id: record.organization_id, organization_name: record.organization_name },
    ...{
      project_id: record.project_id,
      resource_id: record.resource_id,
      resource_name: record.resource_name,
    },
    ...{ actor_type: actor.type, actor_id: actor.id, actor_name: actor.name, actor_email: actor.email },
    ...{ ip_address: actor.ip_address, user_agent: actor.user_agent },
    changes: changes.length === 0 ? null : JSON.stringify(changes),
  };
};
