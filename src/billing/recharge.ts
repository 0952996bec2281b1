/**
 * Auto-recharge: charges a saved card up to the target whenever the balance falls below the threshold.
 *
 *   below ──> pending row, one per organization on all nodes ──> still below? ──> charge ──> credited as any payment
 *                                                                                   └── outcome unknown: retried
 *
 * The balance is read before the account: a refund switches auto-recharge off before it takes credit back, so a balance
 * without that credit is always seen with auto-recharge off.
 *
 * The row is written before the charge, and its id is the charge's idempotency key. A charge with unknown outcome is
 * looked up by that id and retried under it for eight minutes; after ten it counts as never made.
 */
import { type Clock, unixSeconds } from "../clock.ts";
import { newId } from "../ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { BillingAccount, BillingAccounts } from "./billing-accounts.ts";
import type { Crediting } from "./crediting.ts";
import { isUntried, type Payments } from "./payments.ts";
import type { TopUp, TopUps } from "./top-ups.ts";

export const LEAST_MICROS = 5_000_000;
const MOST_MICROS = 1_000_000_000;
const CENT_MICROS = 10_000;
const ASK_AGAIN_SECONDS = 480;
const GIVE_UP_SECONDS = 600; // by then no request is in progress
const SKEW_SECONDS = 300; // between the payment service's clock and ours

export type Recharge = {
  /** Charges the card if a charge is due. */
  check(organizationId: string): Promise<void>;
  /** Finds out the outcome of a charge. */
  refresh(topUp: TopUp): Promise<TopUp>;
};

type RechargeDeps = {
  payments: Payments;
  topUps: TopUps;
  accounts: BillingAccounts;
  crediting: Crediting;
  ledger: Pick<Ledger, "credit">;
  clock: Clock;
};

type Ready = BillingAccount & { customerId: string; paymentMethodId: string };

const isReady = (account: BillingAccount): account is Ready =>
  account.rechargeEnabled && account.customerId !== null && account.paymentMethodId !== null;

export function openRecharge(deps: RechargeDeps): Recharge {
  const { payments, topUps, accounts, ledger, crediting, clock } = deps;

  /** The charge that is due now, or null. */
  async function due(organizationId: string): Promise<{ account: Ready; amountMicros: number } | null> {
    const { balanceMicros, overdraftMicros } = await ledger.credit(organizationId);
    const left = balanceMicros - overdraftMicros;
    const account = await accounts.read(organizationId);
    if (!isReady(account) || account.rechargeNotBefore > unixSeconds(clock)) return null;
    if (left >= account.rechargeThresholdMicros || !(await accounts.isRechargeable(organizationId)))
      return null;
    return { account, amountMicros: amountOf(account.rechargeTargetMicros - left) };
  }

  const ageOf = ({ createdAt }: TopUp) => unixSeconds(clock) - createdAt;

  async function charge(topUp: TopUp, { customerId, paymentMethodId }: Ready): Promise<TopUp> {
    const { id, organizationId, kind, amountMicros } = topUp;
    if (ageOf(topUp) >= ASK_AGAIN_SECONDS) return topUp; // a delayed process must not repeat a charge that was given up
    const outcome = await payments.chargeCard({
      topUpId: id,
      organizationId,
      kind,
      amountMicros,
      customerId,
      cardId: paymentMethodId,
    });
    if ("refused" in outcome) return await crediting.fail(topUp, outcome.refused);
    return (await crediting.payment(outcome.payment)) ?? topUp;
  }

  return {
    async check(organizationId) {
      const next = await due(organizationId);
      if (!next) return;
      const createdAt = unixSeconds(clock);
      const { amountMicros } = next;
      const charged = { organizationId, kind: "auto_recharge" as const, createdBy: null, createdAt };
      const row = await topUps.add({ ...charged, id: newId("topup", clock), amountMicros });
      if (!row) return; // a charge is in progress
      const still = await due(organizationId); // another node's charge may just have ended
      if (!still) return await topUps.drop(row.id);
      await charge(await topUps.change(row.id, { amountMicros: still.amountMicros }), still.account);
    },
    async refresh(topUp) {
      const { id, organizationId, createdAt, paymentIntentId } = topUp;
      const known = paymentIntentId === null ? null : await payments.readPayment(paymentIntentId);
      if (known) return (await crediting.payment(known)) ?? topUp;
      const { customerId } = await accounts.read(organizationId);
      if (customerId !== null)
        for await (const payment of payments.payments({ customerId, since: createdAt - SKEW_SECONDS }))
          if (payment.purchase?.topUpId === id && !isUntried(payment))
            return (await crediting.payment(payment)) ?? topUp;
      if (ageOf(topUp) < GIVE_UP_SECONDS) {
        const still = await due(organizationId);
        return still ? await charge(topUp, still.account) : topUp;
      }
      const ended = (await topUps.end(id, "expired", {})) ?? topUp; // first: what is withdrawn was not declined
      if (payments.invoices && customerId !== null)
        await payments.withdrawCharge({ customerId, topUpId: id, since: createdAt - SKEW_SECONDS });
      return ended;
    },
  };
}

/** Rounds up to whole cents, within the limits of a purchase. */
function amountOf(missingMicros: number): number {
  const whole = Math.ceil(missingMicros / CENT_MICROS) * CENT_MICROS;
  return Math.min(Math.max(whole, LEAST_MICROS), MOST_MICROS);
}
