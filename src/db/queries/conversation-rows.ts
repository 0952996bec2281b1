/** The operator's conversations: a small table, read whole. */
import { asc, eq, sql } from "drizzle-orm";
import type { Database } from "../database.ts";

export function openConversationRows({ query, tables: { conversation } }: Database) {
  const { name, definition, isDefault } = conversation;
  return {
    list: async () => query.select({ definition, isDefault }).from(conversation).orderBy(asc(name)),
    async put(row: { name: string }): Promise<void> {
      await query
        .insert(conversation)
        .values({ name: row.name, definition: row, isDefault: false })
        .onConflictDoUpdate({ target: name, set: { definition: row } });
    },
    async delete(named: string): Promise<void> {
      await query.delete(conversation).where(eq(name, named));
    },
    /** One statement, so that there is one default at any time. */
    async setDefault(named: string): Promise<void> {
      await query.update(conversation).set({ isDefault: sql`${name} = ${named}` });
    },
  };
}
