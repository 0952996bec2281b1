/**
 * Changes of the management API whose rows are not written together with those of the audit log, such as packages on disk
 * and what Stripe keeps: noted right after them, by their route. Changes of accounts and of credit are written with their rows instead.
 */
import { type Audit, type AuditEvent, created } from "../../audit/audit-events.ts";
import type { AuditType } from "../../audit-types.ts";
import type { Contract } from "./schema/routes.ts";

/** @public held to the contract by a test */
export const NOTED: Partial<Record<keyof Contract, AuditType>> = {
  "PUT /api/organizations/:organization/billing/details": "billing.details.updated",
  "POST /api/operator/organizations/:tenant/top-ups/:topUp/refund": "billing.refunded",
  "POST /api/operator/models/:package/pull": "package.installed",
  "DELETE /api/operator/models/:package": "package.removed",
  "PUT /api/operator/conversations": "conversation.updated",
  "POST /api/operator/conversations/:conversation/default": "conversation.updated",
  "DELETE /api/operator/conversations/:conversation": "conversation.deleted",
  "POST /api/operator/upstreams": "upstream.updated",
  "DELETE /api/operator/upstreams/:upstream": "upstream.deleted",
};

type Answered = {
  organizationId?: string | undefined;
  ids: Record<string, string>;
  body: unknown;
  reply: unknown;
};

export async function noteChange(audit: Audit, name: string, answered: Answered): Promise<void> {
  const type = NOTED[name as keyof Contract];
  if (type === undefined) return;
  await audit.note([eventOf(type, answered)]);
}

/** Of the body, plain values only: definitions and texts are not the log's. */
function eventOf(type: AuditType, { organizationId, ids, body, reply }: Answered): AuditEvent {
  const { organization: _, tenant, ...others } = ids;
  const fields = Object.entries((body ?? {}) as Record<string, unknown>).filter(
    ([field, value]) => field !== "idempotency_key" && typeof value !== "object",
  );
  const resourceId =
    Object.values(others).at(-1) ??
    idOf(body, "name") ??
    idOf(reply, "id") ??
    tenant ??
    organizationId ??
    null;
  return {
    ...{ type, resourceId, organizationId: organizationId ?? tenant ?? null },
    changes: created(Object.fromEntries(fields)),
  };
}

function idOf(record: unknown, field: string): string | null {
  const value = (record as Record<string, unknown> | null | undefined)?.[field];
  return typeof value === "string" ? value : null;
}
