/** The voices of organizations: short rows, and beside them what is kept of each, encrypted. */
import { and, asc, count, eq } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

export type VoiceRow = Tables["voice"]["$inferSelect"];
export type VoicePartRow = Tables["voicePart"]["$inferSelect"];

export function openVoiceRows({ query, atomically, tables: { voice, voicePart } }: Database) {
  const isOf = (organizationId: string, id: string) =>
    and(eq(voice.organizationId, organizationId), eq(voice.id, id));
  return {
    list: async (organizationId: string): Promise<VoiceRow[]> =>
      query.select().from(voice).where(eq(voice.organizationId, organizationId)).orderBy(asc(voice.id)),
    async count(organizationId: string): Promise<number> {
      const rows = await query
        .select({ all: count() })
        .from(voice)
        .where(eq(voice.organizationId, organizationId));
      return Number(rows[0]?.all ?? 0);
    },
    async find(organizationId: string, id: string): Promise<VoiceRow | null> {
      const [row] = await query.select().from(voice).where(isOf(organizationId, id));
      return row ?? null;
    },
    insert: (row: VoiceRow, parts: VoicePartRow[]): Promise<void> =>
      atomically([
        query.insert(voice).values(row),
        ...parts.map((part) => query.insert(voicePart).values(part)),
      ]),
    /** False where there is none; its parts go with it. */
    async delete(organizationId: string, id: string): Promise<boolean> {
      const gone = await query.delete(voice).where(isOf(organizationId, id)).returning({ id: voice.id });
      return gone.length > 0;
    },
    async part(voiceId: string, part: string): Promise<Buffer | null> {
      const [row] = await query
        .select({ sealed: voicePart.sealed })
        .from(voicePart)
        .where(and(eq(voicePart.voiceId, voiceId), eq(voicePart.part, part)));
      return row ? Buffer.from(row.sealed) : null;
    },
    /** Nothing where the voice has the part already. */
    async add(row: VoicePartRow): Promise<void> {
      await query.insert(voicePart).values(row).onConflictDoNothing();
    },
  };
}
