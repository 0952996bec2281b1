/** The operator's own definitions of upstreams: a small table, read whole. */
import { asc, eq } from "drizzle-orm";
import type { Database } from "../database.ts";

export function openUpstreamRows({ query, tables: { upstream } }: Database) {
  const { name, definition } = upstream;
  return {
    async list(): Promise<object[]> {
      const rows = await query.select({ definition }).from(upstream).orderBy(asc(name));
      return rows.map((row) => row.definition);
    },
    async put(row: { name: string }): Promise<void> {
      await query
        .insert(upstream)
        .values({ name: row.name, definition: row })
        .onConflictDoUpdate({ target: name, set: { definition: row } });
    },
    async delete(named: string): Promise<void> {
      await query.delete(upstream).where(eq(name, named));
    },
  };
}
