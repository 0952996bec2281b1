/** An organization's card and auto-recharge settings, or the defaults. */
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
/** The fields of an account without failed charges. */
export const NO_FAILURES = { rechargeFailures: 0, rechargeProblem: null, rechargeNotBefore: 0 };
/** Reasons other than failed charges for switching auto-recharge off; only an owner switches it on again. */
export type TakenBack = "refunded" | "disputed";
const TAKEN_BACK: TakenBack[] = ["refunded", "disputed"];

/** The fields of an account without a card. */
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
      const [changed] = await query
        .insert(billingAccount)
        .values({ ...blank(organizationId), ...changes })
        .onConflictDoUpdate({ target: billingAccount.organizationId, set: changes })
        .returning();
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

/** Events that switch auto-recharge off or count against it. */
function failureUpdates({ query, tables: { billingAccount } }: Database) {
  return {
    /**
     * Counts a failed charge once, however often it is reported; the third in a row switches auto-recharge off. One
     * statement, so that a concurrent switch-off is kept.
     */
    async recordFailure({ id, organizationId }: TopUp, problem: string, now: number): Promise<void> {
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
    /** Resets failures after a successful charge or a new card. A refund or dispute still counts. */
    async resetFailures(organizationId: string): Promise<void> {
      const { rechargeProblem } = billingAccount;
      const mayForget = or(isNull(rechargeProblem), not(inArray(rechargeProblem, TAKEN_BACK)));
      await query
        .update(billingAccount)
        .set(NO_FAILURES)
        .where(and(eq(billingAccount.organizationId, organizationId), mayForget));
    },
    /** Switches auto-recharge off because credit is taken back. False if it was off. */
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
