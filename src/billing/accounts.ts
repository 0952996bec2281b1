/** What is kept of an organization's card and auto-recharge. Whoever has neither has the defaults. */
import { and, eq, isNull, ne, or } from "drizzle-orm";
import type { Database, Tables } from "../db/open.ts";
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
export const UNTROUBLED = { rechargeFailures: 0, rechargeProblem: null, rechargeNotBefore: 0 };
/** What an account loses with its card. */
export const WITHOUT_CARD = { ...NO_CARD, ...UNTROUBLED, rechargeEnabled: false };

const blank = (organizationId: string): BillingAccount => ({
  organizationId,
  customerId: null,
  setupSessionId: null,
  rechargeFailedId: null,
  ...WITHOUT_CARD,
  rechargeThresholdMicros: 5_000_000,
  rechargeTargetMicros: 25_000_000,
});

export function openBillingAccounts({ query, tables }: Database) {
  const { billingAccount } = tables;
  return {
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
    /** A charge failed, counted once however often that is told; the third in a row was the last. */
    async troubled({ id, organizationId }: TopUp, problem: string, now: number): Promise<void> {
      const { rechargeFailures, rechargeEnabled } = await this.read(organizationId);
      const { rechargeFailedId } = billingAccount;
      await query
        .update(billingAccount)
        .set({
          rechargeFailures: rechargeFailures + 1,
          rechargeProblem: problem,
          rechargeNotBefore: now + PAUSE_SECONDS,
          rechargeEnabled: rechargeEnabled && rechargeFailures + 1 < FAILURES_MAX,
          rechargeFailedId: id,
        })
        .where(
          and(
            eq(billingAccount.organizationId, organizationId),
            or(isNull(rechargeFailedId), ne(rechargeFailedId, id)),
          ),
        );
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
