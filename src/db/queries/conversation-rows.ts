/** The operator's conversations: texts that may be long, read whole once one of them has changed. */
import { asc, eq, sql } from "drizzle-orm";
import type { Database } from "../database.ts";

export function openConversationRows({ query, tables: { conversation } }: Database) {
  const { name, definition, isDefault, revision } = conversation;
  return {
    list: async () => query.select({ definition, isDefault }).from(conversation).orderBy(asc(name)),
    /** The same text as long as nothing has changed. */
    async revisions(): Promise<string> {
      const rows = await query.select({ name, revision, isDefault }).from(conversation).orderBy(asc(name));
      return JSON.stringify(rows);
    },
    async put(row: { name: string }): Promise<void> {
      const written = { definition: row, revision: crypto.randomUUID() };
      await query
        .insert(conversation)
        .values({ name: row.name, isDefault: false, ...written })
        .onConflictDoUpdate({ target: name, set: written });
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
