/** Handlers of webhook endpoints, once for the owner that a call is of: an organization, or the server. */
import { unixSeconds } from "../../../clock.ts";
import { invalidInput } from "../../../errors.ts";
import { EVENT_TYPES, type EventType, eventTypesFor } from "../../../events/event-types.ts";
import type { Endpoint } from "../../../webhooks/endpoints.ts";
import type { Webhooks } from "../../../webhooks/outgoing-webhooks.ts";
import {
  deliveryRecord,
  endpointRecord,
  replayRecord,
  testRecord,
  withSecret,
} from "../../../webhooks/webhook-record.ts";
import type { BodyOf, QueryOf } from "../schema/route.ts";
import type { webhookRoutes } from "../schema/webhook-routes.ts";
import { page } from "./cursor.ts";
import { type Handlers, listed, orNotFound, type Reads } from "./handler.ts";

type Routes = typeof webhookRoutes;
type Body<P extends keyof Routes> = BodyOf<Routes[P]>;
type WebhookHandlerDeps = Reads<"webhooks" | "signatures" | "clock">;
type Owner = { organizationId: string | null; projectId: null };

const ENDPOINTS_MAX = 100;

export function webhookHandlers(deps: WebhookHandlerDeps): Handlers<Routes> {
  const of = handling(deps);
  const organization = ({ organizationId }: { organizationId: string }) =>
    of({ organizationId, projectId: null });
  const server = of({ organizationId: null, projectId: null });
  return {
    ...webhookListing(deps),
    "POST /api/organizations/:organization/webhooks": (call) => organization(call).create(call.body),
    "GET /api/organizations/:organization/webhooks/event-types": (call) => organization(call).types(),
    "PATCH /api/organizations/:organization/webhooks/:endpoint": (call) =>
      organization(call).change(call.ids.endpoint, call.body),
    "DELETE /api/organizations/:organization/webhooks/:endpoint": (call) =>
      organization(call).remove(call.ids.endpoint),
    "POST /api/organizations/:organization/webhooks/:endpoint/rotate": (call) =>
      organization(call).rotate(call.ids.endpoint, call.body),
    "POST /api/organizations/:organization/webhooks/:endpoint/test": (call) =>
      organization(call).test(call.ids.endpoint, call.body),
    "GET /api/organizations/:organization/webhooks/:endpoint/deliveries": (call) =>
      organization(call).deliveries(call.ids.endpoint, call.query),
    "POST /api/organizations/:organization/webhooks/:endpoint/deliveries/:delivery/retry": (call) =>
      organization(call).retry(call.ids.endpoint, call.ids.delivery),
    "POST /api/organizations/:organization/webhooks/:endpoint/replay": (call) =>
      organization(call).replay(call.ids.endpoint, call.body),
    "GET /api/operator/webhooks": () => endpointsOf(deps, { organizationId: null, projectId: null }),
    "POST /api/operator/webhooks": ({ body }) => server.create(body),
    "GET /api/operator/webhooks/event-types": () => server.types(),
    "PATCH /api/operator/webhooks/:serverEndpoint": ({ ids, body }) =>
      server.change(ids.serverEndpoint, body),
    "DELETE /api/operator/webhooks/:serverEndpoint": ({ ids }) => server.remove(ids.serverEndpoint),
    "POST /api/operator/webhooks/:serverEndpoint/rotate": ({ ids, body }) =>
      server.rotate(ids.serverEndpoint, body),
    "POST /api/operator/webhooks/:serverEndpoint/test": ({ ids, body }) =>
      server.test(ids.serverEndpoint, body),
    "GET /api/operator/webhooks/:serverEndpoint/deliveries": ({ ids, query }) =>
      server.deliveries(ids.serverEndpoint, query),
    "POST /api/operator/webhooks/:serverEndpoint/deliveries/:serverDelivery/retry": ({ ids }) =>
      server.retry(ids.serverEndpoint, ids.serverDelivery),
    "POST /api/operator/webhooks/:serverEndpoint/replay": ({ ids, body }) =>
      server.replay(ids.serverEndpoint, body),
  };
}

type ListingDeps = { webhooks: Pick<Webhooks, "list"> };

export const webhookListing = (deps: ListingDeps) =>
  ({
    "GET /api/organizations/:organization/webhooks": ({ organizationId }) =>
      endpointsOf(deps, { organizationId, projectId: null }),
  }) satisfies Partial<Handlers<Routes>>;

const endpointsOf = async ({ webhooks }: ListingDeps, owner: Owner) =>
  listed((await webhooks.list(owner, { after: null, limit: ENDPOINTS_MAX })).map(endpointRecord));

type DeliveryQuery = QueryOf<Routes["GET /api/operator/webhooks/:serverEndpoint/deliveries"]>;

const handling =
  ({ webhooks, signatures, clock }: WebhookHandlerDeps) =>
  (owner: Owner) => {
    const found = async (id: string): Promise<Endpoint> =>
      orNotFound("webhook endpoint", await webhooks.find(owner, id));
    return {
      async create({ name, url, event_types: names }: Body<"POST /api/operator/webhooks">) {
        const eventTypes = offered(owner, names, "event_types");
        return withSecret(await webhooks.create({ ...owner, name, url, eventTypes }));
      },
      types: async () => ({
        object: "list" as const,
        data: eventTypesFor(owner).map((type) => ({ type, description: EVENT_TYPES[type].when })),
      }),
      async change(
        id: string,
        { event_types: names, ...body }: Body<"PATCH /api/operator/webhooks/:serverEndpoint">,
      ) {
        const endpoint = await found(id);
        const eventTypes = names && offered(endpoint, names, "event_types");
        return endpointRecord(
          await webhooks.change(endpoint, { ...body, ...(eventTypes && { eventTypes }) }),
        );
      },
      remove: async (id: string) => webhooks.remove(await found(id)),
      async rotate(id: string, body: Body<"POST /api/operator/webhooks/:serverEndpoint/rotate">) {
        const keepsOld = body.keep_old_secret_active_for_24_hours ?? false;
        return withSecret(await webhooks.rotate(await found(id), keepsOld));
      },
      async test(id: string, { event_type: name }: Body<"POST /api/operator/webhooks/:serverEndpoint/test">) {
        const endpoint = await found(id);
        const [type] = offered(endpoint, [name], "event_type") as [EventType];
        const status = await webhooks.test(endpoint, type, new AbortController().signal);
        return testRecord(endpoint, type, status);
      },
      async deliveries(id: string, { limit, cursor, ...query }: DeliveryQuery) {
        const endpoint = await found(id);
        const status = query.status ?? null;
        const filters = { endpoint: endpoint.id, status };
        return page({ signatures, filters, limit, cursor }, async (after, most) =>
          (await webhooks.deliveries(endpoint, { status, after, limit: most })).map(deliveryRecord),
        );
      },
      async retry(id: string, deliveryId: string) {
        const delivery = await webhooks.retry(await found(id), deliveryId);
        return deliveryRecord(orNotFound("delivery", delivery));
      },
      async replay(
        id: string,
        { after: from, before }: Body<"POST /api/operator/webhooks/:serverEndpoint/replay">,
      ) {
        const endpoint = await found(id);
        const time = { from, before: before ?? unixSeconds(clock) + 1 };
        return replayRecord(endpoint, await webhooks.replay(endpoint, time));
      },
    };
  };

/** Refuses what endpoints of this owner never get. */
function offered(
  owner: Pick<Endpoint, "organizationId" | "projectId">,
  names: readonly string[],
  field: string,
): EventType[] {
  const types = eventTypesFor(owner);
  const other = names.find((name) => !types.includes(name as EventType));
  if (other === undefined) return names as EventType[];
  const message = `has ${JSON.stringify(other.slice(0, 64))}, which is none of: ${types.join(", ")}`;
  throw invalidInput([{ field, code: "not_one_of", message }]);
}
