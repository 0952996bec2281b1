/**
 * Deliveries of events to webhook endpoints, each with a row of work: written by statements that find the endpoints themselves,
 * in the transaction of the event's cause.
 *
 *   event ──wanted by──> endpoint that is on ──> webhook_delivery ──> work, in the group of its endpoint
 *
 * A row of work belongs to one send of its delivery, so that a retry or a replay does not meet the end of the one before.
 */
import { and, desc, eq, inArray, isNull, lt, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Database, prepared, type Tables } from "../database.ts";
import { forgetOldest } from "./forget-oldest.ts";

export type Delivery = Tables["webhookDelivery"]["$inferSelect"];

/** An endpoint whose last attempt failed has its work in a kind of its own, so that it takes no slots of others. */
export const WEBHOOK_KINDS = { well: "webhook", failing: "webhook_failing" } as const;

type Sent = {
  event: { id: string; type: string };
  /** The project whose endpoints get it beside those of the organization; all of its projects, or none. */
  toProjects: string | "all" | null;
  /** The server's endpoints may get it. */
  toServer: boolean;
  /** An endpoint that gets it whether it wants it or not. */
  alsoTo?: string;
};

const idOf = (eventId: SQL): SQL => sql`'dlv_' || substr(${eventId}, 5) || '_' || substr(endpoint.id, 5)`;

const COLUMNS = sql.raw(
  "id, endpoint_id, event_id, event_type, status, sends, attempts, created_at, next_attempt_at",
);

/** After the statement that writes the event; without it, nothing is delivered. */
export function deliveriesOf({ event: { id, type }, toProjects, toServer, alsoTo }: Sent): SQLWrapper[] {
  const isOfProject =
    toProjects === "all"
      ? sql`(endpoint.project_id is null or exists (select 1 from project
          where project.id = endpoint.project_id and project.archived_at is null))`
      : sql`(endpoint.project_id is null or endpoint.project_id = ${toProjects ?? ""})`;
  const isOfOwner = toServer
    ? sql`(endpoint.organization_id = event.organization_id or endpoint.organization_id is null)`
    : sql`endpoint.organization_id = event.organization_id`;
  const isWanted = sql`(endpoint.event_types like ${`%,${type},%`} and ${isOfProject})`;
  const isTo = alsoTo === undefined ? isWanted : sql`(endpoint.id = ${alsoTo} or ${isWanted})`;
  const added = sql`insert into webhook_delivery (${COLUMNS})
    select ${idOf(sql.raw("event.id"))}, endpoint.id, event.id, event.type, 'pending', 1, 0, event.created_at, event.created_at
    from event join webhook_endpoint as endpoint on ${isOfOwner}
    where event.id = ${id} and endpoint.status = 'enabled' and ${isTo}
    on conflict do nothing`;
  return [added, workOf(sql`delivery.event_id = ${id}`)];
}

/** The row of work of each delivery that waits and has none. */
const workOf = (which: SQL): SQL => sql`insert into work
    (id, kind, group_id, due_ms, lease_until_ms, attempts, payload)
    select delivery.id || '_' || delivery.sends,
      case when endpoint.failures > 0 then ${WEBHOOK_KINDS.failing} else ${WEBHOOK_KINDS.well} end,
      endpoint.id, delivery.next_attempt_at * 1000, 0, 0, delivery.id
    from webhook_delivery as delivery join webhook_endpoint as endpoint on endpoint.id = delivery.endpoint_id
    where ${which} and delivery.status = 'pending'
    on conflict do nothing`;

const AGAIN = sql`status = 'pending', attempts = 0, error = null, status_code = null, duration_ms = null`;

/** `types`: those that it wants; of these, `sharedTypes` reach endpoints of every project, `serverTypes` the server's. */
export type Replay = {
  endpoint: { id: string; organizationId: string | null; projectId: string | null };
  types: string[];
  sharedTypes: string[];
  serverTypes: string[];
  /** Unix seconds: from the first on, before the second. */
  from: number;
  before: number;
};

/** Events that it wants, of a time. */
function wantedEvents(
  { event }: Tables,
  { endpoint: { organizationId, projectId }, types, sharedTypes, serverTypes, from, before }: Replay,
): SQL | undefined {
  const isOfOwner =
    organizationId === null
      ? or(isNull(event.organizationId), inArray(event.type, serverTypes))
      : eq(event.organizationId, organizationId);
  const isOfProject =
    projectId === null
      ? undefined
      : sql`(${event.projectId} = ${projectId} or ${inArray(event.type, sharedTypes)})`;
  return and(
    isOfOwner,
    inArray(event.type, types),
    sql`${event.createdAt} >= ${from}`,
    lt(event.createdAt, before),
    isOfProject,
  );
}

/** Prepared once, since each attempt asks. */
const wholeQuery = ({ query, tables: { webhookDelivery, webhookEndpoint, event } }: Database) =>
  prepared(
    query
      .select({ delivery: webhookDelivery, endpoint: webhookEndpoint, event })
      .from(webhookDelivery)
      .innerJoin(webhookEndpoint, eq(webhookEndpoint.id, webhookDelivery.endpointId))
      .innerJoin(event, eq(event.id, webhookDelivery.eventId))
      .where(eq(webhookDelivery.id, sql.placeholder("id"))),
    "webhook_delivery_whole",
  );

export function openDeliveryRows(database: Database) {
  const { query, tables, atomically } = database;
  const { webhookDelivery } = tables;
  const { id, endpointId, status } = webhookDelivery;
  const whole = wholeQuery(database);
  return {
    ...sendings(database),
    /** Newest first; `after`: the id of one that is newer than those read. */
    async list(
      of: string,
      filter: { status: Delivery["status"] | null; after: string | null; limit: number },
    ) {
      const isBehind = filter.after === null ? undefined : lt(id, filter.after);
      const isOfStatus = filter.status === null ? undefined : eq(status, filter.status);
      return query
        .select()
        .from(webhookDelivery)
        .where(and(eq(endpointId, of), isBehind, isOfStatus))
        .orderBy(desc(id))
        .limit(filter.limit);
    },
    async find(deliveryId: string): Promise<Delivery | null> {
      return (await query.select().from(webhookDelivery).where(eq(id, deliveryId)))[0] ?? null;
    },
    /** With its event and its endpoint; null where one of them is gone. */
    async whole(deliveryId: string) {
      return (await whole.execute({ id: deliveryId }))[0] ?? null;
    },
    /** Notes what an attempt met, with what it says of the endpoint. */
    note: (deliveryId: string, met: Partial<Delivery>, ofEndpoint: SQLWrapper[]): Promise<void> =>
      atomically([query.update(webhookDelivery).set(met).where(eq(id, deliveryId)), ...ofEndpoint]),
    /** Deletes the oldest from before then, in Unix seconds. Whether there may be more. */
    forget: (before: number) =>
      forgetOldest(database, { table: webhookDelivery, id, at: webhookDelivery.createdAt }, before),
  };
}

function sendings({ query, tables, atomically }: Database) {
  const { event, work } = tables;
  return {
    /** Puts it on its way again, at once. One that waits for its next attempt is attempted now. */
    async sendAgain({ id, endpointId }: Delivery, nowSeconds: number): Promise<void> {
      const isWaiting = and(
        eq(work.group, endpointId),
        eq(work.payload, id),
        lt(work.leaseUntilMs, nowSeconds * 1000),
      );
      await atomically([
        sql`update webhook_delivery set ${AGAIN}, sends = sends + 1, next_attempt_at = ${nowSeconds}
          where id = ${id} and status <> 'pending'`,
        query
          .update(work)
          .set({ dueMs: nowSeconds * 1000 })
          .where(and(isWaiting, inArray(work.kind, Object.values(WEBHOOK_KINDS)))),
        workOf(sql`delivery.id = ${id}`),
      ]);
    },
    /** How many events there are. */
    async wanted(replay: Replay): Promise<number> {
      const [row] = await query
        .select({ count: sql<number>`count(*)` })
        .from(event)
        .where(wantedEvents(tables, replay));
      return Number(row!.count);
    },
    /** Puts the oldest of them on their way, again if they were. What waits already is left. Returns them. */
    async replay(replay: Replay, { nowSeconds, max }: { nowSeconds: number; max: number }) {
      const found = await query
        .select({ id: event.id, createdAt: event.createdAt })
        .from(event)
        .where(wantedEvents(tables, replay))
        .orderBy(event.id)
        .limit(max);
      if (found.length === 0) return found;
      const ids = sql.join(
        found.map(({ id }) => sql`${id}`),
        sql`, `,
      );
      const { endpoint } = replay;
      await atomically([
        sql`insert into webhook_delivery (${COLUMNS})
          select ${idOf(sql.raw("event.id"))}, endpoint.id, event.id, event.type, 'pending', 1, 0, event.created_at, cast(${nowSeconds} as bigint)
          from event join webhook_endpoint as endpoint on endpoint.id = ${endpoint.id}
          where event.id in (${ids})
          on conflict (id) do update set ${AGAIN}, sends = webhook_delivery.sends + 1, next_attempt_at = ${nowSeconds}
          where webhook_delivery.status <> 'pending'`,
        workOf(sql`delivery.endpoint_id = ${endpoint.id} and delivery.event_id in (${ids})`),
      ]);
      return found;
    },
  };
}
