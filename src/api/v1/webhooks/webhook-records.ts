/** The schemas of webhook endpoints and deliveries: OpenAI's fields, and ours besides. Times are Unix seconds. */
import Type from "typebox";
import { EVENT_TYPES, type EventType } from "../../../events/event-types.ts";
import { nullable, Time } from "../organization/records.ts";

export const KIND = "webhook_endpoint";

export const EVENT_NAMES = Object.keys(EVENT_TYPES) as EventType[];

export const EventTypeName = Type.Enum(EVENT_NAMES);

export const EndpointRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal(KIND),
  name: Type.String(),
  url: Type.String(),
  event_types: Type.Array(EventTypeName),
  signing_secret_hint: Type.String(),
  created_at: Time,
  updated_at: Time,
  status: Type.Enum(["enabled", "disabled"]),
  disabled_reason: nullable(Type.Enum(["failing", "gone", "requested"])),
  project_id: nullable(Type.String()),
});

export const EndpointWithSecret = Type.Object({
  ...EndpointRecord.properties,
  signing_secret: Type.String(),
});

export const DeliveryStatus = Type.Enum(["pending", "delivered", "failed"]);

export const DeliveryRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal(`${KIND}.delivery`),
  event_id: Type.String(),
  event_type: Type.String(),
  status: DeliveryStatus,
  attempt: Type.Integer(),
  status_code: nullable(Type.Integer()),
  error: nullable(Type.String()),
  duration_ms: nullable(Type.Integer()),
  created_at: Time,
  next_attempt_at: nullable(Time),
});
