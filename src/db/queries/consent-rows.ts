/** The consents of organizations' speakers: short rows, each with its recording, encrypted. */
import { and, count, desc, eq, lt } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

type Stored = Tables["voiceConsent"]["$inferSelect"];
export type ConsentRow = Omit<Stored, "sealed">;

export function openConsentRows({ query, tables: { voiceConsent } }: Database) {
  const { sealed, id, organizationId, name, language, createdAt } = voiceConsent;
  const row = { id, organizationId, name, language, createdAt };
  const ofOrganization = (wanted: string) => eq(organizationId, wanted);
  const isOf = (organization: string, wanted: string) => and(ofOrganization(organization), eq(id, wanted));
  return {
    /** The newest first, from the one before the id `after` on. */
    list: async (organization: string, after: string | null, limit: number): Promise<ConsentRow[]> =>
      query
        .select(row)
        .from(voiceConsent)
        .where(and(ofOrganization(organization), after === null ? undefined : lt(id, after)))
        .orderBy(desc(id))
        .limit(limit),
    async count(organization: string): Promise<number> {
      const rows = await query
        .select({ all: count() })
        .from(voiceConsent)
        .where(ofOrganization(organization));
      return Number(rows[0]?.all ?? 0);
    },
    async find(organization: string, wanted: string): Promise<ConsentRow | null> {
      const [found] = await query.select(row).from(voiceConsent).where(isOf(organization, wanted));
      return found ?? null;
    },
    async insert(stored: Stored): Promise<void> {
      await query.insert(voiceConsent).values(stored);
    },
    /** Null where there is none. */
    async rename(organization: string, wanted: string, to: string): Promise<ConsentRow | null> {
      const rows = await query
        .update(voiceConsent)
        .set({ name: to })
        .where(isOf(organization, wanted))
        .returning(row);
      return rows[0] ?? null;
    },
    /** False where there is none. */
    async delete(organization: string, wanted: string): Promise<boolean> {
      const gone = await query.delete(voiceConsent).where(isOf(organization, wanted)).returning({ id });
      return gone.length > 0;
    },
    async recording(wanted: string): Promise<Buffer | null> {
      const [found] = await query.select({ sealed }).from(voiceConsent).where(eq(id, wanted));
      return found ? Buffer.from(found.sealed) : null;
    },
  };
}
