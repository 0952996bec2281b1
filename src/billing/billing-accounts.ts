/** An organization's card and auto-recharge settings, or the defaults. */
import { and, eq, inArray, isNull, ne, not, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Audit, AuditEvent } from "../audit/audit-events.ts";
import type { Database, Tables } from "../db/database.ts";
import { raisedBy } from "../db/queries/event-rows.ts";
import type { NewEvent, Raise } from "../events/raising.ts";
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

/** Below it, owners are told once after auto-recharge was switched off for them. */
export const LOW_BALANCE_MICROS = 1_000_000;

/** The fields of an account of which nothing is to be raised. */
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

/** `raised`: called when a transaction may have added work. */
type Raising = { raise: Raise; raised: () => void; audit: Audit };

export function openBillingAccounts(database: Database, raising: Raising) {
  const { query, tables } = database;
  const { billingAccount, organization } = tables;
  return {
    ...failureUpdates(database, raising),
    /** Whether its card may be charged without its owner: not while nothing is deducted from it, it is suspended or about to be deleted. */
    async isRechargeable(organizationId: string): Promise<boolean> {
      const [row] = await query
        .select({ plan: organization.plan, status: organization.status, deleteAt: organization.deleteAt })
        .from(organization)
        .where(eq(organization.id, organizationId));
      return !row || (row.plan !== "unmetered" && row.status === "active" && row.deleteAt === null);
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
    /** The same, with what the audit log is told of it. */
    async changeAudited(
      organizationId: string,
      changes: Partial<BillingAccount>,
      event: AuditEvent,
    ): Promise<BillingAccount> {
      const isOf = eq(billingAccount.organizationId, organizationId);
      await raising.audit.atomically(
        [
          query.insert(billingAccount).values(blank(organizationId)).onConflictDoNothing(),
          query.update(billingAccount).set(changes).where(isOf),
        ],
        [event],
      );
      const [changed] = await query.select().from(billingAccount).where(isOf);
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

/** What has become of auto-recharge, if anything that is told: kept until the end of the transaction. */
const become = (isNews: SQL, what: SQL) => ({
  ...NO_NOTICE,
  notice: sql`case when ${isNews} then ${what} end`,
});

type Outcome = NonNullable<BillingAccount["notice"]>;

/** Makes a change, and raises the event of what it made of the account. */
function raisedChanges(database: Database, { raise, raised }: Raising) {
  const { query, tables } = database;
  const { billingAccount } = tables;
  return async function change(
    organizationId: string,
    update: SQLWrapper,
    told: Partial<Record<Outcome, Omit<NewEvent, "organizationId">>>,
  ): Promise<void> {
    const isOf = eq(billingAccount.organizationId, organizationId);
    const events = Object.entries(told).flatMap(([outcome, event]) => {
      const isSo = sql`exists (select 1 from billing_account where organization_id = ${organizationId} and notice = ${outcome})`;
      return raisedBy(database, raise({ ...event, organizationId }), isSo);
    });
    const isChanged = await database.ifChanged(update, [
      ...events,
      query.update(billingAccount).set(NO_NOTICE).where(isOf),
    ]);
    if (isChanged) raised();
  };
}

/** Events that switch auto-recharge off or count against it, written in the transaction that does. */
function failureUpdates(database: Database, raising: Raising) {
  const { query, tables } = database;
  const { billingAccount } = tables;
  const change = raisedChanges(database, raising);
  return {
    /**
     * Counts a failed charge once, however often it is reported; the third in a row switches auto-recharge off. Raises the
     * first and the third. One statement, so that a concurrent switch-off is kept. `leftMicros`: balance less overdraft.
     */
    async recordFailure(
      { id, organizationId, amountMicros }: TopUp,
      { problem, leftMicros, now }: { problem: string; leftMicros: number; now: number },
    ): Promise<void> {
      const { rechargeFailedId, rechargeFailures, rechargeProblem, rechargeEnabled, lowBalanceDue } =
        billingAccount;
      const isLast = sql`${rechargeFailures} + 1 >= ${FAILURES_MAX}`;
      const update = query
        .update(billingAccount)
        .set({
          rechargeFailures: sql`${rechargeFailures} + 1`,
          rechargeProblem: sql`case when ${inArray(rechargeProblem, TAKEN_BACK)} then ${rechargeProblem} else ${problem} end`,
          rechargeNotBefore: now + PAUSE_SECONDS,
          rechargeEnabled: sql`${rechargeEnabled} and ${rechargeFailures} + 1 < ${FAILURES_MAX}`,
          rechargeFailedId: id,
          ...(leftMicros >= LOW_BALANCE_MICROS && {
            lowBalanceDue: sql`${lowBalanceDue} or (${rechargeEnabled} and ${isLast})`,
          }),
          ...become(
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
      const data = { top_up_id: id, amount_micros: amountMicros, balance_micros: leftMicros, problem };
      await change(organizationId, update, {
        declined: { type: "payment.failed", data },
        switched_off: { type: "auto_recharge.disabled", data: { ...data, reason: "switched_off" } },
      });
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
    /** Switches auto-recharge off because credit is taken back, and raises it if it was on. */
    async stopRecharge(organizationId: string, why: TakenBack): Promise<void> {
      const { rechargeEnabled } = billingAccount;
      const update = query
        .update(billingAccount)
        .set({ rechargeEnabled: false, rechargeProblem: why, ...NO_NOTICE, notice: why })
        .where(and(eq(billingAccount.organizationId, organizationId), eq(rechargeEnabled, true)));
      await change(organizationId, update, {
        [why]: { type: "auto_recharge.disabled", data: { reason: why } },
      });
    },
    /** A card is gone. Raised if auto-recharge was on. Without effect on another card. */
    async loseCard(organizationId: string, cardId: string): Promise<void> {
      const { paymentMethodId, rechargeEnabled } = billingAccount;
      const update = query
        .update(billingAccount)
        .set({ ...WITHOUT_CARD, ...become(sql`${rechargeEnabled}`, sql`'card_removed'`) })
        .where(and(eq(billingAccount.organizationId, organizationId), eq(paymentMethodId, cardId)));
      await change(organizationId, update, {
        card_removed: { type: "auto_recharge.disabled", data: { reason: "card_removed" } },
      });
    },
  };
}
