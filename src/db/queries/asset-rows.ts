/** Files of the dashboard by name, as they were sent: compressed. A name contains a hash of its content. */
import { eq, lt, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

type Row = Tables["webAsset"]["$inferSelect"];

export function openAssetRows({ query, tables: { webAsset } }: Database) {
  return {
    async find(name: string): Promise<Pick<Row, "type" | "gzip"> | null> {
      const { type, gzip } = webAsset;
      const [row] = await query.select({ type, gzip }).from(webAsset).where(eq(webAsset.name, name));
      return row ?? null;
    },
    async put(rows: Row[]): Promise<void> {
      await query
        .insert(webAsset)
        .values(rows)
        .onConflictDoUpdate({ target: webAsset.name, set: { usedMs: sql`excluded.used_ms` } });
    },
    /** Deletes those that no node has sent a page for since then. */
    async deleteUnused(beforeMs: number): Promise<void> {
      await query.delete(webAsset).where(lt(webAsset.usedMs, beforeMs));
    },
  };
}
