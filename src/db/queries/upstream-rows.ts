/** The operator's own definitions of upstreams: a small table, read whole. */
import { asc, eq, type SQLWrapper } from "drizzle-orm";
import { type Database, prepared } from "../database.ts";

/** `definition`: as it becomes; null where it is deleted. */
export type UpstreamChange = { name: string; definition: object | null };

/** `change`: makes a change, with what else is written with it. */
export function openUpstreamRows(
  { query, tables: { upstream }, atomically }: Database,
  change: (statement: SQLWrapper, row: UpstreamChange) => Promise<unknown> = (statement) =>
    atomically([statement]),
) {
  const { name, definition } = upstream;
  const all = prepared(query.select({ definition }).from(upstream).orderBy(asc(name)), "upstreams");
  return {
    async list(): Promise<object[]> {
      return (await all.execute({})).map((row) => row.definition);
    },
    async put(row: { name: string }): Promise<void> {
      const put = query
        .insert(upstream)
        .values({ name: row.name, definition: row })
        .onConflictDoUpdate({ target: name, set: { definition: row } });
      await change(put, { name: row.name, definition: row });
    },
    async delete(named: string): Promise<void> {
      await change(query.delete(upstream).where(eq(name, named)), { name: named, definition: null });
    },
  };
}
