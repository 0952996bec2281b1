/** The operator's conversations: texts that may be long, read whole once one of them has changed. */
import { asc, eq, type SQLWrapper, sql } from "drizzle-orm";
import { type Database, prepared } from "../database.ts";

export type ConversationChange = { name: string; deed: "put" | "deleted" | "default" };

/** `change`: makes a change, with what else is written with it. */
export function openConversationRows(
  { query, tables: { conversation }, atomically }: Database,
  change: (statement: SQLWrapper, made: ConversationChange) => Promise<unknown> = (statement) =>
    atomically([statement]),
) {
  const { name, definition, isDefault, revision } = conversation;
  const revised = prepared(
    query.select({ name, revision, isDefault }).from(conversation).orderBy(asc(name)),
    "conversation_revisions",
  );
  return {
    list: async () => query.select({ definition, isDefault }).from(conversation).orderBy(asc(name)),
    /** The same text as long as nothing has changed. */
    revisions: async (): Promise<string> => JSON.stringify(await revised.execute({})),
    async put(row: { name: string }): Promise<void> {
      const written = { definition: row, revision: crypto.randomUUID() };
      const put = query
        .insert(conversation)
        .values({ name: row.name, isDefault: false, ...written })
        .onConflictDoUpdate({ target: name, set: written });
      await change(put, { name: row.name, deed: "put" });
    },
    async delete(named: string): Promise<void> {
      await change(query.delete(conversation).where(eq(name, named)), { name: named, deed: "deleted" });
    },
    /** One statement, so that there is one default at any time. */
    async setDefault(named: string): Promise<void> {
      const set = query.update(conversation).set({ isDefault: sql`${name} = ${named}` });
      await change(set, { name: named, deed: "default" });
    },
  };
}
