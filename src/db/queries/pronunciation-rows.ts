/** The pronunciations of an organization: a short list, read whole. */
import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import { type Database, prepared, type Tables } from "../database.ts";

export type PronunciationRow = Tables["pronunciation"]["$inferSelect"];

const PART = 200;
const inParts = <T>(all: T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / PART) }, (_, part) =>
    all.slice(part * PART, (part + 1) * PART),
  );

export function openPronunciationRows({ query, tables: { pronunciation } }: Database) {
  const { organizationId, key } = pronunciation;
  const isOf = (id: string, word: string) => and(eq(organizationId, id), eq(key, word));
  const list = prepared(
    query
      .select()
      .from(pronunciation)
      .where(eq(organizationId, sql.placeholder("id")))
      .orderBy(asc(key)),
    "pronunciations",
  );
  return {
    list: async (id: string): Promise<PronunciationRow[]> => list.execute({ id }),
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
    /** Statements that put rows and remove words, some at a time, since statements have a limit of values. */
    changes: (id: string, put: PronunciationRow[], removed: string[]) => [
      ...inParts(removed).map((keys) =>
        query.delete(pronunciation).where(and(eq(organizationId, id), inArray(key, keys))),
      ),
      ...inParts(put).map((rows) =>
        query
          .insert(pronunciation)
          .values(rows)
          .onConflictDoUpdate({
            target: [organizationId, key],
            set: { word: sql`excluded.word`, alias: sql`excluded.alias`, phonemes: sql`excluded.phonemes` },
          }),
      ),
    ],
    async delete(id: string, word: string): Promise<boolean> {
      const gone = await query.delete(pronunciation).where(isOf(id, word)).returning();
      return gone.length > 0;
    },
  };
}
