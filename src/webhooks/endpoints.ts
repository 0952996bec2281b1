/**
 * Webhook endpoints: creating, changing, rotating the secret, switching on again. An endpoint of a project gets what concerns the
 * project; one of the organization gets everything of it; one without an organization is the server's, which operators manage.
 */
import { type AuditEvent, created, differences, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { Encryption } from "../db/encryption.ts";
import { raisedBy } from "../db/queries/event-rows.ts";
import { openDeliveryRows, type Replay } from "../db/queries/webhook-deliveries.ts";
import { type EndpointOwner, type EndpointRow, openEndpointRows } from "../db/queries/webhook-endpoints.ts";
import { Refusal } from "../errors.ts";
import { type EventType, SERVER_TYPES, SHARED_TYPES } from "../events/event-types.ts";
import { openRaising } from "../events/raising.ts";
import { newId } from "../ids.ts";
import { type Guard, requireAllowed } from "../net/guarded-request.ts";
import { hintOf, newSigningSecret } from "./signing.ts";

const ENDPOINTS_MAX = 20;
const OLD_SECRET_SECONDS = 86_400;

export type Endpoint = Omit<EndpointRow, "eventTypes"> & { eventTypes: EventType[] };

type NewEndpoint = EndpointOwner & { name: string; url: string; eventTypes: EventType[] };
type EndpointChange = Partial<Pick<NewEndpoint, "name" | "url" | "eventTypes">> & {
  status?: EndpointRow["status"] | undefined;
};
type WithSecret = { endpoint: Endpoint; secret: string };

export type Endpoints = {
  /** Returns the secret, once. Refuses an address that may not be reached, and one endpoint too many. */
  create(endpoint: NewEndpoint): Promise<WithSecret>;
  /** Newest first. */
  list(owner: EndpointOwner, place: { after: string | null; limit: number }): Promise<Endpoint[]>;
  /** Null where the owner has none of this id. */
  find(owner: EndpointOwner, id: string): Promise<Endpoint | null>;
  /** Switching one on again forgets its failures, and tells it what it missed. */
  change(endpoint: Endpoint, change: EndpointChange): Promise<Endpoint>;
  /** A new secret; the one before signs too for a day, if it is kept. */
  rotate(endpoint: Endpoint, keepsOld: boolean): Promise<WithSecret>;
  remove(endpoint: Endpoint): Promise<void>;
};

type EndpointDeps = {
  database: Database;
  guard: Guard;
  encryption: Encryption;
  clock: Clock;
  /** Called when a transaction may have added work. */
  raised: () => void;
};

/** The column, with each between two commas. */
const written = (types: readonly EventType[]): string => `,${types.join(",")},`;

const endpointOf = (row: EndpointRow): Endpoint => ({
  ...row,
  eventTypes: row.eventTypes.split(",").filter((type) => type !== "") as EventType[],
});

/** What the endpoint wants of a time, in Unix seconds. */
export const replayOf = (endpoint: Endpoint, time: Pick<Replay, "from" | "before">): Replay => ({
  ...{ endpoint, types: endpoint.eventTypes, sharedTypes: [...SHARED_TYPES], serverTypes: [...SERVER_TYPES] },
  ...time,
});

export function openEndpoints(deps: EndpointDeps): Endpoints {
  const { database, guard, clock } = deps;
  const rows = openEndpointRows(database);
  const audit = openAudit(database, clock);
  const sealed = sealing(deps);
  return {
    ...changesOf(deps, sealed),
    async create({ organizationId, projectId, name, url, eventTypes }) {
      await requireAllowed(guard, url, "url");
      const now = unixSeconds(clock);
      const id = newId("whe", clock);
      const { secret, kept } = await sealed(id);
      const row: EndpointRow = {
        ...{ id, organizationId, projectId, name, url, eventTypes: written(eventTypes), ...kept },
        ...{ oldSecret: null, oldSecretUntil: null, disabledReason: null, disabledAt: null },
        status: "enabled",
        ...{ enabledAt: now, failures: 0, succeededAt: null, createdAt: now, updatedAt: now },
      };
      const endpoint = endpointOf(row);
      const event = eventOf("webhook.created", endpoint, created({ name, event_types: eventTypes }));
      await audit.atomically(rows.added(row, ENDPOINTS_MAX), [{ ...event, when: rows.isThere(id) }]);
      if ((await rows.find(endpoint, id)) === null) throw tooMany(organizationId);
      return { endpoint, secret };
    },
    list: async (owner, place) => (await rows.list(owner, place)).map(endpointOf),
    async find(owner, id) {
      const row = await rows.find(owner, id);
      return row && endpointOf(row);
    },
    async remove(endpoint) {
      await audit.ifChanged(rows.deleted(endpoint.id), [], [eventOf("webhook.deleted", endpoint)]);
    },
  };
}

function changesOf(deps: EndpointDeps, sealed: ReturnType<typeof sealing>) {
  const { database, guard, clock } = deps;
  const rows = openEndpointRows(database);
  const audit = openAudit(database, clock);
  const enable = enabling(deps);

  async function again(endpoint: Endpoint): Promise<Endpoint> {
    const row = await rows.find(endpoint, endpoint.id);
    return row === null ? endpoint : endpointOf(row); // deleted since
  }

  return {
    async change(endpoint: Endpoint, { status, ...wanted }: EndpointChange) {
      if (wanted.url !== undefined && wanted.url !== endpoint.url)
        await requireAllowed(guard, wanted.url, "url");
      const changes = differences(endpoint, wanted);
      const now = unixSeconds(clock);
      if (changes.length > 0) {
        const { eventTypes, ...fields } = wanted;
        const types = eventTypes === undefined ? {} : { eventTypes: written(eventTypes) };
        const update = rows.changed(endpoint.id, { ...fields, ...types, updatedAt: now });
        await audit.ifChanged(update, [], [eventOf("webhook.updated", endpoint, changes.map(untold))]);
      }
      if (status === "disabled") {
        const off = rows.switchedOff(endpoint.id, { disabledReason: "requested", disabledAt: now });
        await audit.ifChanged(
          off,
          [],
          [eventOf("webhook.updated", endpoint, differences(endpoint, { status }))],
        );
      }
      if (status === "enabled") await enable(await again(endpoint));
      return again(endpoint);
    },
    async rotate(endpoint: Endpoint, keepsOld: boolean) {
      const now = unixSeconds(clock);
      const { secret, kept } = await sealed(endpoint.id);
      const oldSecretUntil = keepsOld ? now + OLD_SECRET_SECONDS : null;
      const update = rows.rotated(endpoint.id, { ...kept, oldSecretUntil, updatedAt: now });
      await audit.ifChanged(update, [], [eventOf("webhook.secret_rotated", endpoint)]);
      return { endpoint: await again(endpoint), secret };
    },
  };
}

/** An address may contain a credential, which is not the log's. */
const untold = (change: { field: string; before: unknown; after: unknown }) => ({
  ...change,
  ...(change.field === "url" ? { before: null, after: null } : {}),
});

/** Makes a secret, and what is kept of it. */
function sealing({ encryption }: EndpointDeps) {
  return async (id: string) => {
    const secret = newSigningSecret();
    const bytes = await encryption.encrypt(id, Buffer.from(secret));
    return { secret, kept: { secret: bytes.toString("base64"), secretHint: hintOf(secret) } };
  };
}

function enabling({ database, clock, raised }: EndpointDeps) {
  const rows = openEndpointRows(database);
  const { wanted } = openDeliveryRows(database);
  const audit = openAudit(database, clock);
  const raise = openRaising(clock);
  return async (endpoint: Endpoint): Promise<void> => {
    if (endpoint.status === "enabled") return;
    const { id, organizationId, projectId, disabledAt, disabledReason } = endpoint;
    const now = unixSeconds(clock);
    const missed = await wanted(replayOf(endpoint, { from: disabledAt ?? now, before: now + 1 }));
    const data = { id, reason: disabledReason, disabled_at: disabledAt, missed_events: missed };
    const told = raise({ type: "webhook.endpoint.disabled", organizationId, projectId, data });
    const on = { status: "enabled", disabledReason: null, disabledAt: null, failures: 0 } as const;
    const update = rows.changed(id, { ...on, enabledAt: now, updatedAt: now }, true);
    const event = eventOf("webhook.updated", endpoint, differences(endpoint, { status: on.status }));
    if (await audit.ifChanged(update, raisedBy(database, { ...told, alsoTo: id }), [event])) raised();
  };
}

const eventOf = (
  type: AuditEvent["type"],
  { id, organizationId, projectId }: Endpoint,
  changes: AuditEvent["changes"] = [],
): AuditEvent => ({ type, organizationId, projectId, resourceId: id, changes });

const tooMany = (organizationId: string | null) =>
  new Refusal(
    "too_many_webhooks",
    `${organizationId === null ? "The server" : "Your organization"} has ${ENDPOINTS_MAX} webhook endpoints, which is as many as it may have. Delete one first.`,
  );
