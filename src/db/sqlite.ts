/** The SQLite tables. Times are Unix seconds; a key's secret is stored only as its SHA-256. */
import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const organization = sqliteTable("organization", {
  id: text().primaryKey(),
  name: text().notNull(),
  status: text({ enum: ["active"] }).notNull(),
  createdAt: integer("created_at").notNull(),
});

export const project = sqliteTable("project", {
  id: text().primaryKey(),
  organizationId: text("organization_id")
    .notNull()
    .references(() => organization.id),
  name: text().notNull(),
  status: text({ enum: ["active", "archived"] }).notNull(),
  isDefault: integer("is_default", { mode: "boolean" }).notNull(),
  createdAt: integer("created_at").notNull(),
  archivedAt: integer("archived_at"),
});

export const apiKey = sqliteTable(
  "api_key",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    projectId: text("project_id")
      .notNull()
      .references(() => project.id),
    name: text().notNull(),
    environment: text({ enum: ["live", "test"] }).notNull(),
    prefix: text().notNull(),
    last4: text().notNull(),
    hash: blob({ mode: "buffer" }).notNull().unique(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    createdBy: text("created_by"),
    expiresAt: integer("expires_at"),
    lastUsedAt: integer("last_used_at"),
    revokedAt: integer("revoked_at"),
    rotatedFrom: text("rotated_from"),
  },
  (table) => [index("api_key_by_project").on(table.projectId)],
);
