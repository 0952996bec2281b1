/** What is kept of an organization's card and auto-recharge. Whoever has neither has the defaults. */
import { and, eq, inArray, isNull, ne, not, or, sql } from "drizzle-orm";
import type { Database, Tables } from "../db/database.ts";
import type { TopUp } from "./top-ups.ts";

export type BillingAccount = Tables["billingAccount"]["$inferSelect"];

export type BillingAccounts = ReturnType<typeof openBillingAccounts>;

const PAUSE_SECONDS = 15 * 60;
const FAILURES_MAX = 3;

const NO_CARD = {
  paymentMethodId: null,
  cardBrand: null,
  cardLast4: null,
  cardExpMonth: null,
  cardExpYear: null,
};
/** Nothing failed so far. */
export const NO_FAILURES = { rechargeFailures: 0, rechargeProblem: null, rechargeNotBefore: 0 };
/** Why auto-recharge went off though no charge failed; only its owner switches it on again. */
export type TakenBack = "refunded" | "disputed";
const TAKEN_BACK: TakenBack[] = ["refunded", "disputed"];

/** What an account loses with its card. */
export const WITHOUT_CARD = { ...NO_CARD, ...NO_FAILURES, rechargeEnabled: false };

const blank = (organizationId: string): BillingAccount => ({
  organizationId,
  customerId: null,
  setupSessionId: null,
  rechargeFailedId: null,
  ...WITHOUT_CARD,
  rechargeThresholdMicros: 5_000_000,
  rechargeTargetMicros: 25_000_000,
});

export function openBillingAccounts(database: Database) {
  const { query, tables } = database;
  const { billingAccount } = tables;
  return {
    ...troubles(database),
    async read(organizationId: string): Promise<BillingAccount> {
      const rows = await query
        .select()
        .from(billingAccount)
        .where(eq(billingAccount.organizationId, organizationId));
      return rows[0] ?? blank(organizationId);
    },
    async change(organizationId: string, changes: Partial<BillingAccount>): Promise<BillingAccount> {
      const [changed] = await query
        .insert(billingAccount)
        .values({ ...blank(organizationId), ...changes })
        .onConflictDoUpdate({ target: billingAccount.organizationId, set: changes })
        .returning();
      return changed!;
    },
    /** Who has that card; null where nobody has. */
    async holderOf(cardId: string): Promise<BillingAccount | null> {
      const rows = await query
        .select()
        .from(billingAccount)
        .where(eq(billingAccount.paymentMethodId, cardId));
      return rows[0] ?? null;
    },
    /** Organizations whose card is charged when their balance is low. */
    async recharging(): Promise<string[]> {
      const rows = await query
        .select({ id: billingAccount.organizationId })
        .from(billingAccount)
        .where(eq(billingAccount.rechargeEnabled, true));
      return rows.map(({ id }) => id);
    },
  };
}

/** What switches auto-recharge off, or keeps it waiting. */
function troubles({ query, tables: { billingAccount } }: Database) {
  return {
    /**
     * A charge failed, counted once however often that is told; the third in a row was the last. One statement, for
     * whatever else switches it off meanwhile must stay.
     */
    async troubled({ id, organizationId }: TopUp, problem: string, now: number): Promise<void> {
      const { rechargeFailedId, rechargeFailures, rechargeProblem, rechargeEnabled } = billingAccount;
      await query
        .update(billingAccount)
        .set({
          rechargeFailures: sql`${rechargeFailures} + 1`,
          rechargeProblem: sql`case when ${inArray(rechargeProblem, TAKEN_BACK)} then ${rechargeProblem} else ${problem} end`,
          rechargeNotBefore: now + PAUSE_SECONDS,
          rechargeEnabled: sql`${rechargeEnabled} and ${rechargeFailures} + 1 < ${FAILURES_MAX}`,
          rechargeFailedId: id,
        })
        .where(
          and(
            eq(billingAccount.organizationId, organizationId),
            or(isNull(rechargeFailedId), ne(rechargeFailedId, id)),
          ),
        );
    },
    /** A charge succeeded, or there is another card: what failed before is forgotten, what was taken back is not. */
    async untroubled(organizationId: string): Promise<void> {
      const { rechargeProblem } = billingAccount;
      const mayForget = or(isNull(rechargeProblem), not(inArray(rechargeProblem, TAKEN_BACK)));
      await query
        .update(billingAccount)
        .set(NO_FAILURES)
        .where(and(eq(billingAccount.organizationId, organizationId), mayForget));
    },
    /** Credit is taken back: no card is charged for that. False where auto-recharge was off. */
    async stopRecharge(organizationId: string, why: TakenBack): Promise<boolean> {
      const { rechargeEnabled } = billingAccount;
      const stopped = await query
        .update(billingAccount)
        .set({ rechargeEnabled: false, rechargeProblem: why })
        .where(and(eq(billingAccount.organizationId, organizationId), eq(rechargeEnabled, true)))
        .returning();
      return stopped.length > 0;
    },
  };
}
