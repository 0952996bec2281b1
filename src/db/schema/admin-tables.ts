/** The tables of what programs manage an organization with, and act as. Times are Unix seconds. */
import type { Organizations } from "./account-tables.ts";
import type { Kit } from "./kit-sqlite.ts";

/** What programs manage an organization with, and act as in a project. */
export function adminTables(
  { table, index, text, seconds, json, bytes }: Kit,
  { organization, project }: Organizations,
) {
  /** A key for the organization API. Its secret is stored only as its SHA-256. */
  const adminApiKey = table(
    "admin_api_key",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      name: text().notNull(),
      last4: text().notNull(),
      hash: bytes().notNull().unique(),
      scopes: json().$type<string[]>().notNull(),
      createdAt: seconds("created_at").notNull(),
      /** Null: made on the command line. */
      createdBy: text("created_by"),
      expiresAt: seconds("expires_at"),
      lastUsedAt: seconds("last_used_at"),
      revokedAt: seconds("revoked_at"),
    },
    (table) => [index("admin_api_key_by_organization").on(table.organizationId, table.id)],
  );

  /** Who keys of programs belong to, in place of a person. */
  const serviceAccount = table(
    "service_account",
    {
      id: text().primaryKey(),
      projectId: text("project_id")
        .notNull()
        .references(() => project.id),
      name: text().notNull(),
      role: text({ enum: ["owner", "member"] }).notNull(),
      createdAt: seconds("created_at").notNull(),
    },
    (table) => [index("service_account_by_project").on(table.projectId, table.id)],
  );

  /** Who changed what. Kept 400 days. */
  const auditEvent = table(
    "audit_event",
    {
      id: text().primaryKey(),
      /** Null: of the server. Not a reference: it outlives what it is about. */
      organizationId: text("organization_id"),
      type: text().notNull(),
      effectiveAt: seconds("effective_at").notNull(),
      actorType: text("actor_type").notNull(),
      actorId: text("actor_id"),
      actorEmail: text("actor_email"),
      address: text(),
      userAgent: text("user_agent"),
      projectId: text("project_id"),
      resourceId: text("resource_id"),
      /** As JSON: fields with what they were before and after, never secrets. */
      changes: text().notNull(),
    },
    (table) => [
      index("audit_event_by_organization").on(table.organizationId, table.id),
      index("audit_event_by_time").on(table.effectiveAt),
    ],
  );
  return { adminApiKey, serviceAccount, auditEvent };
}
