/**
 * What organizations pay: their plans, and by what the list prices of a prepaid one are multiplied, kept in whole units of
 * 1/10,000. Another factor may be set to hold from some time on. Pure.
 */

/** `unmetered`: usage is recorded at list price, and nothing is deducted. `prepaid`: credit pays for it. */
export type Plan = (typeof PLANS)[number];
export const PLANS = ["unmetered", "prepaid"] as const;

/** List prices. */
export const FACTOR_ONE = 10_000;
const FACTOR_MAX = 10 * FACTOR_ONE;
const FROM_MAX_SECONDS = 366 * 86_400;

/** `priceFactorBefore` holds until `priceFactorFrom`, in Unix seconds; null: `priceFactor` holds already. */
export type DatedFactor = { priceFactor: number; priceFactorFrom: number | null; priceFactorBefore: number };

/** The factor that holds at a time; that of list prices where nothing is sold. */
export function factorAt(organization: DatedFactor & { plan: Plan }, now: number): number {
  return organization.plan === "prepaid" ? datedAt(organization, now) : FACTOR_ONE;
}

/** The same whatever the plan is. */
export const datedAt = (
  { priceFactor, priceFactorFrom, priceFactorBefore }: DatedFactor,
  now: number,
): number => (priceFactorFrom !== null && now < priceFactorFrom ? priceFactorBefore : priceFactor);

/** What an organization pays for a million units, in whole micros, rounded up. */
export const chargedPrice = (priceMicros: number, factor: number): number =>
  Math.ceil((priceMicros * factor) / FACTOR_ONE);

/** A factor as people write it, in units; null: it is none, or has too many decimals. */
export function factorIn(value: number): number | null {
  const units = Math.round(value * FACTOR_ONE);
  const isExact = Math.abs(value * FACTOR_ONE - units) < 1e-6;
  return isExact && units >= 0 && units <= FACTOR_MAX ? units : null;
}

export const FACTOR_RANGE = "from 0 to 10, with at most four decimals";

/** Why a factor, or `what` else, cannot hold from then on, as the end of a sentence; null: it can. */
export function fromFault(from: number, now: number, what = "a factor"): string | null {
  if (from <= now) return `must lie in the future; leave it out for ${what} that holds at once`;
  return from > now + FROM_MAX_SECONDS ? "must lie within a year" : null;
}

/** The factors of an organization as people write them. `next` null: none is to follow. */
export function shownFactors(organization: DatedFactor, now: number) {
  const { priceFactor, priceFactorFrom } = organization;
  const current = datedAt(organization, now);
  const isLater = priceFactorFrom !== null && now < priceFactorFrom;
  return {
    price_factor: current / FACTOR_ONE,
    price_factor_from: priceFactorFrom,
    next_price_factor: isLater ? priceFactor / FACTOR_ONE : null,
  };
}
