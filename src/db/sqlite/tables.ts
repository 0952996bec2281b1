/**
 * The SQLite tables. Times are Unix seconds; a key's secret is stored only as its SHA-256.
 *
 * The two tables that every request writes to are clustered by organization and id, and an id begins with its time:
 * a row is one page touched, and an organization's last days lie together. Drizzle has no word for the WITHOUT ROWID
 * that makes it so: it stands in the migration.
 */
import { sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/** One row, written by the first start: whoever writes it makes the first organization. */
export const installation = sqliteTable("installation", {
  id: integer().primaryKey(),
  organizationId: text("organization_id").notNull(),
  /** What cookies and cursors are signed with, where the configuration gives no other. */
  secret: text(),
});

export const organization = sqliteTable("organization", {
  id: text().primaryKey(),
  name: text().notNull(),
  status: text({ enum: ["active"] }).notNull(),
  /** Any of the four limits, where this organization has its own. */
  limitOverrides: text("limit_overrides", { mode: "json" }).$type<Record<string, number>>(),
  createdAt: integer("created_at").notNull(),
});

export const project = sqliteTable(
  "project",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    name: text().notNull(),
    status: text({ enum: ["active", "archived"] }).notNull(),
    isDefault: integer("is_default", { mode: "boolean" }).notNull(),
    createdAt: integer("created_at").notNull(),
    archivedAt: integer("archived_at"),
  },
  (table) => [uniqueIndex("project_name").on(table.organizationId, table.name)],
);

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

/** A secret for a browser, minted by a key: it opens realtime sessions for a while, and does nothing else. */
export const clientSecret = sqliteTable(
  "client_secret",
  {
    hash: blob({ mode: "buffer" }).primaryKey(),
    keyId: text("key_id")
      .notNull()
      .references(() => apiKey.id),
    /** The settings its sessions start with, as the API's update of a session. */
    session: text({ mode: "json" }).$type<object>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("client_secret_by_expiry").on(table.expiresAt),
    index("client_secret_by_key").on(table.keyId, table.expiresAt),
  ],
);

/** One row per organization that ever had credit: what its grants do not say. */
export const creditAccount = sqliteTable("credit_account", {
  organizationId: text("organization_id").primaryKey(),
  overdraftMicros: integer("overdraft_micros").notNull(),
  /** The calendar month (UTC) that `monthMicros` counts, as 202611. */
  month: integer().notNull(),
  monthMicros: integer("month_micros").notNull(),
  /** Null: no limit. */
  monthlyLimitMicros: integer("monthly_limit_micros"),
  purchasedMicros: integer("purchased_micros").notNull(),
});

export const creditGrant = sqliteTable(
  "credit_grant",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id").notNull(),
    kind: text({ enum: ["starting", "purchase", "adjustment"] }).notNull(),
    amountMicros: integer("amount_micros").notNull(),
    /** What of it paid off overdraft when it came. */
    settledMicros: integer("settled_micros").notNull(),
    remainingMicros: integer("remaining_micros").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    topUpId: text("top_up_id").unique(),
  },
  (table) => [index("credit_grant_by_organization").on(table.organizationId, table.createdAt)],
);

/** Credit taken back by a refund or a dispute, from which grants, and what no grant had any more. */
export const creditReversal = sqliteTable(
  "credit_reversal",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id").notNull(),
    grantId: text("grant_id").notNull(),
    kind: text({ enum: ["refund", "dispute"] }).notNull(),
    amountMicros: integer("amount_micros").notNull(),
    overdraftMicros: integer("overdraft_micros").notNull(),
    burns: text({ mode: "json" }).$type<[string, number][]>().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("credit_reversal_by_organization").on(table.organizationId)],
);

/** One row per charge, written in the transaction that deducts it. */
export const usageEvent = sqliteTable(
  "usage_event",
  {
    id: text().notNull(),
    organizationId: text("organization_id").notNull(),
    projectId: text("project_id").notNull(),
    keyId: text("key_id").notNull(),
    environment: text({ enum: ["live", "test"] }).notNull(),
    requestId: text("request_id").notNull(),
    endpoint: text().notNull(),
    model: text().notNull(),
    unit: text({ enum: ["character", "second"] }).notNull(),
    quantity: real().notNull(),
    /** Price of a million units. */
    priceMicros: integer("price_micros").notNull(),
    costMicros: integer("cost_micros").notNull(),
    overdraftMicros: integer("overdraft_micros").notNull(),
    /** Which grants paid: [grant id, micros] each. */
    burns: text({ mode: "json" }).$type<[string, number][]>().notNull(),
    month: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.id] })],
);

/** One row per request that reached an audio endpoint: refused, failed and left ones too. */
export const requestLog = sqliteTable(
  "request_log",
  {
    id: text().notNull(),
    createdAt: integer("created_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    /** Until the first byte of audio or text; null where none was sent. */
    firstByteMs: integer("first_byte_ms"),
    endpoint: text().notNull(),
    method: text().notNull(),
    status: integer().notNull(),
    errorCode: text("error_code"),
    organizationId: text("organization_id").notNull(),
    projectId: text("project_id").notNull(),
    keyId: text("key_id").notNull(),
    environment: text({ enum: ["live", "test"] }).notNull(),
    model: text(),
    voice: text(),
    stream: integer({ mode: "boolean" }).notNull(),
    responseFormat: text("response_format"),
    characters: integer(),
    audioSeconds: real("audio_seconds"),
    costMicros: integer("cost_micros").notNull(),
    ip: text(),
    userAgent: text("user_agent"),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    // what is rare and looked for: refusals, faults, sessions
    index("request_log_not_200")
      .on(table.organizationId, table.id, table.status, table.errorCode)
      .where(sql`status <> 200`),
  ],
);

/** Sums of an hour and of a day, kept with every charge and every logged request: what charts are drawn from. */
export const usageTotal = sqliteTable(
  "usage_total",
  {
    organizationId: text("organization_id").notNull(),
    period: text({ enum: ["hour", "day"] }).notNull(),
    /** Unix seconds, UTC. */
    start: integer().notNull(),
    projectId: text("project_id").notNull(),
    keyId: text("key_id").notNull(),
    environment: text({ enum: ["live", "test"] }).notNull(),
    /** "" where a request was refused before it named one. */
    model: text().notNull(),
    endpoint: text().notNull(),
    requests: integer().notNull(),
    errors: integer().notNull(),
    characters: integer().notNull(),
    audioSeconds: real("audio_seconds").notNull(),
    costMicros: integer("cost_micros").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.organizationId,
        table.period,
        table.start,
        table.projectId,
        table.keyId,
        table.environment,
        table.model,
        table.endpoint,
      ],
    }),
  ],
);
