/**
 * The SQLite tables of who signs in: users, their sessions and passwords, what they were mailed, which organizations
 * they belong to. The library that owns these rows reads and writes `Date`s; on the disk they are Unix seconds.
 */
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { organization } from "./tables.ts";

const moment = (name: string) => integer(name, { mode: "timestamp" });

export const user = sqliteTable("user", {
  id: text().primaryKey(),
  name: text().notNull(),
  email: text().notNull().unique(),
  emailVerified: integer("email_verified", { mode: "boolean" }).notNull(),
  image: text(),
  /** Runs this server: sees every organization, gives credit, pulls models. */
  operator: integer({ mode: "boolean" }).notNull().default(false),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
});

export const session = sqliteTable(
  "session",
  {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id),
    token: text().notNull().unique(),
    expiresAt: moment("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    activeOrganizationId: text("active_organization_id"),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [index("session_by_user").on(table.userId)],
);

/** How a user proves who they are: one row, with the hash of a password. */
export const credential = sqliteTable(
  "credential",
  {
    id: text().primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => user.id),
    password: text(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: moment("access_token_expires_at"),
    refreshTokenExpiresAt: moment("refresh_token_expires_at"),
    scope: text(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [index("credential_by_user").on(table.userId)],
);

export const verification = sqliteTable(
  "verification",
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [index("verification_by_identifier").on(table.identifier)],
);

export const member = sqliteTable(
  "member",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    userId: text("user_id")
      .notNull()
      .references(() => user.id),
    role: text().notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    uniqueIndex("member_once").on(table.organizationId, table.userId),
    index("member_by_user").on(table.userId),
  ],
);

export const invitation = sqliteTable(
  "invitation",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    email: text().notNull(),
    role: text(),
    status: text().notNull(),
    expiresAt: moment("expires_at").notNull(),
    inviterId: text("inviter_id")
      .notNull()
      .references(() => user.id),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    index("invitation_by_email").on(table.email),
    index("invitation_by_organization").on(table.organizationId),
  ],
);

/** Tries at a door that may be tried so often: by address, and by e-mail. */
export const attempt = sqliteTable("attempt", {
  key: text().primaryKey(),
  count: integer().notNull(),
  /** Unix seconds: when counting begins anew. */
  until: integer().notNull(),
});
