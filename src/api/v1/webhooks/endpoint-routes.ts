/** /v1/webhook_endpoints: the endpoints of a project or an organization, as OpenAI's clients manage them, and a test of each. */
import Type from "typebox";
import type { EndpointOwner } from "../../../db/queries/webhook-endpoints.ts";
import { invalidInput } from "../../../errors.ts";
import { type EventType, eventTypesFor } from "../../../events/event-types.ts";
import type { Webhooks } from "../../../webhooks/outgoing-webhooks.ts";
import { endpointRecord, testRecord, withSecret } from "../../../webhooks/webhook-record.ts";
import { listOf, PAGED, pageOf } from "../organization/listing.ts";
import { Deleted, deleted, Name } from "../organization/records.ts";
import { EndpointRecord, EndpointWithSecret, EVENT_NAMES, EventTypeName, KIND } from "./webhook-records.ts";
import { ownEndpoint, type WebhookRoute, webhookRoute } from "./webhook-route.ts";

const PATH = "/webhook_endpoints";
const ONE = `${PATH}/:webhook_endpoint`;

const ADDRESS = ["url_not_allowed", "url_unreachable"] as const;

const Url = Type.String({
  ...{ minLength: 1, maxLength: 2048 },
  description: "An address on the public network, by https.",
});
const EventTypeNames = Type.Array(EventTypeName, {
  ...{ minItems: 1, uniqueItems: true },
  description: "The events that it wants.",
});

export function endpointRoutes(webhooks: Webhooks): WebhookRoute[] {
  const own = ownEndpoint(webhooks);
  return [
    webhookRoute({
      ...{ method: "POST", path: PATH, id: "createWebhookEndpoint", reply: EndpointWithSecret },
      ...{ summary: "Create a webhook endpoint; its secret is returned once" },
      refusals: ["too_many_webhooks", ...ADDRESS],
      body: Type.Object({ name: Name("endpoint"), url: Url, event_types: EventTypeNames }),
      handle: async ({ principal, body: { name, url, event_types: eventTypes } }) => {
        requireOffered(principal, eventTypes);
        return withSecret(await webhooks.create({ ...principal, name, url, eventTypes }));
      },
    }),
    webhookRoute({
      ...{ method: "GET", path: PATH, id: "listWebhookEndpoints", reply: listOf(EndpointRecord) },
      ...{ summary: "List webhook endpoints, the newest first", query: Type.Object(PAGED) },
      handle: async ({ principal, query }) => {
        const page = await pageOf(query, (place) => webhooks.list(principal, place));
        return { ...page, data: page.data.map(endpointRecord) };
      },
    }),
    webhookRoute({
      ...{ method: "GET", path: ONE, id: "getWebhookEndpoint" },
      ...{ summary: "Get a webhook endpoint", reply: EndpointRecord },
      handle: async (call) => endpointRecord(await own(call)),
    }),
    webhookRoute({
      ...{ method: "POST", path: ONE, id: "updateWebhookEndpoint", reply: EndpointRecord },
      ...{ summary: "Change a webhook endpoint, or switch it off and on", refusals: ADDRESS },
      body: Type.Object({
        name: Type.Optional(Name("endpoint")),
        url: Type.Optional(Url),
        event_types: Type.Optional(EventTypeNames),
        status: Type.Optional(
          Type.Enum(["enabled", "disabled"], {
            description:
              "enabled switches it on again; it is then sent webhook.endpoint.disabled, which says what it missed.",
          }),
        ),
      }),
      handle: async ({ body: { event_types: eventTypes, ...body }, ...call }) => {
        const endpoint = await own(call);
        if (eventTypes) requireOffered(endpoint, eventTypes);
        const change = { ...body, ...(eventTypes ? { eventTypes } : {}) };
        return endpointRecord(await webhooks.change(endpoint, change));
      },
    }),
    webhookRoute({
      ...{ method: "DELETE", path: ONE, id: "deleteWebhookEndpoint" },
      ...{ summary: "Delete a webhook endpoint", reply: Deleted(KIND) },
      handle: async (call) => {
        const endpoint = await own(call);
        await webhooks.remove(endpoint);
        return deleted(endpoint.id, KIND);
      },
    }),
    rotation(webhooks),
    test(webhooks),
    webhookRoute({
      ...{ method: "GET", path: "/webhook_event_types", id: "listWebhookEventTypes" },
      summary: "List the events that an endpoint of the key may get",
      reply: Type.Object({ object: Type.Literal("list"), data: Type.Array(EventTypeName) }),
      handle: async ({ principal }) => ({ object: "list", data: eventTypesFor(principal) }),
    }),
  ];
}

function rotation(webhooks: Webhooks): WebhookRoute {
  const own = ownEndpoint(webhooks);
  return webhookRoute({
    ...{ method: "POST", path: `${ONE}/rotate_secret`, id: "rotateWebhookSecret", reply: EndpointWithSecret },
    summary: "Give a webhook endpoint a new secret, which is returned once",
    body: Type.Object({
      keep_old_secret_active_for_24_hours: Type.Optional(
        Type.Boolean({ description: "With true, both secrets sign for 24 hours." }),
      ),
    }),
    handle: async ({ body: { keep_old_secret_active_for_24_hours: keepsOld = false }, ...call }) =>
      withSecret(await webhooks.rotate(await own(call), keepsOld)),
  });
}

function test(webhooks: Webhooks): WebhookRoute {
  const own = ownEndpoint(webhooks);
  return webhookRoute({
    ...{ method: "POST", path: `${ONE}/test`, id: "testWebhookEndpoint" },
    summary: "Send a sample event to a webhook endpoint now",
    refusals: ["webhook_unreachable", "url_not_allowed"],
    body: Type.Object({
      event_type: Type.Enum(EVENT_NAMES, {
        description: "Of which a sample is sent, whether the endpoint wants it or not.",
      }),
    }),
    reply: Type.Object({
      object: Type.Literal(`${KIND}.test`),
      success: Type.Literal(true),
      status_code: Type.Integer(),
      event_type: Type.String(),
      webhook_endpoint_id: Type.String(),
    }),
    handle: async ({ body: { event_type: type }, signal, ...call }) => {
      const endpoint = await own(call);
      requireOffered(endpoint, [type], "event_type");
      return testRecord(endpoint, type, await webhooks.test(endpoint, type, signal));
    },
  });
}

/** Refuses events that only endpoints of the organization get. */
function requireOffered(owner: EndpointOwner, types: readonly EventType[], field = "event_types"): void {
  const offered = eventTypesFor(owner);
  const other = types.find((type) => !offered.includes(type));
  if (other === undefined) return;
  const message = `has ${other}, which only endpoints of the organization get: those made with an admin key`;
  throw invalidInput([{ field, code: "not_one_of", message }]);
}
