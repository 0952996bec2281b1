/**
 * The tables of credit, charges and requests. Times are Unix seconds.
 *
 * In SQLite, the two tables that every request writes to are clustered by organization and id, and an id begins with its
 * time: writing a row touches one page, and an organization's recent rows are adjacent. WITHOUT ROWID is not supported by
 * drizzle, so it is set in the migration.
 */
import { sql } from "drizzle-orm";
import { UNITS } from "../../charged-units.ts";
import { PLANS } from "../../plans.ts";
import type { Kit } from "./kit-sqlite.ts";

export function creditTables({ table, index, text, integer, seconds, micros, json }: Kit) {
  /** One row per organization with any credit or charges: what its grants do not store. */
  const creditAccount = table("credit_account", {
    organizationId: text("organization_id").primaryKey(),
    overdraftMicros: micros("overdraft_micros").notNull(),
    /** The calendar month (UTC) that `monthMicros` counts, as 202611. */
    month: integer().notNull(),
    monthMicros: micros("month_micros").notNull(),
    /** The part of `monthMicros` that was not deducted. */
    monthUnmeteredMicros: micros("month_unmetered_micros").notNull().default(0),
    /** Null: no limit. */
    monthlyLimitMicros: micros("monthly_limit_micros"),
    purchasedMicros: micros("purchased_micros").notNull(),
    /** Below which owners want to be told of the balance; null: they do not. */
    balanceAlertMicros: micros("balance_alert_micros"),
    /** Since when it is below, and told; null: it was not below since. */
    balanceAlertedAt: seconds("balance_alerted_at"),
  });

  const creditGrant = table(
    "credit_grant",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id").notNull(),
      kind: text({ enum: ["starting", "purchase", "adjustment", "voucher"] }).notNull(),
      amountMicros: micros("amount_micros").notNull(),
      /** The part that paid off overdraft when it was granted. */
      settledMicros: micros("settled_micros").notNull(),
      remainingMicros: micros("remaining_micros").notNull(),
      createdAt: seconds("created_at").notNull(),
      expiresAt: seconds("expires_at"),
      topUpId: text("top_up_id").unique(),
      reason: text(),
    },
    (table) => [
      index("credit_grant_by_organization").on(table.organizationId, table.createdAt),
      index("credit_grant_by_time").on(table.createdAt),
      index("credit_grant_expiring").on(table.expiresAt).where(sql`expires_at is not null`),
    ],
  );

  /** Credit taken back by a refund, a dispute or a correction: from which grants, and what became overdraft. */
  const creditReversal = table(
    "credit_reversal",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id").notNull(),
      grantId: text("grant_id").notNull(),
      kind: text({ enum: ["refund", "dispute", "correction"] }).notNull(),
      amountMicros: micros("amount_micros").notNull(),
      overdraftMicros: micros("overdraft_micros").notNull(),
      burns: json().$type<[string, number][]>().notNull(),
      createdAt: seconds("created_at").notNull(),
      reason: text(),
    },
    (table) => [
      index("credit_reversal_by_organization").on(table.organizationId),
      index("credit_reversal_by_grant").on(table.grantId),
    ],
  );
  return { creditAccount, creditGrant, creditReversal };
}

export function usageTables({ table, primaryKey, text, integer, seconds, micros, real, json }: Kit) {
  /** One row per charge, written in the transaction that deducts it. */
  const usageEvent = table(
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
      unit: text({ enum: UNITS }).notNull(),
      quantity: real().notNull(),
      /** The price of a million units. */
      priceMicros: micros("price_micros").notNull(),
      costMicros: micros("cost_micros").notNull(),
      overdraftMicros: micros("overdraft_micros").notNull(),
      /** The grants that paid: pairs of grant id and micros. */
      burns: json().$type<[string, number][]>().notNull(),
      /** The plan that the request was admitted under. An unmetered charge was not deducted. */
      plan: text({ enum: PLANS }).notNull().default("prepaid"),
      /** The periods of budgets that it is counted in: pairs of subject and start. Null: none. */
      budgets: json().$type<[string, number][]>(),
      month: integer().notNull(),
      createdAt: seconds("created_at").notNull(),
    },
    (table) => [primaryKey({ columns: [table.organizationId, table.id] })],
  );

  /** What was used of a budget, at list price: one row for each period in which it was charged. */
  const budgetPeriod = table(
    "budget_period",
    {
      organizationId: text("organization_id").notNull(),
      /** The key or project that has the budget. */
      subject: text().notNull(),
      start: seconds().notNull(),
      micros: micros().notNull(),
    },
    (table) => [primaryKey({ columns: [table.organizationId, table.subject, table.start] })],
  );
  return { usageEvent, budgetPeriod };
}

export function requestTables({ table, index, primaryKey, text, integer, seconds, micros, real, flag }: Kit) {
  /** One row per request to an audio endpoint, including refused, failed and abandoned ones. */
  const requestLog = table(
    "request_log",
    {
      id: text().notNull(),
      createdAt: seconds("created_at").notNull(),
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
      /** A code such as "de": what was spoken, or in which a text was read. Null: not known. */
      language: text(),
      stream: flag().notNull(),
      responseFormat: text("response_format"),
      characters: integer(),
      audioSeconds: real("audio_seconds"),
      /** Of a conversation: how often it answered, and what its language model read and wrote. */
      responses: integer(),
      inputTokens: integer("input_tokens"),
      outputTokens: integer("output_tokens"),
      costMicros: micros("cost_micros").notNull(),
      ip: text(),
      userAgent: text("user_agent"),
      /** Whom its client named as its user, as it is stored. */
      endUser: text("end_user"),
      /** What its client calls it, as it is stored. */
      label: text(),
      /** The request that was charged for the same work; null if this one was. */
      replayOf: text("replay_of"),
      /** Of a live session: what half of its utterances waited at most, from their end to their final text. */
      finalTextMs: integer("final_text_ms"),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.id] }),
      // the rare rows that users search for: refusals, errors, sessions
      index("request_log_not_200")
        .on(table.organizationId, table.id, table.status, table.errorCode)
        .where(sql`status <> 200`),
      index("request_log_by_end_user")
        .on(table.organizationId, table.endUser, table.id)
        .where(sql`end_user is not null`),
      index("request_log_by_label")
        .on(table.organizationId, table.label, table.id)
        .where(sql`label is not null`),
    ],
  );
  return { requestLog };
}

export function endUserTables({ table, primaryKey, text, integer, bigint, seconds, micros, real }: Kit) {
  /** Daily sums of those whom clients named as their users. A request belongs to the day on which it began. */
  const endUserDay = table(
    "end_user_day",
    {
      organizationId: text("organization_id").notNull(),
      /** Unix seconds, UTC. */
      day: seconds().notNull(),
      /** "others" for those beyond the names that a day has. */
      endUser: text("end_user").notNull(),
      requests: integer().notNull(),
      errors: integer().notNull(),
      characters: bigint().notNull(),
      audioSeconds: real("audio_seconds").notNull(),
      tokens: bigint().notNull(),
      costMicros: micros("cost_micros").notNull(),
    },
    (table) => [primaryKey({ columns: [table.organizationId, table.day, table.endUser] })],
  );
  return { endUserDay };
}

export function totalTables({ table, primaryKey, text, integer, bigint, seconds, micros, real }: Kit) {
  /** Hourly and daily sums, updated with every charge and logged request. Charts are drawn from them. */
  const usageTotal = table(
    "usage_total",
    {
      organizationId: text("organization_id").notNull(),
      period: text({ enum: ["hour", "day"] }).notNull(),
      /** Unix seconds, UTC. */
      start: seconds().notNull(),
      projectId: text("project_id").notNull(),
      keyId: text("key_id").notNull(),
      environment: text({ enum: ["live", "test"] }).notNull(),
      /** "" if the request was refused before a model was known. */
      model: text().notNull(),
      endpoint: text().notNull(),
      requests: integer().notNull(),
      errors: integer().notNull(),
      /** Those that their clients left: neither errors nor successes. Null: not counted by an earlier version. */
      abandoned: integer().default(0),
      characters: bigint().notNull(),
      audioSeconds: real("audio_seconds").notNull(),
      /** Null: none, written by a version that knew of none. */
      tokens: bigint().default(0),
      costMicros: micros("cost_micros").notNull(),
      /** The part of `costMicros` that was not deducted. */
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
  return { usageTotal };
}
