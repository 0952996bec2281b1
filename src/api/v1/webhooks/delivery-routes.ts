/** What was sent to a webhook endpoint, kept 30 days, and sending it again. */
import Type from "typebox";
import { type Clock, unixSeconds } from "../../../clock.ts";
import type { Webhooks } from "../../../webhooks/outgoing-webhooks.ts";
import { deliveryRecord, replayRecord } from "../../../webhooks/webhook-record.ts";
import { noSuch } from "../organization/keyed-route.ts";
import { listOf, PAGED, pageOf } from "../organization/listing.ts";
import { nullable, Time } from "../organization/records.ts";
import { DeliveryRecord, DeliveryStatus, KIND } from "./webhook-records.ts";
import { ownEndpoint, type WebhookRoute, webhookRoute } from "./webhook-route.ts";

const ONE = "/webhook_endpoints/:webhook_endpoint";

const Moment = (description: string) => Type.Integer({ minimum: 0, maximum: 1e11, description });

export function deliveryRoutes(webhooks: Webhooks, clock: Clock): WebhookRoute[] {
  const own = ownEndpoint(webhooks);
  return [
    webhookRoute({
      ...{ method: "GET", path: `${ONE}/deliveries`, id: "listWebhookDeliveries" },
      ...{
        summary: "List what was sent to a webhook endpoint, the newest first",
        reply: listOf(DeliveryRecord),
      },
      query: Type.Object({ ...PAGED, status: Type.Optional(DeliveryStatus) }),
      handle: async ({ query: { status = null, ...paged }, ...call }) => {
        const endpoint = await own(call);
        const page = await pageOf(paged, (place) => webhooks.deliveries(endpoint, { status, ...place }));
        return { ...page, data: page.data.map(deliveryRecord) };
      },
    }),
    webhookRoute({
      ...{ method: "POST", path: `${ONE}/deliveries/:delivery/retry`, id: "retryWebhookDelivery" },
      ...{ summary: "Send a delivery again, with the same event id", reply: DeliveryRecord },
      refusals: ["webhook_disabled"],
      handle: async (call) => {
        const delivery = await webhooks.retry(await own(call), call.ids.delivery!);
        if (delivery === null) throw noSuch("delivery");
        return deliveryRecord(delivery);
      },
    }),
    webhookRoute({
      ...{ method: "POST", path: `${ONE}/replay`, id: "replayWebhookEvents" },
      summary: "Send the events of a time again, with the same event ids: the oldest 1,000",
      refusals: ["webhook_disabled"],
      body: Type.Object({
        after: Moment("Events of this Unix second and later ones, up to 30 days ago."),
        before: Type.Optional(Moment("Events before this Unix second; without it, all since.")),
      }),
      reply: Type.Object({
        object: Type.Literal(`${KIND}.replay`),
        webhook_endpoint_id: Type.String(),
        events: Type.Integer(),
        has_more: Type.Boolean(),
        last_event_at: nullable(Time),
      }),
      handle: async ({ body: { after: from, before = unixSeconds(clock) + 1 }, ...call }) => {
        const endpoint = await own(call);
        return replayRecord(endpoint, await webhooks.replay(endpoint, { from, before }));
      },
    }),
  ];
}
