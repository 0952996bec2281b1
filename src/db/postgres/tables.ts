/** The PostgreSQL tables: the names and meanings of `sqlite/tables.ts`, with PostgreSQL's types. */

import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { PLANS } from "../../plans.ts";

const micros = (name: string) => bigint(name, { mode: "number" });
const seconds = (name: string) => bigint(name, { mode: "number" });

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

export const installation = pgTable("installation", {
  id: integer().primaryKey(),
  organizationId: text("organization_id").notNull(),
  secret: text(),
});

export const organization = pgTable("organization", {
  id: text().primaryKey(),
  name: text().notNull(),
  status: text({ enum: ["active", "suspended"] }).notNull(),
  plan: text({ enum: PLANS }).notNull().default("prepaid"),
  limitOverrides: jsonb("limit_overrides").$type<Record<string, number>>(),
  createdAt: seconds("created_at").notNull(),
});

export const pronunciation = pgTable(
  "pronunciation",
  {
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    key: text().notNull(),
    word: text().notNull(),
    alias: text(),
    phonemes: text(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.key] })],
);

export const alias = pgTable(
  "alias",
  {
    kind: text({ enum: ["model", "session", "voice"] }).notNull(),
    name: text().notNull(),
    targets: jsonb().$type<string[]>().notNull(),
    format: text(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.name] })],
);

export const upstream = pgTable("upstream", {
  name: text().primaryKey(),
  definition: jsonb().$type<object>().notNull(),
});

export const project = pgTable(
  "project",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    name: text().notNull(),
    status: text({ enum: ["active", "archived"] }).notNull(),
    isDefault: boolean("is_default").notNull(),
    createdAt: seconds("created_at").notNull(),
    archivedAt: seconds("archived_at"),
  },
  (table) => [uniqueIndex("project_name").on(table.organizationId, table.name)],
);

export const apiKey = pgTable(
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
    hash: bytes().notNull().unique(),
    scopes: jsonb().$type<string[]>().notNull(),
    createdAt: seconds("created_at").notNull(),
    createdBy: text("created_by"),
    expiresAt: seconds("expires_at"),
    lastUsedAt: seconds("last_used_at"),
    revokedAt: seconds("revoked_at"),
    rotatedFrom: text("rotated_from"),
  },
  (table) => [index("api_key_by_project").on(table.projectId)],
);

export const clientSecret = pgTable(
  "client_secret",
  {
    hash: bytes().primaryKey(),
    keyId: text("key_id")
      .notNull()
      .references(() => apiKey.id),
    session: jsonb().$type<object>().notNull(),
    createdAt: seconds("created_at").notNull(),
    expiresAt: seconds("expires_at").notNull(),
  },
  (table) => [
    index("client_secret_by_expiry").on(table.expiresAt),
    index("client_secret_by_key").on(table.keyId, table.expiresAt),
  ],
);

export const creditAccount = pgTable("credit_account", {
  organizationId: text("organization_id").primaryKey(),
  overdraftMicros: micros("overdraft_micros").notNull(),
  month: integer().notNull(),
  monthMicros: micros("month_micros").notNull(),
  monthUnmeteredMicros: micros("month_unmetered_micros").notNull().default(0),
  monthlyLimitMicros: micros("monthly_limit_micros"),
  purchasedMicros: micros("purchased_micros").notNull(),
});

export const creditGrant = pgTable(
  "credit_grant",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id").notNull(),
    kind: text({ enum: ["starting", "purchase", "adjustment"] }).notNull(),
    amountMicros: micros("amount_micros").notNull(),
    settledMicros: micros("settled_micros").notNull(),
    remainingMicros: micros("remaining_micros").notNull(),
    createdAt: seconds("created_at").notNull(),
    expiresAt: seconds("expires_at"),
    topUpId: text("top_up_id").unique(),
  },
  (table) => [index("credit_grant_by_organization").on(table.organizationId, table.createdAt)],
);

/** Credit taken back by a refund or dispute: from which grants, and what became overdraft. */
export const creditReversal = pgTable(
  "credit_reversal",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id").notNull(),
    grantId: text("grant_id").notNull(),
    kind: text({ enum: ["refund", "dispute"] }).notNull(),
    amountMicros: micros("amount_micros").notNull(),
    overdraftMicros: micros("overdraft_micros").notNull(),
    burns: jsonb().$type<[string, number][]>().notNull(),
    createdAt: seconds("created_at").notNull(),
  },
  (table) => [index("credit_reversal_by_organization").on(table.organizationId)],
);

export const usageEvent = pgTable(
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
    quantity: doublePrecision().notNull(),
    priceMicros: micros("price_micros").notNull(),
    costMicros: micros("cost_micros").notNull(),
    overdraftMicros: micros("overdraft_micros").notNull(),
    burns: jsonb().$type<[string, number][]>().notNull(),
    plan: text({ enum: PLANS }).notNull().default("prepaid"),
    month: integer().notNull(),
    createdAt: seconds("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.id] })],
);

export const requestLog = pgTable(
  "request_log",
  {
    id: text().notNull(),
    createdAt: seconds("created_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
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
    stream: boolean().notNull(),
    responseFormat: text("response_format"),
    characters: integer(),
    audioSeconds: doublePrecision("audio_seconds"),
    costMicros: micros("cost_micros").notNull(),
    ip: text(),
    userAgent: text("user_agent"),
    /** The request that was charged for the same work; null if this one was. */
    replayOf: text("replay_of"),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    index("request_log_not_200")
      .on(table.organizationId, table.id, table.status, table.errorCode)
      .where(sql`status <> 200`),
  ],
);

export const usageTotal = pgTable(
  "usage_total",
  {
    organizationId: text("organization_id").notNull(),
    period: text({ enum: ["hour", "day"] }).notNull(),
    start: seconds("start").notNull(),
    projectId: text("project_id").notNull(),
    keyId: text("key_id").notNull(),
    environment: text({ enum: ["live", "test"] }).notNull(),
    model: text().notNull(),
    endpoint: text().notNull(),
    requests: integer().notNull(),
    errors: integer().notNull(),
    characters: bigint({ mode: "number" }).notNull(),
    audioSeconds: doublePrecision("audio_seconds").notNull(),
    costMicros: micros("cost_micros").notNull(),
    unmeteredMicros: micros("unmetered_micros").notNull().default(0),
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
