/** The pronunciations of an organization: a short list, read whole. */
import { and, asc, count, eq } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

export type PronunciationRow = Tables["pronunciation"]["$inferSelect"];

export function openPronunciationRows({ query, tables: { pronunciation } }: Database) {
  const { organizationId, key } = pronunciation;
  const isOf = (id: string, word: string) => and(eq(organizationId, id), eq(key, word));
  return {
    list: async (id: string): Promise<PronunciationRow[]> =>
      query.select().from(pronunciation).where(eq(organizationId, id)).orderBy(asc(key)),
    async count(id: string): Promise<number> {
      const [row] = await query.select({ all: count() }).from(pronunciation).where(eq(organizationId, id));
      return Number(row?.all ?? 0);
    },
    has: async (id: string, word: string): Promise<boolean> =>
      (await query.select({ key }).from(pronunciation).where(isOf(id, word))).length > 0,
    async put(row: PronunciationRow): Promise<void> {
      const { word, alias, phonemes } = row;
      await query
        .insert(pronunciation)
        .values(row)
        .onConflictDoUpdate({ target: [organizationId, key], set: { word, alias, phonemes } });
    },
    async delete(id: string, word: string): Promise<boolean> {
      const gone = await query.delete(pronunciation).where(isOf(id, word)).returning();
      return gone.length > 0;
    },
  };
}
