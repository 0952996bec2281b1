/** Rows of events, and the statements that write them with their deliveries and the work that follows from them. */
import { and, eq, inArray, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";
import { forgetOldest } from "./forget-oldest.ts";
import { insertWhere } from "./insert-where.ts";
import { deliveriesOf } from "./webhook-deliveries.ts";
import { addsOf, type NewWork } from "./work-rows.ts";

export type EventRow = Tables["event"]["$inferSelect"];

/**
 * An event and the work that its consumers make of it: rows for the transaction of its cause. `toProjects`: the project whose
 * endpoints may get it beside those of the organization, all of its projects, or null for none. `toServer`: endpoints of the
 * server may get it too. `alsoTo`: an endpoint that gets it whether it wants it or not.
 */
export type Raised = {
  event: EventRow;
  toProjects: string | "all" | null;
  toServer: boolean;
  alsoTo?: string;
  work: NewWork[];
};

/** For `atomically` and `ifChanged`. `when`: a condition in SQL, without which nothing is written. */
export function raisedBy(database: Database, raised: Raised, when?: SQL): SQLWrapper[] {
  const { event, work } = raised;
  const { query, tables } = database;
  const written = when ? insertWhere(tables.event, event, when) : query.insert(tables.event).values(event);
  return [written, ...deliveriesOf(raised), ...addsOf(database, work, when)];
}

/** Writes an event whose id is that of its cause, and what follows from it, unless it is written already. Whether it was new. */
export const raisedOnce = (database: Database, raised: Raised): Promise<boolean> =>
  database.ifChanged(insertWhere(database.tables.event, raised.event, sql`true`), [
    ...deliveriesOf(raised),
    ...addsOf(database, raised.work),
  ]);

/**
 * Writes the event of a state that changes now and then, unless the newest of `types` with the same data says so already: once,
 * whichever node sees it. `usual`: what the state was before the first of them.
 */
export const raisedIfNews = (
  database: Database,
  raised: Raised,
  { types, usual }: { types: string[]; usual: string },
): Promise<void> => {
  const { query, tables, atomically } = database;
  const { event, installation } = tables;
  const { type, data } = raised.event;
  const same = and(isNull(event.organizationId), eq(event.data, data), inArray(event.type, types));
  const newest = sql`(select type from ${event} where ${same} order by ${event.id} desc limit 1)`;
  return atomically([
    query.update(installation).set({ id: 1 }).where(eq(installation.id, 1)), // locks the row: one node after another
    insertWhere(event, raised.event, sql`coalesce(${newest}, ${usual}) <> ${type}`),
    ...deliveriesOf(raised),
  ]);
};

export function openEventRows(database: Database) {
  const { event } = database.tables;
  return {
    /** Deletes the oldest from before then, in Unix seconds. Whether there may be more. */
    forget: (before: number) =>
      forgetOldest(database, { table: event, id: event.id, at: event.createdAt }, before),
  };
}
