/** The calls for the webhook endpoints of one owner: an organization, or the server itself. */
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { call, type Reply, type ServerError } from "../api/server.ts";

type List = Reply<"GET /api/operator/webhooks">;
export type Endpoint = List["data"][number];
export type EndpointWithSecret = Reply<"POST /api/operator/webhooks">;
type EventTypes = Reply<"GET /api/operator/webhooks/event-types">["data"];
type Deliveries = Reply<"GET /api/operator/webhooks/:serverEndpoint/deliveries">;
export type Delivery = Deliveries["data"][number];
type Tested = Reply<"POST /api/operator/webhooks/:serverEndpoint/test">;

export type NewEndpoint = { name: string; url: string; event_types: string[] };
type Change = Partial<NewEndpoint> & { status?: Endpoint["status"] };
type DeliveryQuery = { status?: Delivery["status"]; cursor?: string };

export type EndpointCalls = {
  /** Whose endpoints they are, for the cache. */
  owner: string;
  list(): Promise<List>;
  eventTypes(): Promise<{ data: EventTypes }>;
  create(body: NewEndpoint): Promise<EndpointWithSecret>;
  change(endpoint: string, body: Change): Promise<unknown>;
  remove(endpoint: string): Promise<unknown>;
  /** `keepsOld`: both secrets sign for a day. */
  rotate(endpoint: string, keepsOld: boolean): Promise<EndpointWithSecret>;
  test(endpoint: string, type: string): Promise<Tested>;
  deliveries(endpoint: string, query: DeliveryQuery): Promise<Deliveries>;
  retry(endpoint: string, delivery: string): Promise<unknown>;
};

export function callsOf(organization: string): EndpointCalls {
  const own = { organization };
  const of = "/api/organizations/:organization/webhooks";
  return {
    owner: organization,
    list: () => call(`GET ${of}`, { ids: own }),
    eventTypes: () => call(`GET ${of}/event-types`, { ids: own }),
    create: (body) => call(`POST ${of}`, { ids: own, body }),
    change: (endpoint, body) => call(`PATCH ${of}/:endpoint`, { ids: { ...own, endpoint }, body }),
    remove: (endpoint) => call(`DELETE ${of}/:endpoint`, { ids: { ...own, endpoint } }),
    rotate: (endpoint, keepsOld) =>
      call(`POST ${of}/:endpoint/rotate`, { ids: { ...own, endpoint }, body: rotation(keepsOld) }),
    test: (endpoint, type) =>
      call(`POST ${of}/:endpoint/test`, { ids: { ...own, endpoint }, body: { event_type: type } }),
    deliveries: (endpoint, query) =>
      call(`GET ${of}/:endpoint/deliveries`, { ids: { ...own, endpoint }, query }),
    retry: (endpoint, delivery) =>
      call(`POST ${of}/:endpoint/deliveries/:delivery/retry`, { ids: { ...own, endpoint, delivery } }),
  };
}

const SERVER = "/api/operator/webhooks";

export const CALLS_OF_SERVER: EndpointCalls = {
  owner: "server",
  list: () => call(`GET ${SERVER}`, {}),
  eventTypes: () => call(`GET ${SERVER}/event-types`, {}),
  create: (body) => call(`POST ${SERVER}`, { body }),
  change: (serverEndpoint, body) =>
    call(`PATCH ${SERVER}/:serverEndpoint`, { ids: { serverEndpoint }, body }),
  remove: (serverEndpoint) => call(`DELETE ${SERVER}/:serverEndpoint`, { ids: { serverEndpoint } }),
  rotate: (serverEndpoint, keepsOld) =>
    call(`POST ${SERVER}/:serverEndpoint/rotate`, { ids: { serverEndpoint }, body: rotation(keepsOld) }),
  test: (serverEndpoint, type) =>
    call(`POST ${SERVER}/:serverEndpoint/test`, { ids: { serverEndpoint }, body: { event_type: type } }),
  deliveries: (serverEndpoint, query) =>
    call(`GET ${SERVER}/:serverEndpoint/deliveries`, { ids: { serverEndpoint }, query }),
  retry: (serverEndpoint, serverDelivery) =>
    call(`POST ${SERVER}/:serverEndpoint/deliveries/:serverDelivery/retry`, {
      ids: { serverEndpoint, serverDelivery },
    }),
};

const rotation = (keepsOld: boolean) => ({ keep_old_secret_active_for_24_hours: keepsOld });

/** `what`: of these calls, for the cache. */
export const useCall = <T>(
  { owner }: EndpointCalls,
  what: string,
  read: () => Promise<T>,
): UseQueryResult<T, ServerError> =>
  useQuery<T, ServerError>({ queryKey: ["webhooks", owner, what], queryFn: read });
