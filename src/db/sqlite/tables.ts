/**
 * The SQLite tables. Times are Unix seconds; a key's secret is stored only as its SHA-256.
 *
 * The two tables that every request writes to are clustered by organization and id, and an id begins with its time:
 * writing a row touches one page, and an organization's recent rows are adjacent. WITHOUT ROWID is not supported by
 * drizzle, so it is set in the migration.
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
import { PLANS } from "../../plans.ts";

/** One row, written at the first start by the node that creates the first organization. */
export const installation = sqliteTable("installation", {
  id: integer().primaryKey(),
  organizationId: text("organization_id").notNull(),
  /** The secret that signs cookies and cursors, if none is configured. */
  secret: text(),
});

export const organization = sqliteTable("organization", {
  id: text().primaryKey(),
  name: text().notNull(),
  status: text({ enum: ["active", "suspended"] }).notNull(),
  /** Prepaid: what was stored before there were plans. */
  plan: text({ enum: PLANS }).notNull().default("prepaid"),
  /** The organization's own limits, replacing those of its tier. */
  limitOverrides: text("limit_overrides", { mode: "json" }).$type<Record<string, number>>(),
  createdAt: integer("created_at").notNull(),
});

/** How words are read in the speech of an organization: as other letters, or as IPA. */
export const pronunciation = sqliteTable(
  "pronunciation",
  {
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    /** By which it is found: small letters, composed, single spaces. */
    key: text().notNull(),
    word: text().notNull(),
    /** One of them is null. */
    alias: text(),
    phonemes: text(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.key] })],
);

/** The operator's own aliases: names that clients use, and the models and voices that serve them. */
export const alias = sqliteTable(
  "alias",
  {
    kind: text({ enum: ["model", "session", "voice"] }).notNull(),
    name: text().notNull(),
    /** Best first; none: the name is switched off. */
    targets: text({ mode: "json" }).$type<string[]>().notNull(),
    format: text(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.name] })],
);

/** The operator's upstreams: servers elsewhere whose models this server offers. Credentials are only named in them. */
export const upstream = sqliteTable("upstream", {
  name: text().primaryKey(),
  /** As JSON; what reads it checks it. */
  definition: text({ mode: "json" }).$type<object>().notNull(),
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

/** An ephemeral secret for browsers, minted by a key: opens realtime sessions for a limited time. */
export const clientSecret = sqliteTable(
  "client_secret",
  {
    hash: blob({ mode: "buffer" }).primaryKey(),
    keyId: text("key_id")
      .notNull()
      .references(() => apiKey.id),
    /** The initial settings of its sessions, in the API's format. */
    session: text({ mode: "json" }).$type<object>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    index("client_secret_by_expiry").on(table.expiresAt),
    index("client_secret_by_key").on(table.keyId, table.expiresAt),
  ],
);

/** One row per organization with any credit or charges: what its grants do not store. */
export const creditAccount = sqliteTable("credit_account", {
  organizationId: text("organization_id").primaryKey(),
  overdraftMicros: integer("overdraft_micros").notNull(),
  /** The calendar month (UTC) that `monthMicros` counts, as 202611. */
  month: integer().notNull(),
  monthMicros: integer("month_micros").notNull(),
  /** The part of `monthMicros` that was not deducted. */
  monthUnmeteredMicros: integer("month_unmetered_micros").notNull().default(0),
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
    /** The part that paid off overdraft when it was granted. */
    settledMicros: integer("settled_micros").notNull(),
    remainingMicros: integer("remaining_micros").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    topUpId: text("top_up_id").unique(),
  },
  (table) => [index("credit_grant_by_organization").on(table.organizationId, table.createdAt)],
);

/** Credit taken back by a refund or dispute: from which grants, and what became overdraft. */
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
    /** The price of a million units. */
    priceMicros: integer("price_micros").notNull(),
    costMicros: integer("cost_micros").notNull(),
    overdraftMicros: integer("overdraft_micros").notNull(),
    /** The grants that paid: pairs of grant id and micros. */
    burns: text({ mode: "json" }).$type<[string, number][]>().notNull(),
    /** The plan that the request was admitted under. An unmetered charge was not deducted. */
    plan: text({ enum: PLANS }).notNull().default("prepaid"),
    month: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.id] })],
);

/** One row per request to an audio endpoint, including refused, failed and abandoned ones. */
export const requestLog = sqliteTable(
  "request_log",
  {
    id: text().notNull(),
    createdAt: integer("created_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    /** Time to the first byte of audio or text; null if none was sent. */
    firstByteMs: integer("first_byte_ms"),
    endpoint: text().notNull(),
    method: text().notNull(),
    status: integer().notNull(),
    errorCode: text("error_code"),
    /** The message that the client received. */
    errorMessage: text("error_message"),
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
    /** The request that was charged for the same work; null if this one was. */
    replayOf: text("replay_of"),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    // the rare rows that users search for: refusals, errors, sessions
    index("request_log_not_200")
      .on(table.organizationId, table.id, table.status, table.errorCode)
      .where(sql`status <> 200`),
  ],
);

/** Hourly and daily sums, updated with every charge and logged request. Charts are drawn from them. */
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
    /** "" if the request was refused before a model was known. */
    model: text().notNull(),
    endpoint: text().notNull(),
    requests: integer().notNull(),
    errors: integer().notNull(),
    characters: integer().notNull(),
    audioSeconds: real("audio_seconds").notNull(),
    costMicros: integer("cost_micros").notNull(),
    /** The part of `costMicros` that was not deducted. */
    unmeteredMicros: integer("unmetered_micros").notNull().default(0),
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
