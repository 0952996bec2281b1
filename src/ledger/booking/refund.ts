/**
 * Refunds: the part of a charge that the server failed to deliver. Pure.
 *
 * A refund is an event of its own, of negative amounts, in the hour, day and month of its charge: the sums are those of
 * what was delivered, and the charge stays as it was booked.
 */
import { type Charge, isMoney, type UsageEvent } from "./burn-down.ts";

/** What a charge was too high by. A charge is refunded once. */
export type NewRefund = Pick<Charge, "organizationId" | "requestId" | "quantity" | "costMicros"> & {
  chargeId: string;
};

/** Among the ids of its request's charges. */
export const refundIdOf = (chargeId: string): string => `${chargeId}.refund`;

/** Why a refund cannot be booked, if it cannot. */
export function refundFault(charge: UsageEvent | undefined, refund: NewRefund): string | null {
  const { chargeId, quantity, costMicros } = refund;
  if (!charge) return `${chargeId} was never charged`;
  const isPart = quantity >= 0 && quantity <= charge.quantity && costMicros <= charge.costMicros;
  return isPart && isMoney(costMicros) ? null : `${chargeId} was charged less than is to be refunded`;
}

/** The refunded part of a charge. What it paid last comes back first: overdraft, then the last of its grants. */
export function refundedPart(charge: UsageEvent, { quantity, costMicros }: NewRefund): UsageEvent {
  const burns: UsageEvent["burns"] = [];
  const overdraftMicros = Math.min(charge.overdraftMicros, costMicros);
  let rest = costMicros - overdraftMicros;
  for (const [grantId, micros] of charge.burns.toReversed()) {
    const returned = Math.min(rest, micros);
    if (returned > 0) burns.push([grantId, returned]);
    rest -= returned;
  }
  return { ...charge, id: refundIdOf(charge.id), quantity, costMicros, overdraftMicros, burns };
}

/** The event of a refunded part. */
export const refundEvent = (part: UsageEvent): UsageEvent => ({
  ...part,
  quantity: 0 - part.quantity, // never -0, which no database keeps
  costMicros: 0 - part.costMicros,
  overdraftMicros: 0 - part.overdraftMicros,
  burns: part.burns.map(([grantId, micros]) => [grantId, -micros]),
});
