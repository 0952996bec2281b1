/**
 * Stored purchases of credit.
 *
 *   pending ──paid──> succeeded        failed and expired ones succeed if they are paid later;
 *      └──────> failed, expired        succeeded is final
 */
import { and, asc, desc, eq, lte, sql } from "drizzle-orm";
import { type Audit, created } from "../audit/audit-events.ts";
import { type Database, isConflict, type Tables } from "../db/database.ts";

export type TopUp = Tables["topUp"]["$inferSelect"];
type NewTopUp = Pick<TopUp, "id" | "organizationId" | "kind" | "amountMicros" | "createdBy" | "createdAt">;
type NewPurchase = Omit<NewTopUp, "kind">;

export type TopUps = ReturnType<typeof openTopUps>;

/** Limits pending purchases: each is polled once a minute. */
export const PENDING_MAX = 5;

export function openTopUps(database: Database, audit: Audit) {
  const { query, tables } = database;
  const { topUp } = tables;
  const first = async (rows: PromiseLike<TopUp[]>) => (await rows)[0] ?? null;
  return {
    begin: (purchase: NewPurchase) => begin({ database, audit }, purchase),
    /** Null if it exists already, or another recharge of the organization is pending. */
    async add(fields: NewTopUp): Promise<TopUp | null> {
      const row = { ...fields, status: "pending" as const, refundedMicros: 0 };
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
    /** Ends a pending one; null if it has ended already. */
    end: (id: string, status: "failed" | "expired", changes: Partial<TopUp>) =>
      first(
        query
          .update(topUp)
          .set({ ...changes, status })
          .where(and(eq(topUp.id, id), eq(topUp.status, "pending")))
          .returning(),
      ),
    /** Deletes one that was never sent to the service. */
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
    /** Pending ones, oldest first. */
    async pending(until: number, limit: number): Promise<TopUp[]> {
      return await query
        .select()
        .from(topUp)
        .where(and(sql`${topUp.status} = 'pending'`, lte(topUp.createdAt, until))) // matches the partial index
        .orderBy(asc(topUp.createdAt), asc(topUp.id))
        .limit(limit);
    },
  };
}

/** Creates a purchase, with its event; null if the organization has too many pending ones. */
async function begin(
  { database, audit }: { database: Database; audit: Audit },
  { id, organizationId, amountMicros, createdBy, createdAt }: NewPurchase,
): Promise<TopUp | null> {
  const { query, tables } = database;
  const { topUp, organization } = tables;
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
  const when = sql`exists (select 1 from top_up where id = ${id})`;
  const changes = created({ amount_micros: amountMicros });
  const event = { type: "billing.top_up", organizationId, resourceId: id, changes, when } as const;
  await audit.atomically([lock, insert], [event]);
  return (await query.select().from(topUp).where(eq(topUp.id, id)))[0] ?? null;
}
