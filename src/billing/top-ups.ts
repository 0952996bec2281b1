/**
 * Purchases of credit as they are kept.
 *
 *   pending ──paid──> succeeded        a failed or expired one that is paid after all succeeds too;
 *      └──────> failed, expired        one that succeeded stays so
 */
import { and, asc, desc, eq, lte, sql } from "drizzle-orm";
import { type Database, isConflict, type Tables } from "../db/database.ts";

export type TopUp = Tables["topUp"]["$inferSelect"];
type NewTopUp = Pick<TopUp, "id" | "organizationId" | "kind" | "amountMicros" | "createdBy" | "createdAt">;
type NewPurchase = Omit<NewTopUp, "kind">;

export type TopUps = ReturnType<typeof openTopUps>;

/** Each is asked for once a minute while it is pending, and whoever clicks in a loop pays for none. */
export const PENDING_MAX = 5;

export function openTopUps(database: Database) {
  const { query, tables } = database;
  const { topUp } = tables;
  const first = async (rows: PromiseLike<TopUp[]>) => (await rows)[0] ?? null;
  return {
    begin: (purchase: NewPurchase) => begin(database, purchase),
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
        .where(and(sql`${topUp.status} = 'pending'`, lte(topUp.createdAt, until))) // as the partial index has it
        .orderBy(asc(topUp.createdAt), asc(topUp.id))
        .limit(limit);
    },
  };
}

/** A purchase; null where as many of the organization are pending as may be. */
async function begin(
  { query, tables: { topUp, organization }, atomically }: Database,
  { id, organizationId, amountMicros, createdBy, createdAt }: NewPurchase,
): Promise<TopUp | null> {
  const lock = query
    .update(organization)
    .set({ id: organizationId })
    .where(eq(organization.id, organizationId));
  const insert = sql`
    insert into top_up
      (id, organization_id, kind, status, amount_micros, refunded_micros, created_by, created_at)
    select
      ${id}, ${organizationId}, 'top_up', 'pending', cast(${amountMicros} as bigint), 0, ${createdBy}, cast(${createdAt} as bigint)
    where (
      select count(*) from top_up
      where organization_id = ${organizationId} and kind = 'top_up' and status = 'pending'
    ) < ${PENDING_MAX}`;
  await atomically([lock, insert]);
  return (await query.select().from(topUp).where(eq(topUp.id, id)))[0] ?? null;
}
