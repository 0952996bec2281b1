/** The tables of outgoing webhooks. Times are Unix seconds. */
import type { Organizations } from "./account-tables.ts";
import type { Kit } from "./kit-sqlite.ts";

export function webhookTables(
  { table, index, text, integer, seconds }: Kit,
  { organization, project }: Organizations,
) {
  /** Where events of an organization, or of the server, are sent to. */
  const webhookEndpoint = table(
    "webhook_endpoint",
    {
      id: text().primaryKey(),
      /** Null: the server's, which operators manage. */
      organizationId: text("organization_id").references(() => organization.id),
      /** Null: of all projects. */
      projectId: text("project_id").references(() => project.id),
      name: text().notNull(),
      url: text().notNull(),
      /** Those that it wants, each between two commas. */
      eventTypes: text("event_types").notNull(),
      /** Encrypted, in base 64. */
      secret: text().notNull(),
      secretHint: text("secret_hint").notNull(),
      /** The one before, which signs too until then. */
      oldSecret: text("old_secret"),
      oldSecretUntil: seconds("old_secret_until"),
      status: text({ enum: ["enabled", "disabled"] }).notNull(),
      disabledReason: text("disabled_reason", { enum: ["failing", "gone", "requested"] }),
      disabledAt: seconds("disabled_at"),
      /** Since when it has been switched on. */
      enabledAt: seconds("enabled_at").notNull(),
      /** Failed attempts in a row. */
      failures: integer().notNull(),
      succeededAt: seconds("succeeded_at"),
      createdAt: seconds("created_at").notNull(),
      updatedAt: seconds("updated_at").notNull(),
    },
    (table) => [index("webhook_endpoint_by_organization").on(table.organizationId, table.id)],
  );

  /** An event on its way to an endpoint, and what its last attempt met. */
  const webhookDelivery = table(
    "webhook_delivery",
    {
      /** Made of the event's and of the endpoint's, so that it sorts by the event's time. */
      id: text().primaryKey(),
      endpointId: text("endpoint_id").notNull(),
      eventId: text("event_id").notNull(),
      eventType: text("event_type").notNull(),
      status: text({ enum: ["pending", "delivered", "failed"] }).notNull(),
      /** How often it has been put on its way: once, and by each retry and replay. */
      sends: integer().notNull(),
      /** Of the last send. */
      attempts: integer().notNull(),
      statusCode: integer("status_code"),
      error: text(),
      durationMs: integer("duration_ms"),
      createdAt: seconds("created_at").notNull(),
      nextAttemptAt: seconds("next_attempt_at"),
    },
    (table) => [
      index("webhook_delivery_by_endpoint").on(table.endpointId, table.id),
      index("webhook_delivery_by_event").on(table.eventId),
      index("webhook_delivery_by_time").on(table.createdAt),
    ],
  );
  return { webhookEndpoint, webhookDelivery };
}
