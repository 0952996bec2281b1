/**
 * What has happened, for webhooks, mails and alerts: an event is written in the transaction of its cause, with the work that
 * its consumers make of it, so that neither is lost and neither comes without the other.
 *
 *   raise ──rows──> raisedBy, in the transaction of the cause ──> `event`, and rows of `work` for each consumer
 */
import { type Clock, unixSeconds } from "../clock.ts";
import type { EventRow, Raised } from "../db/queries/event-rows.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import { newId } from "../ids.ts";

/** How long events are kept. */
export const EVENTS_KEPT_SECONDS = 30 * 86_400;

const DATA_MAX_BYTES = 4096;

/** `data`: ids, codes and numbers, never texts; at most 4 KB as JSON. */
export type NewEvent = {
  type: "payment.failed" | "auto_recharge.disabled";
  organizationId: string;
  projectId?: string | null;
  data: Record<string, string | number | boolean | null>;
};

/** What an event leads to. Pure: what needs the database is done by the work that it makes. */
export type Consumer = (event: EventRow) => NewWork[];

export type Raise = (event: NewEvent) => Raised;

export const openRaising =
  (clock: Clock, consumers: Consumer[]): Raise =>
  ({ type, organizationId, projectId = null, data: fields }) => {
    const data = JSON.stringify(fields);
    if (Buffer.byteLength(data) > DATA_MAX_BYTES) throw new Error(`the data of ${type} is too long`);
    const createdAt = unixSeconds(clock);
    const event = { id: newId("evt", clock), type, organizationId, projectId, data, createdAt };
    return { event, work: consumers.flatMap((consumer) => consumer(event)) };
  };
