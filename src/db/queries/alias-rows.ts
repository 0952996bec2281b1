/** The operator's own aliases: a small table, read whole. */
import { and, asc, eq } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

type Row = Tables["alias"]["$inferSelect"];

export function openAliasRows({ query, tables: { alias } }: Database) {
  const { kind, name, targets, format } = alias;
  return {
    list: async (): Promise<Row[]> =>
      query.select({ kind, name, targets, format }).from(alias).orderBy(asc(kind), asc(name)),
    async put(row: Row): Promise<void> {
      const changes = { targets: row.targets, format: row.format };
      await query
        .insert(alias)
        .values(row)
        .onConflictDoUpdate({ target: [kind, name], set: changes });
    },
    async delete(row: Pick<Row, "kind" | "name">): Promise<void> {
      await query.delete(alias).where(and(eq(kind, row.kind), eq(name, row.name)));
    },
    async clear(): Promise<void> {
      await query.delete(alias);
    },
  };
}
