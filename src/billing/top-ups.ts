/**
 * Purchases of credit as they are kept.
 *
 *   pending ──paid──> succeeded        a failed or expired one that is paid after all succeeds too;
 *      └──────> failed, expired        one that succeeded stays so
 */
import { and, asc, desc, eq, lte } from "drizzle-orm";
import { type Database, isConflict, type Tables } from "../db/open.ts";

export type TopUp = Tables["topUp"]["$inferSelect"];
type NewTopUp = Pick<TopUp, "id" | "organizationId" | "kind" | "amountMicros" | "createdBy" | "createdAt">;

export type TopUps = ReturnType<typeof openTopUps>;

export function openTopUps({ query, tables }: Database) {
  const { topUp } = tables;
  const first = async (rows: PromiseLike<TopUp[]>) => (await rows)[0] ?? null;
  return {
    /** Null where it is there already, or where another recharge of the organization is pending. */
    async add(wanted: NewTopUp): Promise<TopUp | null> {
      const row = { ...wanted, status: "pending" as const, refundedMicros: 0 };
      try {
        return await first(query.insert(topUp).values(row).returning());
      } catch (error) {
        if (isConflict(error)) return null;
        throw error;
      }
    },
    read: (id: string) => first(query.select().from(topUp).where(eq(topUp.id, id))),
    async change(id: string, changes: Partial<TopUp>): Promise<TopUp> {
      return (await first(query.update(topUp).set(changes).where(eq(topUp.id, id)).returning()))!;
    },
    /** Ends one that is pending; null where it was ended before, by whoever. */
    end: (id: string, status: "failed" | "expired", changes: Partial<TopUp>) =>
      first(
        query
          .update(topUp)
          .set({ ...changes, status })
          .where(and(eq(topUp.id, id), eq(topUp.status, "pending")))
          .returning(),
      ),
    /** Takes back one that was never sent anywhere. */
    async drop(id: string): Promise<void> {
      await query.delete(topUp).where(and(eq(topUp.id, id), eq(topUp.status, "pending")));
    },
    /** Newest first. */
    async of(organizationId: string): Promise<TopUp[]> {
      return await query
        .select()
        .from(topUp)
        .where(eq(topUp.organizationId, organizationId))
        .orderBy(desc(topUp.createdAt), desc(topUp.id));
    },
    /** Those that nothing was heard of, oldest first. */
    async pending(until: number, limit: number): Promise<TopUp[]> {
      return await query
        .select()
        .from(topUp)
        .where(and(eq(topUp.status, "pending"), lte(topUp.createdAt, until)))
        .orderBy(asc(topUp.createdAt), asc(topUp.id))
        .limit(limit);
    },
  };
}
