/** Webhook endpoints and deliveries as clients get them: OpenAI's fields, and ours besides. Times are Unix seconds. */
import type { Delivery } from "../db/queries/webhook-deliveries.ts";
import type { EventType } from "../events/event-types.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Replayed } from "./outgoing-webhooks.ts";

export const endpointRecord = (endpoint: Endpoint) => ({
  ...{ id: endpoint.id, object: "webhook_endpoint" as const, name: endpoint.name, url: endpoint.url },
  ...{ event_types: endpoint.eventTypes, signing_secret_hint: endpoint.secretHint },
  ...{ created_at: endpoint.createdAt, updated_at: endpoint.updatedAt },
  ...{ status: endpoint.status, disabled_reason: endpoint.disabledReason, project_id: endpoint.projectId },
});

/** One that was made, or has a new secret: it is shown once. */
export const withSecret = ({ endpoint, secret }: { endpoint: Endpoint; secret: string }) => ({
  ...endpointRecord(endpoint),
  signing_secret: secret,
});

/** A sample of the event was sent, and the endpoint answered with the status. */
export const testRecord = ({ id }: Endpoint, type: EventType, status: number) => ({
  ...{ object: "webhook_endpoint.test" as const, success: true as const, status_code: status },
  ...{ event_type: type, webhook_endpoint_id: id },
});

export const replayRecord = ({ id }: Endpoint, { events, hasMore, until }: Replayed) => ({
  ...{ object: "webhook_endpoint.replay" as const, webhook_endpoint_id: id },
  ...{ events, has_more: hasMore, last_event_at: until },
});

export const deliveryRecord = (delivery: Delivery) => ({
  ...{ id: delivery.id, object: "webhook_endpoint.delivery" as const, event_id: delivery.eventId },
  ...{ event_type: delivery.eventType, status: delivery.status, attempt: delivery.attempts },
  ...{ status_code: delivery.statusCode, error: delivery.error, duration_ms: delivery.durationMs },
  ...{ created_at: delivery.createdAt, next_attempt_at: delivery.nextAttemptAt },
});
