/**
 * What has happened, for webhooks, mails and alerts: an event is written in the transaction of its cause, with its deliveries to
 * webhooks and the work that other consumers make of it, so that none is lost and none comes without the others.
 *
 *   raise ──rows──> raisedBy, in the transaction of the cause ──> `event`, `webhook_delivery`, and rows of `work` for each consumer
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { EventRow, Raised } from "../db/queries/event-rows.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import { derivedId, newId } from "../ids.ts";
import { EVENT_TYPES, type EventType, SERVER_TYPES } from "./event-types.ts";

/** How long events are kept. */
export const EVENTS_KEPT_SECONDS = 30 * 86_400;

const DATA_MAX_BYTES = 4096;

/**
 * `data`: ids, codes and numbers, never texts; at most 4 KB as JSON. `once`: for `raisedOnce`, a name of the cause among those of
 * its type, and its Unix second.
 */
export type NewEvent = {
  type: EventType;
  /** Null: it is of the server as a whole. */
  organizationId: string | null;
  projectId?: string | null;
  data: Record<string, string | number | boolean | null>;
  once?: { key: string; at: number };
};

/** What an event leads to, beside webhooks. Pure: what needs the database is done by the work that it makes. */
export type Consumer = (event: EventRow) => NewWork[];

export type Raise = (event: NewEvent) => Raised;

export const openRaising =
  (clock: Clock, consumers: Consumer[] = []): Raise =>
  ({ type, organizationId, projectId = null, data: fields, once }) => {
    const data = JSON.stringify(fields);
    if (Buffer.byteLength(data) > DATA_MAX_BYTES) throw new Error(`the data of ${type} is too long`);
    const createdAt = unixSeconds(clock);
    const id = once ? derivedId("evt", `${type} ${once.key}`, once.at) : newId("evt", clock);
    const event = { id, type, organizationId, projectId, data, createdAt };
    const { receiver } = EVENT_TYPES[type];
    const toServer = organizationId === null || SERVER_TYPES.includes(type);
    const toProjects = receiver === "projects" ? "all" : receiver === "project" ? projectId : null;
    return { event, toProjects, toServer, work: consumers.flatMap((consumer) => consumer(event)) };
  };
