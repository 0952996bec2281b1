/** The operator's own aliases: a small table, read whole. */
import { and, asc, eq, type SQLWrapper } from "drizzle-orm";
import { type Database, prepared, type Tables } from "../database.ts";

type Row = Tables["alias"]["$inferSelect"];

/** `row`: as it becomes; only its name where it is deleted, and null where all are. */
export type ChangeAlias = (change: SQLWrapper, row: Partial<Row> | null) => Promise<unknown>;

/** `change`: makes a change, with what else is written with it. */
export function openAliasRows(
  { query, tables: { alias }, atomically }: Database,
  change: ChangeAlias = (statement) => atomically([statement]),
) {
  const { kind, name, targets, format } = alias;
  const all = prepared<Row[]>(
    query.select({ kind, name, targets, format }).from(alias).orderBy(asc(kind), asc(name)),
    "aliases",
  );
  return {
    list: async () => all.execute({}),
    async put(row: Row): Promise<void> {
      const changes = { targets: row.targets, format: row.format };
      const put = query
        .insert(alias)
        .values(row)
        .onConflictDoUpdate({ target: [kind, name], set: changes });
      await change(put, row);
    },
    async delete(row: Pick<Row, "kind" | "name">): Promise<void> {
      const named = { kind: row.kind, name: row.name };
      await change(query.delete(alias).where(and(eq(kind, row.kind), eq(name, row.name))), named);
    },
    async clear(): Promise<void> {
      await change(query.delete(alias), null);
    },
  };
}
