/** An organization's card and auto-recharge settings, or the defaults. */
import { and, eq, inArray, isNull, ne, not, or, type SQL, sql } from "drizzle-orm";
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
  cardExpiryTold: null,
};
/** The fields of an account without failed charges. */
export const NO_FAILURES = { rechargeFailures: 0, rechargeProblem: null, rechargeNotBefore: 0 };
/** Reasons other than failed charges for switching auto-recharge off; only an owner switches it on again. */
type TakenBack = "refunded" | "disputed";
const TAKEN_BACK: TakenBack[] = ["refunded", "disputed"];

/** The fields of an account whose owners need not be told anything. */
export const NO_NOTICE = { notice: null, noticeAttempts: 0, noticeNotBefore: 0, noticeSentTo: "" };

/** The fields of an account without a card. */
export const WITHOUT_CARD = { ...NO_CARD, ...NO_FAILURES, rechargeEnabled: false };

const blank = (organizationId: string): BillingAccount => ({
  organizationId,
  customerId: null,
  setupSessionId: null,
  rechargeFailedId: null,
  ...WITHOUT_CARD,
  ...NO_NOTICE,
  lowBalanceDue: false,
  rechargeThresholdMicros: 5_000_000,
  rechargeTargetMicros: 25_000_000,
});

export function openBillingAccounts(database: Database) {
  const { query, tables } = database;
  const { billingAccount, organization } = tables;
  return {
    ...failureUpdates(database),
    /** Whether its card may be charged without its owner: not while nothing is deducted from it or it is suspended. */
    async isRechargeable(organizationId: string): Promise<boolean> {
      const [row] = await query
        .select({ plan: organization.plan, status: organization.status })
        .from(organization)
        .where(eq(organization.id, organizationId));
      return row?.plan !== "unmetered" && row?.status !== "suspended";
    },
    async read(organizationId: string): Promise<BillingAccount> {
      const rows = await query
        .select()
        .from(billingAccount)
        .where(eq(billingAccount.organizationId, organizationId));
      return rows[0] ?? blank(organizationId);
    },
    async change(organizationId: string, changes: Partial<BillingAccount>): Promise<BillingAccount> {
      // Not DO UPDATE: of two first changes with one customer, the second would fail at that column's index.
      const [added] = await query
        .insert(billingAccount)
        .values({ ...blank(organizationId), ...changes })
        .onConflictDoNothing()
        .returning();
      if (added) return added;
      const isOf = eq(billingAccount.organizationId, organizationId);
      const [changed] = await query.update(billingAccount).set(changes).where(isOf).returning();
      return changed!;
    },
    /** The organization that has the card, or null. */
    async holderOf(cardId: string): Promise<BillingAccount | null> {
      const rows = await query
        .select()
        .from(billingAccount)
        .where(eq(billingAccount.paymentMethodId, cardId));
      return rows[0] ?? null;
    },
    /** Organizations with auto-recharge switched on. */
    async recharging(): Promise<string[]> {
      const rows = await query
        .select({ id: billingAccount.organizationId })
        .from(billingAccount)
        .where(eq(billingAccount.rechargeEnabled, true));
      return rows.map(({ id }) => id);
    },
  };
}

/** Tells the owners, where the condition holds. The columns are those before the change. */
function announced({ billingAccount }: Tables, isNews: SQL, what: SQL) {
  const { notice, noticeAttempts, noticeNotBefore, noticeSentTo } = billingAccount;
  return {
    notice: sql`case when ${isNews} then ${what} else ${notice} end`,
    noticeAttempts: sql`case when ${isNews} then 0 else ${noticeAttempts} end`,
    noticeNotBefore: sql`case when ${isNews} then 0 else ${noticeNotBefore} end`,
    noticeSentTo: sql`case when ${isNews} then '' else ${noticeSentTo} end`,
  };
}

/** Events that switch auto-recharge off or count against it. */
function failureUpdates({ query, tables }: Database) {
  const { billingAccount } = tables;
  return {
    /**
     * Counts a failed charge once, however often it is reported; the third in a row switches auto-recharge off. Owners
     * are told of the first and of the third. One statement, so that a concurrent switch-off is kept.
     */
    async recordFailure({ id, organizationId }: TopUp, problem: string, now: number): Promise<void> {
      const { rechargeFailedId, rechargeFailures, rechargeProblem, rechargeEnabled } = billingAccount;
      const isLast = sql`${rechargeFailures} + 1 >= ${FAILURES_MAX}`;
      await query
        .update(billingAccount)
        .set({
          rechargeFailures: sql`${rechargeFailures} + 1`,
          rechargeProblem: sql`case when ${inArray(rechargeProblem, TAKEN_BACK)} then ${rechargeProblem} else ${problem} end`,
          rechargeNotBefore: now + PAUSE_SECONDS,
          rechargeEnabled: sql`${rechargeEnabled} and ${rechargeFailures} + 1 < ${FAILURES_MAX}`,
          rechargeFailedId: id,
          ...announced(
            tables,
            sql`${rechargeEnabled} and (${rechargeFailures} = 0 or ${isLast})`,
            sql`case when ${isLast} then 'switched_off' else 'declined' end`,
          ),
        })
        .where(
          and(
            eq(billingAccount.organizationId, organizationId),
            or(isNull(rechargeFailedId), ne(rechargeFailedId, id)),
          ),
        );
    },
    /** Resets failures after a successful charge or a new card. A refund or dispute still counts. */
    async resetFailures(organizationId: string): Promise<void> {
      const { notice, rechargeProblem } = billingAccount;
      const mayForget = or(isNull(rechargeProblem), not(inArray(rechargeProblem, TAKEN_BACK)));
      await query
        .update(billingAccount)
        .set({ ...NO_FAILURES, notice: sql`case when ${notice} = 'declined' then null else ${notice} end` })
        .where(and(eq(billingAccount.organizationId, organizationId), mayForget));
    },
    /** Switches auto-recharge off because credit is taken back, and tells the owners if it was on. */
    async stopRecharge(organizationId: string, why: TakenBack): Promise<void> {
      const { rechargeEnabled } = billingAccount;
      await query
        .update(billingAccount)
        .set({ rechargeEnabled: false, rechargeProblem: why, ...NO_NOTICE, notice: why })
        .where(and(eq(billingAccount.organizationId, organizationId), eq(rechargeEnabled, true)));
    },
    /** A card is gone. Owners are told if auto-recharge was on. Without effect on another card. */
    async loseCard(organizationId: string, cardId: string): Promise<void> {
      const { paymentMethodId, rechargeEnabled } = billingAccount;
      await query
        .update(billingAccount)
        .set({ ...WITHOUT_CARD, ...announced(tables, sql`${rechargeEnabled}`, sql`'card_removed'`) })
        .where(and(eq(billingAccount.organizationId, organizationId), eq(paymentMethodId, cardId)));
    },
  };
}
