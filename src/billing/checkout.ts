/**
 * Buying credit on the payment service's hosted page.
 *
 *   pending row ──> hosted page, under the row's id ──> paid ──> credited, by webhook, polling or reconcile job
 */
import { type Clock, unixSeconds } from "../clock.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Log } from "../log/log.ts";
import type { Crediting } from "./crediting.ts";
import type { Customers } from "./customers.ts";
import type { Payments } from "./payments.ts";
import { PENDING_MAX, type TopUp, type TopUps } from "./top-ups.ts";

const OPEN_SECONDS = 60 * 60;
const FRESH_MS = 1000;

export type NewPurchase = { organizationId: string; userId: string; email: string; amountMicros: number };

export type Purchases = {
  start(purchase: NewPurchase): Promise<TopUp>;
  /** Refreshes it from the service, as the browser may return before the event. At most once a second each. */
  refreshed(topUp: TopUp): Promise<TopUp>;
  /** Refreshes it without the once-a-second limit. */
  refresh(topUp: TopUp): Promise<TopUp>;
};

type PurchaseDeps = {
  payments: Payments;
  topUps: TopUps;
  customers: Customers;
  crediting: Crediting;
  origin: () => string;
  clock: Clock;
  log: Log;
};

export function openPurchases(deps: PurchaseDeps): Purchases {
  const { payments, topUps, crediting, clock, log } = deps;
  const asked = new Map<string, { ms: number; answer: Promise<TopUp> }>();

  async function refresh(topUp: TopUp): Promise<TopUp> {
    const { id, checkoutSessionId, createdAt } = topUp;
    const checkout = checkoutSessionId === null ? null : await payments.readCheckout(checkoutSessionId);
    if (checkout) return (await crediting.checkout(checkout)) ?? topUp;
    const isOver = unixSeconds(clock) > createdAt + OPEN_SECONDS; // its page was never created
    return (isOver ? await topUps.end(id, "expired", {}) : null) ?? topUp;
  }

  return {
    start: (purchase) => start(deps, purchase),
    refresh,
    async refreshed(topUp) {
      if (topUp.status !== "pending" || topUp.kind !== "top_up") return topUp;
      const nowMs = clock.now();
      for (const [id, { ms }] of asked) if (nowMs - ms >= FRESH_MS) asked.delete(id);
      const answer = asked.get(topUp.id)?.answer ?? refresh(topUp);
      if (!asked.has(topUp.id)) asked.set(topUp.id, { ms: nowMs, answer });
      return await answer.catch((cause: unknown) => {
        log.warn("top_up_refresh_failed", { topUpId: topUp.id, cause });
        return topUp;
      });
    },
  };
}

const tooMany = () =>
  new Refusal(
    "rate_limit_exceeded",
    `${PENDING_MAX} payments of this organization are pending. Complete one, or wait: each expires within an hour.`,
    { retryAfterSeconds: 60 },
  );

async function start(
  { payments, topUps, customers, origin, clock }: PurchaseDeps,
  { organizationId, userId, email, amountMicros }: NewPurchase,
): Promise<TopUp> {
  const customerId = await customers.customerOf(organizationId, email);
  const purchase = { organizationId, kind: "top_up" as const, amountMicros };
  const topUpId = newId("topup", clock);
  const createdAt = unixSeconds(clock);
  const begun = { organizationId, amountMicros, id: topUpId, createdBy: userId, createdAt };
  if (!(await topUps.begin(begun))) throw tooMany();
  const page = `${origin()}/orgs/${organizationId}/billing`;
  const checkout = {
    ...{ ...purchase, topUpId, customerId, expiresAt: createdAt + OPEN_SECONDS },
    successUrl: `${page}?top_up=${topUpId}`,
    cancelUrl: `${page}?cancelled=${topUpId}`,
  };
  const { id, url } = await payments.createCheckout(checkout).catch(async (fault: unknown) => {
    await topUps.end(topUpId, "expired", {}); // its page was never created
    throw fault;
  });
  return await topUps.change(topUpId, { checkoutSessionId: id, checkoutUrl: url });
}
