/**
 * The nodes of a PostgreSQL database: each writes its own row again and again, and reads those of all. Ages are by the clock
 * of the database, because those of nodes differ. That one comes or is forgotten is raised in the transaction of its row.
 */
import { and, asc, eq, lte, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";
import { type Raised, raisedBy } from "./event-rows.ts";

type Row = Tables["node"]["$inferSelect"];

/** `nowMs`: by the clock of the node. */
export type Beat = Omit<Row, "seenMs" | "skewMs"> & { nowMs: number };
export type SeenNode = Omit<Row, "seenMs"> & { ageMs: number };

/** A node that was not seen for so long has ended, or cannot reach the database. */
const FORGOTTEN_MS = 10_000;

const databaseMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export type NodeRows = ReturnType<typeof openNodeRows>;

/** What is raised of a node that was not there, or that is forgotten. */
export type RaiseNode = (what: "joined" | "lost", node: Pick<Row, "id" | "version">) => Raised;

export function openNodeRows(database: Database, raise?: RaiseNode) {
  const { query, ifChanged } = database;
  const { node } = database.tables;
  const isForgotten = sql`${node.seenMs} < ${databaseMs} - ${FORGOTTEN_MS}`;
  const raisedOf = (...told: Parameters<RaiseNode>) => (raise ? raisedBy(database, raise(...told)) : []);
  const isOf = ({ id, startedMs }: Pick<Row, "id" | "startedMs">) =>
    and(eq(node.id, id), eq(node.startedMs, startedMs));
  return {
    /** `isKept` false: a process that started later has the row. */
    async beat({ nowMs, ...row }: Beat): Promise<{ isKept: boolean; skewMs: number }> {
      const written = { ...row, seenMs: databaseMs, skewMs: sql`${nowMs} - ${databaseMs}` };
      const update = () =>
        query
          .update(node)
          .set(written)
          .where(and(eq(node.id, row.id), lte(node.startedMs, row.startedMs)))
          .returning({ skewMs: node.skewMs });
      let kept = await update();
      if (kept.length === 0) {
        const added = query.insert(node).values(written).onConflictDoNothing();
        if (await ifChanged(added, raisedOf("joined", row))) database.raised?.();
        kept = await update();
      }
      return { isKept: kept.length > 0, skewMs: kept[0]?.skewMs ?? 0 };
    },
    /** Those that were seen lately, by id. Others are deleted. */
    async seen(): Promise<SeenNode[]> {
      for (const row of await query.select().from(node).where(isForgotten))
        if (await ifChanged(query.delete(node).where(and(isOf(row), isForgotten)), raisedOf("lost", row)))
          database.raised?.();
      const rows = await query
        .select({ row: node, ageMs: sql<number>`${databaseMs} - ${node.seenMs}`.mapWith(Number) })
        .from(node)
        .orderBy(asc(node.id));
      return rows.map(({ row: { seenMs: _, ...row }, ageMs }) => ({ ...row, ageMs }));
    },
    async leave({ id, startedMs }: Pick<Row, "id" | "startedMs">): Promise<void> {
      await query.delete(node).where(isOf({ id, startedMs }));
    },
  };
}
