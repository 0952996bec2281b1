/**
 * The nodes of a PostgreSQL database: each writes its own row again and again, and reads those of all. Ages are by the clock
 * of the database, because those of nodes differ.
 */
import { and, asc, eq, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

type Row = Tables["node"]["$inferSelect"];

/** `nowMs`: by the clock of the node. */
export type Beat = Omit<Row, "seenMs" | "skewMs"> & { nowMs: number };
export type SeenNode = Omit<Row, "seenMs"> & { ageMs: number };

/** A node that was not seen for so long has ended, or cannot reach the database. */
const FORGOTTEN_MS = 10_000;

const databaseMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export type NodeRows = ReturnType<typeof openNodeRows>;

export function openNodeRows({ query, tables: { node } }: Pick<Database, "query" | "tables">) {
  return {
    /** `isKept` false: a process that started later has the row. */
    async beat({ nowMs, ...row }: Beat): Promise<{ isKept: boolean; skewMs: number }> {
      const written = { ...row, seenMs: databaseMs, skewMs: sql`${nowMs} - ${databaseMs}` };
      const kept = await query
        .insert(node)
        .values(written)
        .onConflictDoUpdate({
          target: node.id,
          set: written,
          setWhere: sql`${node.startedMs} <= excluded.started_ms`,
        })
        .returning({ skewMs: node.skewMs });
      return { isKept: kept.length > 0, skewMs: kept[0]?.skewMs ?? 0 };
    },
    /** Those that were seen lately, by id. Others are deleted. */
    async seen(): Promise<SeenNode[]> {
      await query.delete(node).where(sql`${node.seenMs} < ${databaseMs} - ${FORGOTTEN_MS}`);
      const rows = await query
        .select({ row: node, ageMs: sql<number>`${databaseMs} - ${node.seenMs}`.mapWith(Number) })
        .from(node)
        .orderBy(asc(node.id));
      return rows.map(({ row: { seenMs: _, ...row }, ageMs }) => ({ ...row, ageMs }));
    },
    async leave({ id, startedMs }: Pick<Row, "id" | "startedMs">): Promise<void> {
      await query.delete(node).where(and(eq(node.id, id), eq(node.startedMs, startedMs)));
    },
  };
}
