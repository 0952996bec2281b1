/** What the audit log, and webhooks, are told of API keys. */
import { type AuditEvent, created, differences } from "../audit/audit-events.ts";
import { restrictionsRecord } from "../restrictions.ts";
import type { Row } from "./key-record.ts";

export function keyCreated(row: Row): AuditEvent {
  const { id, createdBy: created_by, serviceAccountId: service_account_id } = row;
  return {
    ...keyAdded(row),
    raises: { type: "api_key.created", data: { id, created_by, service_account_id } },
  };
}

/** `endsAt`: when the one before ends, in Unix seconds. */
export function keyRotated(row: Row, endsAt: number): AuditEvent {
  const data = { id: row.id, rotated_from: row.rotatedFrom, rotated_from_expires_at: endsAt };
  return { ...keyAdded(row), raises: { type: "api_key.rotated", data } };
}

export const keyRevoked = (row: Row): AuditEvent => ({
  ...keyEvent("api_key.deleted", row),
  raises: { type: "api_key.revoked", data: { id: row.id } },
});

const keyAdded = (row: Row): AuditEvent => {
  const { name, environment, scopes, expiresAt, serviceAccountId, rotatedFrom, last4 } = row;
  const fields = { name, environment, scopes, last4, expires_at: expiresAt };
  const restrictions = restrictionsRecord(row.restrictions);
  const more = { service_account_id: serviceAccountId, rotated_from: rotatedFrom, restrictions };
  return { ...keyEvent("api_key.created", row), changes: created({ ...fields, ...more }) };
};

export function keyEvent(type: AuditEvent["type"], row: Row, change: Partial<Row> = {}): AuditEvent {
  const { organizationId, projectId, id: resourceId } = row;
  const named = ({ expiresAt, ...rest }: Partial<Row>) => ({ ...rest, expires_at: expiresAt }); // a reset shows as another `since`
  const changes = differences(named(row), named(change));
  return { type, organizationId, projectId, resourceId, changes };
}
