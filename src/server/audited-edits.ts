/**
 * Where operators' edits are stored, each with its event of the audit log in one transaction. Definitions and texts are not the log's:
 * it has what names them.
 */
import { actorNow } from "../audit/actor.ts";
import { type Audit, type AuditEvent, created } from "../audit/audit-events.ts";
import type { AuditType } from "../audit-types.ts";
import type { Database } from "../db/database.ts";
import { type ConversationChange, openConversationRows } from "../db/queries/conversation-rows.ts";
import { openPackageRequestRows } from "../db/queries/package-request-rows.ts";
import { openUpstreamRows, type UpstreamChange } from "../db/queries/upstream-rows.ts";
import type { Definition } from "../upstreams/definition.ts";

type Audited = { database: Database; audit: Audit };

const eventOf = (type: AuditType, name: string, fields: Record<string, unknown> = {}): AuditEvent => ({
  ...{ type, organizationId: null, resourceId: name, changes: created(fields) },
});

/** What the server writes by itself, such as models that an upstream has now, is no event. */
export const auditedUpstreams = ({ database, audit }: Audited) =>
  openUpstreamRows(database, (change, row) =>
    audit.ifChanged(change, [], actorNow().type === "system" ? [] : [upstreamEvent(row)]),
  );

function upstreamEvent({ name, definition }: UpstreamChange): AuditEvent {
  if (definition === null) return eventOf("upstream.deleted", name);
  const { preset, urls, models } = definition as Definition;
  return eventOf("upstream.updated", name, {
    ...{ preset, urls: urls.join(", "), models: models.map(({ model }) => model).join(", ") },
  });
}

export const auditedConversations = ({ database, audit }: Audited) =>
  openConversationRows(database, (change, made) => audit.ifChanged(change, [], [conversationEvent(made)]));

function conversationEvent({ name, deed }: ConversationChange): AuditEvent {
  if (deed === "deleted") return eventOf("conversation.deleted", name);
  return eventOf("conversation.updated", name, deed === "default" ? { is_default: true } : {});
}

/** What all nodes are asked to install and remove, and what was removed of this one alone. */
export function auditedPackageRequests({ database, audit }: Audited) {
  const { list, find, putting, delete: forget } = openPackageRequestRows(database);
  type Row = Parameters<typeof putting>[0];
  const put = (type: AuditType, row: Row, variant: string | null) =>
    audit.atomically([putting(row)], [eventOf(type, row.name, variant === null ? {} : { variant })]);
  return {
    ...{ list, find, delete: forget },
    install: (row: Row, variant: string | null) => put("package.installed", row, variant),
    remove: (row: Row, variant: string | null) => put("package.removed", row, variant),
    removedHere: (name: string, variant: string) =>
      audit.note([eventOf("package.removed", name, { variant })]),
  };
}
