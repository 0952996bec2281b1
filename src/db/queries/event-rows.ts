/** Rows of events, and the statements that write them with the work that follows from them. */
import { inArray, lt, type SQL, type SQLWrapper } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";
import { insertWhere } from "./insert-where.ts";
import { addsOf, type NewWork } from "./work-rows.ts";

export type EventRow = Tables["event"]["$inferSelect"];

/** An event and the work that its consumers make of it: rows for the transaction of its cause. */
export type Raised = { event: EventRow; work: NewWork[] };

const FORGOTTEN_AT_ONCE = 1000;

/** For `atomically` and `ifChanged`. `when`: a condition in SQL, without which nothing is written. */
export function raisedBy(database: Database, { event, work }: Raised, when?: SQL): SQLWrapper[] {
  const { query, tables } = database;
  const written = when ? insertWhere(tables.event, event, when) : query.insert(tables.event).values(event);
  return [written, ...addsOf(database, work, when)];
}

export function openEventRows({ query, tables: { event } }: Database) {
  return {
    /** Deletes the oldest from before then, in Unix seconds. Whether there may be more. */
    async forget(before: number): Promise<boolean> {
      const old = query
        .select({ id: event.id })
        .from(event)
        .where(lt(event.createdAt, before))
        .orderBy(event.createdAt)
        .limit(FORGOTTEN_AT_ONCE);
      const gone = await query.delete(event).where(inArray(event.id, old)).returning({ id: event.id });
      return gone.length === FORGOTTEN_AT_ONCE;
    },
  };
}
