/** The tables of alerts: what they watch, what it has spent, which have gone off, and who else is told. Times are Unix seconds. */
import type { Organizations } from "./account-tables.ts";
import type { Kit } from "./kit-sqlite.ts";

export function alertTables(
  { table, index, primaryKey, text, integer, seconds, micros }: Kit,
  { organization }: Organizations,
) {
  /** One of `percent` and a threshold in money was chosen. */
  const spendAlert = table(
    "spend_alert",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      scope: text({ enum: ["organization", "project", "key"] }).notNull(),
      /** The organization, project or key that is watched. */
      subject: text().notNull(),
      /** Of a project or key. */
      projectId: text("project_id"),
      /** Of the budget of its key or project, or of the spending limit of its organization. */
      percent: integer(),
      /** Null: that many percent of a budget that there is not, or of the spending limit. */
      thresholdMicros: micros("threshold_micros"),
      channel: text({ enum: ["email", "webhook"] }).notNull(),
      /** Addresses, as JSON. */
      recipients: text().notNull(),
      subjectPrefix: text("subject_prefix"),
      createdAt: seconds("created_at").notNull(),
      updatedAt: seconds("updated_at").notNull(),
    },
    (table) => [
      index("spend_alert_by_subject").on(table.organizationId, table.subject),
      index("spend_alert_by_project").on(table.organizationId, table.projectId, table.id),
    ],
  );

  /** What a key or project that is watched has spent in a month, at list price. It begins with the sums of the month's days. */
  const spendCount = table(
    "spend_count",
    {
      organizationId: text("organization_id").notNull(),
      subject: text().notNull(),
      start: seconds().notNull(),
      micros: micros().notNull(),
    },
    (table) => [primaryKey({ columns: [table.organizationId, table.subject, table.start] })],
  );

  /** That an alert went off: once in a period for each threshold. */
  const spendAlertFiring = table(
    "spend_alert_firing",
    {
      organizationId: text("organization_id").notNull(),
      alertId: text("alert_id").notNull(),
      /** Of the month, or of the budget's period. */
      start: seconds().notNull(),
      thresholdMicros: micros("threshold_micros").notNull(),
      /** What had been spent then. */
      micros: micros().notNull(),
      createdAt: seconds("created_at").notNull(),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.alertId, table.start, table.thresholdMicros] }),
      index("spend_alert_firing_by_time").on(table.createdAt),
    ],
  );
  return { spendAlert, spendCount, spendAlertFiring };
}

export function recipientTables(
  { table, uniqueIndex, text, seconds, flag }: Kit,
  { organization }: Organizations,
) {
  /** An address that gets mail of alerts once it has agreed, unless it is a member's; and those that the balance alert names. */
  const alertRecipient = table(
    "alert_recipient",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      /** In small letters. */
      email: text().notNull(),
      state: text({ enum: ["pending", "confirmed", "unsubscribed"] }).notNull(),
      /** Of the mail that asks: a link of an earlier one is not valid. */
      nonce: text().notNull(),
      tellsBalance: flag("tells_balance").notNull().default(false),
      /** When it was asked last by mail. */
      askedAt: seconds("asked_at"),
      answeredAt: seconds("answered_at"),
      createdAt: seconds("created_at").notNull(),
    },
    (table) => [uniqueIndex("alert_recipient_by_email").on(table.organizationId, table.email)],
  );
  return { alertRecipient };
}
