/** What the nodes of a PostgreSQL database served in the last hour: a row for each process of a node and minute. */
import { and, gte, lt, ne, or, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

type Row = Tables["nodeMinute"]["$inferSelect"];
/** A process of a node. */
export type NodeProcess = Pick<Row, "node" | "startedMs">;
type Served = Omit<Row, keyof NodeProcess>;

const ROWS_MAX = 20_000; // three hundred processes

export type NodeMinuteRows = ReturnType<typeof openNodeMinuteRows>;

export function openNodeMinuteRows({ query, tables: { nodeMinute } }: Pick<Database, "query" | "tables">) {
  const { node, startedMs, start } = nodeMinute;
  return {
    /** Writes or replaces minutes, and deletes those of all nodes from before `since`, in Unix seconds. */
    async put(process: NodeProcess, minutes: readonly Served[], since: number): Promise<void> {
      const written = (column: string) => sql.raw(`excluded.${column}`);
      if (minutes.length > 0)
        await query
          .insert(nodeMinute)
          .values(minutes.map((minute) => ({ ...process, ...minute })))
          .onConflictDoUpdate({
            target: [node, startedMs, start],
            set: {
              succeeded: written("succeeded"),
              refused: written("refused"),
              failed: written("failed"),
              sessions: written("sessions"),
              waited: written("waited"),
              waits: written("waits"),
            },
          });
      await query.delete(nodeMinute).where(lt(start, since));
    },
    /** Those of all other processes. */
    async others(process: NodeProcess, since: number): Promise<Served[]> {
      const isOther = or(ne(node, process.node), ne(startedMs, process.startedMs));
      const rows = await query
        .select()
        .from(nodeMinute)
        .where(and(gte(start, since), isOther))
        .limit(ROWS_MAX);
      return rows.map(({ node: _node, startedMs: _startedMs, ...served }) => served);
    },
  };
}
