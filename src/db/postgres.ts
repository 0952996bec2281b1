/** The PostgreSQL tables: the same names and meanings as in `sqlite.ts`, the types that PostgreSQL has for them. */
import { sql } from "drizzle-orm";
import { bigint, doublePrecision, index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";

const micros = (name: string) => bigint(name, { mode: "number" });
const seconds = (name: string) => bigint(name, { mode: "number" });

export const creditAccount = pgTable("credit_account", {
  organizationId: text("organization_id").primaryKey(),
  overdraftMicros: micros("overdraft_micros").notNull(),
  month: integer().notNull(),
  monthMicros: micros("month_micros").notNull(),
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
  (table) => [
    index("credit_grant_live").on(table.organizationId).where(sql`remaining_micros > 0`),
    index("credit_grant_by_organization").on(table.organizationId, table.createdAt),
  ],
);

export const usageEvent = pgTable(
  "usage_event",
  {
    id: text().primaryKey(),
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
    month: integer().notNull(),
    createdAt: seconds("created_at").notNull(),
  },
  (table) => [index("usage_event_by_time").on(table.organizationId, table.createdAt)],
);
