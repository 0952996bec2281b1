/** Routes of webhook endpoints: those of an organization for its admins, those of the server for operators. */
import Type from "typebox";
import { Name } from "./account-routes.ts";
import { Flag, listOf, nullable, oneOf, Text, Whole } from "./records.ts";
import type { Route, Routes } from "./route.ts";

const Status = oneOf("enabled", "disabled");

const EndpointRecord = Type.Object({
  id: Text,
  object: Type.Literal("webhook_endpoint"),
  name: Text,
  url: Text,
  event_types: Type.Array(Text),
  signing_secret_hint: Text,
  created_at: Whole,
  updated_at: Whole,
  status: Status,
  disabled_reason: nullable(oneOf("failing", "gone", "requested")),
  project_id: nullable(Text),
});
const EndpointWithSecret = Type.Object({ ...EndpointRecord.properties, signing_secret: Text });

const DeliveryStatus = oneOf("pending", "delivered", "failed");
const DeliveryRecord = Type.Object({
  id: Text,
  object: Type.Literal("webhook_endpoint.delivery"),
  event_id: Text,
  event_type: Text,
  status: DeliveryStatus,
  attempt: Whole,
  status_code: nullable(Whole),
  error: nullable(Text),
  duration_ms: nullable(Whole),
  created_at: Whole,
  next_attempt_at: nullable(Whole),
});

const Url = Type.String({ minLength: 1, maxLength: 2048 });
const EventType = Type.String({ minLength: 1, maxLength: 64 });
const EventTypes = Type.Array(EventType, { minItems: 1, maxItems: 100, uniqueItems: true });

type Shape = Omit<Route, "needs">;

const LIST = {
  summary: "List webhook endpoints, newest first",
  reply: listOf(EndpointRecord),
} as const satisfies Shape;
const CREATE = {
  summary: "Create a webhook endpoint; its signing secret is returned once",
  status: 201,
  body: Type.Object({ name: Name, url: Url, event_types: EventTypes }),
  reply: EndpointWithSecret,
} as const satisfies Shape;
const CHANGE = {
  summary: "Change a webhook endpoint, or switch it off and on",
  body: Type.Object({
    name: Type.Optional(Name),
    url: Type.Optional(Url),
    event_types: Type.Optional(EventTypes),
    status: Type.Optional(Status),
  }),
  reply: EndpointRecord,
} as const satisfies Shape;
const DELETE = { summary: "Delete a webhook endpoint", confirms: true } as const satisfies Shape;
const ROTATE = {
  summary: "Give a webhook endpoint a new signing secret, which is returned once",
  body: Type.Object({ keep_old_secret_active_for_24_hours: Type.Optional(Flag) }),
  reply: EndpointWithSecret,
} as const satisfies Shape;
const TEST = {
  summary: "Send a sample event to a webhook endpoint now",
  body: Type.Object({ event_type: EventType }),
  reply: Type.Object({
    ...{ object: Type.Literal("webhook_endpoint.test"), success: Type.Literal(true) },
    ...{ status_code: Whole, event_type: Text, webhook_endpoint_id: Text },
  }),
} as const satisfies Shape;
const DELIVERIES = {
  summary: "List what was sent to a webhook endpoint in 30 days, newest first",
  query: Type.Object({
    status: Type.Optional(DeliveryStatus),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    cursor: Type.Optional(Text),
  }),
  reply: listOf(DeliveryRecord),
} as const satisfies Shape;
const RETRY = {
  summary: "Send a delivery again, with the same event id",
  reply: DeliveryRecord,
} as const satisfies Shape;
const REPLAY = {
  summary: "Send the events of a time again, with the same event ids: the oldest 1,000",
  body: Type.Object({ after: Whole, before: Type.Optional(Whole) }),
  reply: Type.Object({
    ...{ object: Type.Literal("webhook_endpoint.replay"), webhook_endpoint_id: Text },
    ...{ events: Whole, has_more: Flag, last_event_at: nullable(Whole) },
  }),
} as const satisfies Shape;
const TYPES = {
  summary: "List the events that a webhook endpoint may get",
  reply: Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(Type.Object({ type: Text, description: Text })),
  }),
} as const satisfies Shape;

const [admin, operator] = [{ needs: "admin" }, { needs: "operator" }] as const;

export const webhookRoutes = {
  "GET /api/organizations/:organization/webhooks": { ...LIST, ...admin },
  "POST /api/organizations/:organization/webhooks": { ...CREATE, ...admin },
  "GET /api/organizations/:organization/webhooks/event-types": { ...TYPES, ...admin },
  "PATCH /api/organizations/:organization/webhooks/:endpoint": { ...CHANGE, ...admin },
  "DELETE /api/organizations/:organization/webhooks/:endpoint": { ...DELETE, ...admin },
  "POST /api/organizations/:organization/webhooks/:endpoint/rotate": { ...ROTATE, ...admin },
  "POST /api/organizations/:organization/webhooks/:endpoint/test": { ...TEST, ...admin },
  "GET /api/organizations/:organization/webhooks/:endpoint/deliveries": { ...DELIVERIES, ...admin },
  "POST /api/organizations/:organization/webhooks/:endpoint/deliveries/:delivery/retry": {
    ...{ ...RETRY, ...admin },
  },
  "POST /api/organizations/:organization/webhooks/:endpoint/replay": { ...REPLAY, ...admin },
  "GET /api/operator/webhooks": { ...LIST, ...operator },
  "POST /api/operator/webhooks": { ...CREATE, ...operator },
  "GET /api/operator/webhooks/event-types": { ...TYPES, ...operator },
  "PATCH /api/operator/webhooks/:serverEndpoint": { ...CHANGE, ...operator },
  "DELETE /api/operator/webhooks/:serverEndpoint": { ...DELETE, ...operator },
  "POST /api/operator/webhooks/:serverEndpoint/rotate": { ...ROTATE, ...operator },
  "POST /api/operator/webhooks/:serverEndpoint/test": { ...TEST, ...operator },
  "GET /api/operator/webhooks/:serverEndpoint/deliveries": { ...DELIVERIES, ...operator },
  "POST /api/operator/webhooks/:serverEndpoint/deliveries/:serverDelivery/retry": { ...RETRY, ...operator },
  "POST /api/operator/webhooks/:serverEndpoint/replay": { ...REPLAY, ...operator },
} as const satisfies Routes;
